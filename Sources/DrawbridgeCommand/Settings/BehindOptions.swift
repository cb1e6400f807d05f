import ArgumentParser
import DrawbridgeServer

/// The options of the servers behind the gateway, which answer requests that are not for native.
struct BehindOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Forward what is not found in --root to this server: http://127.0.0.1:5173. Repeatable.",
            discussion:
                "/api=https://host/v2 forwards only what begins with /api; unix:/path/to.sock is a socket.",
            valueName: "url"))
    var upstream: [String] = []

    @Flag(
        inversion: .prefixedNo, help: "Ask upstreams first, and then look in --root."
    )
    var filesLast: Bool?

    @Flag(inversion: .prefixedNo, help: "Send the caller's Host to upstreams, not their own.")
    var keepHost: Bool?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Send X-Forwarded-For to upstreams, with --keep-host -Proto and -Host too. (default: --forwarded)"
    )
    var forwarded: Bool?

    @Flag(
        inversion: .prefixedNo,
        help:
            "Rewrite the upstream's address to the gateway's in redirects, cookies and policies, and the reverse in Origin and Referer. (default: --rewrite)"
    )
    var rewrite: Bool?

    @Option(
        help: ArgumentHelp(
            "CA certificates for upstreams, instead of the system's, as PEM.", valueName: "file"),
        completion: .file())
    var upstreamCa: String?

    @Flag(inversion: .prefixedNo, help: "Do not verify upstream certificates.")
    var upstreamInsecure: Bool?

    @Option(
        help: ArgumentHelp(
            "How long to wait for an upstream that sends nothing, then 504. (default: 60)",
            valueName: "seconds"))
    var upstreamTimeout: Double?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Be a browser's http proxy too, for http:// pages that cannot be served through Drawbridge.",
            discussion:
                "/__drawbridge__/proxy.pac configures a browser. Pages of the --cors origins may call native."
        ))
    var proxy: Bool?

    @Option(
        help: ArgumentHelp(
            "Another device, or a range like 192.168.1.0/24, that may use the proxy. Repeatable.",
            valueName: "address"))
    var proxyClient: [String] = []

    func validate() throws {
        for text in upstream {
            do {
                _ = try Upstream(text)
            } catch {
                throw ValidationError("--upstream: \(error)")
            }
        }
        do {
            _ = try Proxy(clients: proxyClient)
        } catch {
            throw ValidationError("--proxy-client: \(error)")
        }
        if let upstreamTimeout, !(0.001...86400).contains(upstreamTimeout) {
            throw ValidationError(
                "--upstream-timeout \(upstreamTimeout): it is a number of seconds up to 86400")
        }
    }
}
