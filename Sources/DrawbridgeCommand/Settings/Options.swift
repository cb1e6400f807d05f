import ArgumentParser

struct ServingOptions: ParsableArguments {
    @Option("folder", "The folder to serve.", usual: "an example shop", completion: .directory)
    var root: String?

    @Option(
        "number", "The port; 0 takes a free one.", usual: "8080", variable: "PORT",
        name: [.customShort("p", allowingJoined: true), .long])
    var port: Int?

    @Flag("Open the page in the browser.") var open: Bool?

    @Flag("Show index.html at paths without a file: /user/7.")
    var singlePage: Bool?

    static let ports = 0...65535

    func validate() throws {
        try check("--port", port, in: Self.ports, "a port is a number from 0 to 65535")
    }
}

struct HandlerOptions: ParsableArguments {
    @Option(
        "name=value", "Mock one call: 'getUser={\"nick\":\"Ann\"}'. Repeatable.",
        name: [.long, .customLong("mock")],
        more: "The value is any JSON, or $error, $delay, $cases …: see the manual.")
    var reply: [String] = []

    @Option(
        "file", "A file of mocks; saving it reloads it. Repeatable.", name: [.long, .customLong("mocks")],
        more:
            "{\"replies\": {\"getUser\": {\"nick\": \"Ann\"}}}; drawbridge.json in the folder, or else here, is used by default.",
        completion: .file(extensions: ["json"]))
    var replies: [String] = []

    @Option(
        "name",
        "Start in this scenario: user/signed-in. Repeatable.")
    var scenario: [String] = []

    @Option("origin", "Allow $forward to this origin on another machine: https://mocks.example. Repeatable.")
    var forwardTo: [String] = []

    @Flag(
        "Answer alert, login, pay, share … by the built-in handlers.", usual: "only without a file of mocks",
        more: "With mocks, they answer only names mocked as {\"$pass\": true}.")
    var builtIns: Bool?

    @Option(
        "file",
        "The file where the built-in storage keeps its values.", usual: "one per project, in ~/.local/state",
        completion: .file())
    var storage: String?

    func validate() throws {
        try checkAddresses("--forward-to", forwardTo)
        var names = ReplyNames()
        for text in reply { try ReplySources.add(text, to: &names) }
    }
}

struct TestOptions: ParsableArguments {
    @Option(
        "name=value", "Answer a question automatically: alert=ok, 'login={\"user\":\"ann\"}'. Repeatable.",
        more: "@answers.json reads a file: {\"alert\":\"ok\",\"login\":{\"user\":\"ann\"}}.")
    var choose: [String] = []

    @Option(
        oneOf: "how",
        "fail: exit with code 3 if a call or a question had no answer, for CI; tell: only log it.",
        usual: "tell"
    )
    var unanswered: Unanswered?

    @Option("records", "How many records the journal keeps, in 64 MB at most.", usual: "10000")
    var journal: Int?

    static let records = 1...100_000

    /// What the command does at its end if a call or question had no answer.
    enum Unanswered: String, CaseIterable, Sendable {
        case tell, fail
    }

    func validate() throws {
        for text in choose where !text.hasPrefix("@") { _ = try Answers.parse(text) }
        try check("--journal", journal, in: Self.records, "use a number of records from 1 to 100000")
    }
}

struct InspectorOptions: ParsableArguments {
    @Flag("Show every call in a browser, by a link that is printed.", usual: "--inspector")
    var inspector: Bool?

    @Option("number", "The inspector's port; 0 takes a free one.", usual: "0")
    var inspectorPort: Int?

    @Option("url", "The inspector's URL in the browser, if it listens elsewhere: http://localhost:8081.")
    var inspectorUrl: String?

    @Flag("Let programs write mocks into the file, as the inspector does.", usual: "--no-save")
    var save: Bool?

    func validate() throws {
        try check(
            "--inspector-port", inspectorPort, in: ServingOptions.ports,
            "a port is a number from 0 to 65535")
        try checkAddresses("--inspector-url", [inspectorUrl])
    }
}

struct AccessOptions: ParsableArguments {
    @Flag(
        "Serve phones on your network, by link and QR code.",
        more: "Listens on all addresses, like --host 0.0.0.0.")
    var lan: Bool?

    @Option(
        "address",
        "The address to listen on; 0.0.0.0 is all.", usual: "127.0.0.1", variable: "DRAWBRIDGE_HOST",
        more: "Other devices must first open the link that is printed.")
    var host: String?

    @Option("url", "The page's URL in the browser, if the gateway listens elsewhere: http://localhost:9090.")
    var publicUrl: String?

    @Flag(
        "Serve callers on this machine without the link.", usual: "--local-trust",
        more: "--no-local-trust is for containers and tunnels, where all seem local.")
    var localTrust: Bool?

    @Option(
        "file", "Serve https with this PEM certificate chain and --key.", completion: .file())
    var cert: String?

    @Option("file", "The private key of --cert, as PEM.", completion: .file()) var key: String?

