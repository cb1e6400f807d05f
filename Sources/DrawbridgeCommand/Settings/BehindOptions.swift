import ArgumentParser
import DrawbridgeServer

/// The options of the servers behind the gateway, which answer requests that are not for native.
struct BehindOptions: ParsableArguments {
    @Option(
        "url",
        "Forward what is not found in --root to this server: http://127.0.0.1:5173. Repeatable.",
        more: "/api=https://host/v2 forwards only /api; unix:/path/to.sock is a socket.")
    var upstream: [String] = []

    @Flag("Ask upstreams first, and then look in --root.") var filesLast: Bool?

    @Flag("Send the caller's Host to upstreams, not their own.") var keepHost: Bool?

    @Flag(
        "Send X-Forwarded-For to upstreams, with --keep-host -Proto and -Host too.", usual: "--forwarded")
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
            "--upstream-timeout", upstreamTimeout, in: Self.seconds, "it is a number of seconds up to 86400")
    }
}
