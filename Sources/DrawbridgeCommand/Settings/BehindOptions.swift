import ArgumentParser
import DrawbridgeServer

/// What lies behind the gateway: the servers that answer what is not for native.
struct BehindOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The page's own server, asked for what is no file of --root: http://127.0.0.1:5173. Repeatable.",
            discussion:
                "/api=https://host/v2 is asked for what is below /api; unix:/path/to.sock is a socket.",
            valueName: "url"))
    var upstream: [String] = []

    @Flag(
        inversion: .prefixedNo, help: "Ask upstreams first, and the files of --root for what belongs to none."
    )
    var filesLast: Bool?

    @Flag(inversion: .prefixedNo, help: "Send upstreams the Host that the caller named, and not their own.")
    var keepHost: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Tell upstreams who called, in X-Forwarded-For, -Proto and -Host. (default: --forwarded)")
    var forwarded: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Make redirects and cookies that mean an upstream mean the gateway. (default: --bring-home)"
    )
    var bringHome: Bool?

    @Option(
        help: ArgumentHelp(
            "Certificates to believe upstreams by, in place of the system's, as PEM.", valueName: "file"),
        completion: .file())
    var upstreamCa: String?

    @Flag(inversion: .prefixedNo, help: "Take the certificates of upstreams unseen, self-signed ones too.")
    var upstreamInsecure: Bool?

    @Option(
        help: ArgumentHelp(
            "How long an upstream may be silent; before its answer that is a 504. (default: 60)",
            valueName: "seconds"))
    var upstreamTimeout: Double?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Be a browser's http proxy too, for pages of http:// that cannot be fronted.",
            discussion:
                "/__drawbridge__/proxy.pac sets a browser up. Pages of the origins of --cors may call native."
        ))
    var proxy: Bool?

    @Option(
        help: ArgumentHelp(
            "An address, or a range like 192.168.1.0/24, that may use the proxy besides this machine. Repeatable.",
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