    @Option("origin", "Let the pages of this origin call: https://app.example. Repeatable.")
    var cors: [String] = []

    @Option(
        "host", "Accept this host name too: phone.local. Repeatable, or with commas.")
    var allowedHosts: [String] = []

    @Option(
        "address",
        "Trust X-Forwarded-For from this proxy, or from a range of addresses: 127.0.0.1. Repeatable.",
        more: "Without it, proxied requests are treated as from another device.")
    var trustedProxy: [String] = []

    @Flag("Let programs on other machines use the testing API too, with its token.")
    var apiForOthers: Bool?

    func validate() throws {
        if lan == true, let host {
            throw ValidationError(
                "--lan listens on all addresses, and --host \(host) on one; leave one of them out")
        }
        try checkAddresses("--public-url", [publicUrl])
        try check("--trusted-proxy", trustedProxy) { try AddressRange($0) }
        try check("--cors", cors, "an origin is a scheme and a host, for instance https://app.example") {
            WebOrigin.of($0) != nil
        }
        let each = "wildcards are not supported; name each origin, for instance http://app.example.com"
        try check("--cors", cors, each) { $0 == "*" || !$0.contains("*") }
        let host =
            "write a whole name or an address, for instance phone.local, and bücher.test as xn--bcher-kva.test"
        try check("--allowed-hosts", allowedHosts.names, host, Self.isHost)
    }

    private static func isHost(_ text: String) -> Bool {
        if text.contains(":") {
            return IPAddress(text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text) != nil
        }
        return text.first != "." && text.utf8.allSatisfy { $0.isWord || ".-".utf8.contains($0) }
    }
}

struct AdvancedOptions: ParsableArguments {
    @Option("seconds", "Time to finish running requests at exit.", usual: "3") var grace: Double?

    @Option(
        "seconds", "Keep serving this long after SIGTERM, while health answers 503 and connections close.",
        usual: "0",
        more: "Ends earlier when no connection is left, or at a second signal.")
    var drain: Double?

    @Option(
        "size",
        "Memory for the bodies of all requests and answers: 256MB, 2GB.", usual: "a quarter of the memory",
        more: "A body that does not fit is refused with status 503.")
    var memoryForBodies: ByteCount?

    @Option("size", "Memory per connection for a request's head, its query and cookies.", usual: "32KB")
    var memoryPerConnection: ByteCount?

    @Option(
        "url", "Share the sessions of several gateways: unix:/run/redis.sock, redis://host:6379/0.",
        more: "Redis or Valkey. Put a URL with a password in DRAWBRIDGE_STORE.")
    var sharedStore: String?

    static let seconds = 0.0...3600.0
    static let bytesPerConnection = 4 << 10...16 << 20
    static let leastForBodies = 1 << 20

    func validate() throws {
        if let memoryPerConnection, !Self.bytesPerConnection.contains(memoryPerConnection.bytes) {
            throw ValidationError(
                "--memory-per-connection: must be a size from 4KB to 16MB, for instance 64KB")
        }
        if let memoryForBodies, memoryForBodies.bytes < Self.leastForBodies {
            throw ValidationError(
                "--memory-for-bodies: must be a size of 1MB or more, for instance 256MB or 2GB")
        }
        try check("--grace", grace, in: Self.seconds, "use a number of seconds from 0 to 3600")
        try check("--drain", drain, in: Self.seconds, "use a number of seconds from 0 to 3600")
    }
}

/// Options for upstreams: servers that get the requests that are not for native.
struct BehindOptions: ParsableArguments {
    @Option(
        "url",
        "Forward what is not found in --root to this server: http://127.0.0.1:5173. Repeatable.",
        more: "/api=https://host/v2 forwards only /api; unix:/path/to.sock is a socket.")
    var upstream: [String] = []

    @Flag("Ask upstreams first, and then look in --root.") var filesLast: Bool?

    @Flag("Send the caller's Host to upstreams, not their own.") var keepHost: Bool?

    @Flag(
        "Send X-Forwarded-For to upstreams; with --keep-host also -Proto and -Host.", usual: "--forwarded")
    var forwarded: Bool?

    @Flag(
        "Rewrite the upstream's address to the gateway's in redirects, cookies and policies, and the reverse in Origin and Referer.",
        usual: "--rewrite"
    )
    var rewrite: Bool?

    @Option(
        "file", "CA certificates (PEM) for upstreams, not the system's.", completion: .file())
    var upstreamCa: String?

    @Flag("Do not verify upstream certificates.") var upstreamInsecure: Bool?

    @Option("seconds", "How long to wait for an upstream that sends nothing, then 504.", usual: "60")
    var upstreamTimeout: Double?

    static let seconds = 0.001...86400.0

    func validate() throws {
        try check("--upstream", upstream) { try Upstream($0) }
        try check(
            "--upstream-timeout", upstreamTimeout, in: Self.seconds, "use a number of seconds up to 86400")
    }
}
