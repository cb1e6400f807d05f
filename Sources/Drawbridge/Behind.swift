extension [any Responder] {
    /// These responders, as all that is behind a gateway.
    var behindTheGateway: any GatewayBackground { Behind(self) }
}

/// What lies behind a gateway: its own endpoints, files, the page's server; and for a browser's proxy, everything.
private struct Behind: GatewayBackground {
    private let all: ResponderChain
    private let proxies: ResponderChain

    init(_ passThrough: [any Responder]) {
        proxies = ResponderChain(passThrough.filter(\.isProxy))
        all = ResponderChain(passThrough)
    }

    var isProxy: Bool { !proxies.responders.isEmpty }

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
        if let error = access.refusesOtherHost(of: request) { throw error }
        return access.isForOthers(request) ? (proxies, access.isListedSite(of: request)) : (all, true)
    }
}
