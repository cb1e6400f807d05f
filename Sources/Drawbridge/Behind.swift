import HTTPTypes

extension Array where Element == any Responder {
    /// These responders, as all that is behind a gateway.
    var behindTheGateway: any GatewayBackground { Behind(self) }
}

/// What lies behind a gateway: its own endpoints, files, the page's server; and for a browser's proxy, everything.
private struct Behind: GatewayBackground {
    private let all: ResponderChain
    private let proxies: ResponderChain

    init(_ passThrough: [any Responder]) {
        let proxies = passThrough.filter(\.isProxy)
        self.proxies = ResponderChain(proxies)
        all = ResponderChain(passThrough)
    }

    func respond(toOwn request: Request, of gateway: Gateway) async throws -> Response {
        // The proxy itself answers the script that makes a browser use it.
        if OwnPath(of: request) == .proxyScript, let answer = try await proxies.respond(to: request) {
            return answer
        }
        return try await Endpoint.respond(to: request, by: gateway)
    }

    func answering(
        _ request: Request, _ access: AccessPolicy
    ) throws -> (chain: ResponderChain, isOwnPage: Bool) {
        guard request.isAbsoluteForm else { return (all, true) }
        if proxies.responders.isEmpty {
            guard access.isOwnHost(of: request) else { throw Self.noProxy(request.authority ?? "") }
            return (all, true)
        }
        // The requests of all pages in a browser come this way: native is only for those of listed sites, and only for
        // callers on this machine, since those elsewhere cannot show an admission for another host.
        let isListed = access.isListedSite(of: request) && access.isFromThisMachine(request)
        return (proxies, isListed)
    }

    private static func noProxy(_ authority: String) -> HTTPError {
        HTTPError(
            .forbidden,
            """
            this gateway is no proxy, and does not ask \(authority); start it with --proxy, in code \
            Gateway(passThrough: [.proxy()])
            """)
    }
}
