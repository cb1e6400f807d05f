import ArgumentParser
import DrawbridgeServer

/// What lies behind the gateway: the servers that answer what is not for native.
struct BehindOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The page's own server, asked for what is no file of --root: http://127.0.0.1:5173. Repeatable.",
            discussion:
                "/api=https://host/v2 is one for what is below /api, and unix:/path/to.sock a socket.",
            valueName: "url"))
    var upstream: [String] = []

    @Flag(inversion: .prefixedNo, help: "Ask the upstreams before the files of --root.")
    var filesLast: Bool?

    @Flag(inversion: .prefixedNo, help: "Tell upstreams the host that the caller named, and not their own.")
    var keepHost: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Tell upstreams who called, in X-Forwarded-For, -Proto and -Host. (default: --forwarded)")
    var forwarded: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Bring redirects and cookies that mean an upstream home to the gateway. (default: --bring-home)"
    )
    var bringHome: Bool?

    @Option(
        help: ArgumentHelp(
            "Certificates to believe in place of the system's, as PEM.", valueName: "file"),
        completion: .file())
    var upstreamCa: String?

    @Flag(inversion: .prefixedNo, help: "Take the certificates of upstreams unseen.")
    var upstreamInsecure: Bool?

    @Option(
        help: ArgumentHelp(
            "How long an upstream may take to begin its answer. (default: 60)", valueName: "seconds"))
    var upstreamTimeout: Double?

    @Flag(
        inversion: .prefixedNo,
        help: "Be the http proxy of a browser too; /__drawbridge__/proxy.pac sets one up.")
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
