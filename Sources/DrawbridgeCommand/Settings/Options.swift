import ArgumentParser
import Drawbridge
import DrawbridgeHandlers
import DrawbridgeServer

/// The command's flags, which are the keys of its configuration file too.
struct Options: ParsableArguments {
    @OptionGroup(title: "Page") var serving: ServingOptions
    @OptionGroup(title: "Mocks") var handlers: HandlerOptions
    @OptionGroup(title: "Dev server and upstreams") var behind: BehindOptions
    @OptionGroup(title: "Bridges") var pages: PageOptions
    @OptionGroup(title: "Tests") var tests: TestOptions
    @OptionGroup(title: "Inspector") var inspector: InspectorOptions
    @OptionGroup(title: "Other devices, other origins") var access: AccessOptions
    @OptionGroup(title: "Logging") var log: LogOptions
    @OptionGroup(title: "Advanced") var advanced: AdvancedOptions
}

struct AdvancedOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long requests may go on when it is stopped. (default: 3)",
            valueName: "seconds"))
    var grace: Double?

    @Option(
        help: ArgumentHelp(
            "Memory for the bodies of all requests and answers: 256MB, 2GB. (default: a quarter of the memory)",
            discussion: "A body that does not fit is refused with status 503.",
            valueName: "size"))
    var memoryForBodies: ByteCount?

    @Option(
        help: ArgumentHelp(
            "Memory per connection for a request's head, its query and cookies. (default: 16KB)",
            valueName: "size"))
    var memoryPerConnection: ByteCount?

    func validate() throws {
        if let memoryPerConnection, !(4 << 10...16 << 20).contains(memoryPerConnection.bytes) {
            throw ValidationError(
                "--memory-per-connection: it is a size from 4KB to 16MB, for instance 64KB")
        }
        if let memoryForBodies, memoryForBodies.bytes < 1 << 20 {
            throw ValidationError(
                "--memory-for-bodies: it is a size of 1MB or more, for instance 256MB or 2GB")
        }
        if let grace, !(0...3600).contains(grace) {
            throw ValidationError("--grace \(grace): it is a number of seconds from 0 to 3600")
        }
    }
}

struct ServingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder to serve. (default: an example shop)", valueName: "folder"),
        completion: .directory)
    var root: String?

    @Option(
        name: [.customShort("p", allowingJoined: true), .long],
        help: ArgumentHelp(
            "The port; 0 takes a free one. (default: 8080, environment: PORT)", valueName: "number"))
    var port: Int?

    @Flag(inversion: .prefixedNo, help: "Open the page in the browser.")
    var open: Bool?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Show index.html at paths of the folder that are no file, for apps with history routes: /user/7.")
    var singlePage: Bool?

    func validate() throws {
        if let port, !(0...65535).contains(port) {
            throw ValidationError("--port \(port): a port is a number from 0 to 65535")
        }
    }
}

struct TestOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Answer a question automatically: alert=ok, 'login={\"user\":\"ann\"}'. Repeatable.",
            discussion:
                "@answers.json reads a file of them: {\"alert\":\"ok\",\"login\":{\"user\":\"ann\"}}.",
            valueName: "name=value"))
    var choose: [String] = []

    /// The former name of `--choose`.
    @Option(help: .hidden)
    var answer: [String] = []

    @Option(
        help: ArgumentHelp(
            "fail: exit with code 3 if a call or a question had no answer, for CI; tell: only log it. (default: tell)",
            valueName: "how"), completion: .list(["tell", "fail"]),
        transform: { text in
            guard let unanswered = Unanswered(rawValue: text) else {
                throw ValidationError("it is tell or fail")
            }
            return unanswered
        })
    var unanswered: Unanswered?

    /// What happens at the end if calls or questions had no answer.
    enum Unanswered: String, Sendable {
        case tell, fail
    }

    func validate() throws {
        for text in choose + answer where !text.hasPrefix("@") { _ = try Answers.parse(text) }
    }
}

