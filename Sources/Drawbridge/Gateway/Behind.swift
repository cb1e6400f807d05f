import HTTPTypes

extension Array where Element == any Responder {
    /// These responders, as all that is behind a gateway.
    var behindTheGateway: any GatewayBackground { Behind(self) }
}

/// What lies behind a gateway: its own endpoints, files, the page's server; and for a browser's proxy, everything.
private struct Behind: GatewayBackground {
    private let all: ResponderChain
    private let proxies: ResponderChain
    /// The first responder that is no proxy, where it can answer on a loop.
    private let first: (any LoopResponder)?

    init(_ passThrough: [any Responder]) {
        let proxies = passThrough.filter(\.isProxy)
        self.proxies = ResponderChain(proxies)
        first = passThrough.first { !$0.isProxy } as? any LoopResponder
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

    func loopResponder(for request: Request) -> (any LoopResponder)? {
        request.isAbsoluteForm ? nil : first
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

extension Gateway {
    /// Answers what is not for native: the gateway itself below `/__drawbridge__/`, else a responder, or nobody.
    ///
    /// Documents of responders get the page runtime.
    @usableFromInline package func answerFromBehind(_ request: Request) async throws -> Response? {
        let (chain, isOwnPage) = try behind.answering(request, access)
        if isOwnPage, OwnPath.isOwn(request) { return try await behind.respond(toOwn: request, of: self) }
        guard let injection, isOwnPage, pageRuntime?.isFor(request.path) == true else {
            return try await chain.respond(to: request)?.withPasser
        }
        if let refusal = injection.refusal(of: request) { return Self.refusal(refusal).withPasser }
        let response = try await chain.respond(to: injection.outgoing(withAppName(request)))
        if response == nil, let leaving = injection.leaving(request) { return leaving.withPasser }
        return response.map { withCookies(injection.apply(to: $0, for: request), for: request).withPasser }
    }

    /// The same without a task, where that is possible; else nil.
    func relaying(_ request: Request) -> ((_ tell: @escaping (Response) -> Void) -> @Sendable () -> Void)? {
        guard let responder = behind.loopResponder(for: request) else { return nil }
        guard let injection, pageRuntime?.isFor(request.path) == true else {
            guard let begin = responder.relaying(request) else { return nil }
            return { tell in begin { tell($0.withPasser) } }
        }
        // `answerFromBehind` gives the refusal.
        if injection.refusal(of: request) != nil { return nil }
        guard let begin = responder.relaying(injection.outgoing(withAppName(request))) else { return nil }
        return { tell in
            begin { answer in
                tell(self.withCookies(injection.apply(to: answer, for: request), for: request).withPasser)
            }
        }
    }

    /// Adds the cookies that an app would set for its page, unless the page has or gets some of the same name.
    private func withCookies(_ response: Response, for request: Request) -> Response {
        guard replyBook.isUsed, DocumentRequest(request) == .page,
            response.status.kind == .successful || response.status == .notModified
        else { return response }
        let cookies = replyBook.settings(ofPageAt: request.path).cookies
        guard !cookies.isEmpty else { return response }
        let known = request.cookies
        let given = response.headers[values: .setCookie].map { $0.prefix { $0 != "=" } }
        var response = response
        for (name, value) in cookies where known[name] == nil && !given.contains(where: { $0 == name }) {
            response.headers.append(HTTPField(name: .setCookie, value: "\(name)=\(value); Path=/"))
        }
        return response
    }
}