struct AccessOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The address to listen on; 0.0.0.0 is all. (default: 127.0.0.1, environment: DRAWBRIDGE_HOST)",
            discussion: "Other devices must first open the link that is printed.",
            valueName: "address"))
    var host: String?

    @Option(
        help: ArgumentHelp(
            "Serve https with this certificate and its chain, as PEM. Needs --key.", valueName: "file"),
        completion: .file())
    var cert: String?

    @Option(help: ArgumentHelp("The private key of --cert, as PEM.", valueName: "file"), completion: .file())
    var key: String?

    @Option(
        help: ArgumentHelp(
            "Let the pages of this origin call: https://app.example. Repeatable.",
            valueName: "origin"))
    var cors: [String] = []

    @Option(
        help: ArgumentHelp(
            "Accept this host name, besides localhost and addresses. Repeatable, or with commas.",
            valueName: "host"))
    var allowedHosts: [String] = []

    @Option(
        help: ArgumentHelp(
            "Trust the X-Forwarded-For of this proxy in front, or of a range of them: 127.0.0.1. Repeatable.",
            discussion: "Without it, every proxied request counts as from another device.",
            valueName: "address"
        ))
    var trustedProxy: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Let programs on other machines use the testing API too, with its token.")
    var apiForOthers: Bool?

    func validate() throws {
        for text in trustedProxy {
            do {
                _ = try AddressRange(text)
            } catch {
                throw ValidationError("--trusted-proxy: \(error)")
            }
        }
        for origin in cors where AccessPolicy.origin(origin) == nil {
            throw ValidationError(
                "--cors \(origin): an origin is a scheme and a host, for instance https://app.example")
        }
        for origin in cors where origin.contains("*") && origin != "*" {
            throw ValidationError(
                "--cors \(origin): wildcards are not supported; name each origin, for instance http://app.example.com"
            )
        }
        for host in allowedHosts.flatMap(Self.hosts) where !Self.isHost(host) {
            throw ValidationError(
                "--allowed-hosts \(host): write a name or an address, for instance phone.local")
        }
    }

    private static func isHost(_ text: String) -> Bool {
        if text.contains(":") {
            return IPAddress(text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text) != nil
        }
        return !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || ".-_".contains($0) }
    }

    /// The names in a list with commas.
    static func hosts(_ list: String) -> [String] {
        list.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }.filter {
            !$0.isEmpty
        }
    }
}

struct HandlerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Mock one native call: 'getUser={\"nick\":\"Ann\"}'. Repeatable.",
            discussion: "The value is any JSON, or $error, $delay, $cases …: see the manual.",
            valueName: "name=value"))
    var reply: [String] = []

    @Option(
        help: ArgumentHelp(
            "Mock many, by a file that is reloaded when you save it. Repeatable.",
            discussion:
                "{\"replies\": {\"getUser\": {\"nick\": \"Ann\"}}}; drawbridge.json, here or in the folder, is used by default.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var replies: [String] = []

    @Option(
        help: ArgumentHelp(
            "Start with this scenario of the files switched on: offline, user/signed-in. Repeatable.",
            valueName: "name"))
    var scenario: [String] = []

    @Option(
        help: ArgumentHelp(
            "Allow $forward to this origin on another machine: https://mocks.example. Repeatable.",
            valueName: "origin"))
    var forwardTo: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Answer alert, login, pay, share … by the built-in handlers. (default: only without a file of mocks)",
            discussion: "With a file of mocks they answer only the names mocked as {\"$pass\": true}."))
    var builtIns: Bool?

    @Option(
        help: ArgumentHelp(
            "The place that the built-in requestLocation answers. (default: \(RequestLocationHandler.greenwich))",
            discussion: "denied: the user has not allowed it; none: the device does not know.",
            valueName: "place"))
    var location: String?

    @Option(
        help: ArgumentHelp(
            "The file where the built-in storage keeps its values. (default: one per project, in ~/.local/state)",
            valueName: "file"), completion: .file())
    var storage: String?

    func validate() throws {
        if let location, !["denied", "none"].contains(location),
            let near = Nearest.of(location, among: ["denied", "none"])
        {
            throw ValidationError(
                "--location \(location): did you mean \(near)? A place is coordinates, or an address")
        }
        let numbers = location?.split(separator: ",").map { Double($0.filter { $0 != " " }) } ?? []
        if numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
            !(-90...90).contains(latitude) || !(-180...180).contains(longitude)
        {
            throw ValidationError(
                "--location \(location ?? ""): coordinates are a latitude up to 90 and a longitude up to 180: 51.5,-0.1"
            )
        }
        for origin in forwardTo where !Self.isHTTP(AccessPolicy.origin(origin)) {
            throw ValidationError(
                "--forward-to \(origin): an origin is http or https and a host, for instance https://mocks.example"
            )
        }
        var names = ReplyNames()
        for text in reply { try ReplySources.add(text, to: &names) }
    }

    /// Whether an origin is one to which replies may forward calls: no wildcards.
    private static func isHTTP(_ origin: String?) -> Bool {
        guard let origin, !origin.contains("*") else { return false }
        return origin.hasPrefix("http://") || origin.hasPrefix("https://")
    }
}
