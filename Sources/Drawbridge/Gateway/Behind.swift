import HTTPTypes

/// What a gateway asks of those who lie behind it, whoever they are.
protocol GatewayBackground: Sendable {
    /// The gateway's own endpoints answer.
    func answerAsGateway(_ request: Request) async throws -> Response?

    /// Who may answer a request, and whether the page runtime goes into its document.
    ///
    /// - Throws: a 403 where it is meant for somebody else, and nobody here is a proxy.
    func answering(
        _ request: Request, _ access: AccessPolicy
    ) throws -> (chain: ResponderChain, isOwnPage: Bool)

    /// Who is asked first, where that is one who needs no task for its answers.
    func loopResponder(for request: Request) -> (any LoopResponder)?
}

extension Array where Element == any Responder {
    /// All that lies behind a gateway to which these belong.
    var behindTheGateway: any GatewayBackground { Behind(self) }
}

/// What lies behind a gateway: its own endpoints, files, the page's server; and for a browser's proxy, everything.
private struct Behind: GatewayBackground {
    /// What pages, testers and devices elsewhere ask of the gateway itself.
    private static let endpoints: [any Responder] = [
        EnterEndpoint(), PageEndpoints(), TesterEndpoints(), AdmissionEndpoints(),
        SessionEndpoint(), JournalEndpoints(), CatalogueEndpoints(), ReplyEndpoints(), QuestionEndpoints(),
    ]
    private let own = ResponderChain(Self.endpoints + [PrivateEndpoints()])
    private let all: ResponderChain
    private let proxies: ResponderChain
    /// What pages elsewhere that may call ask of a proxy.
    private let ownAndProxies: ResponderChain
    /// Who comes first behind the gateway's own endpoints.
    private let first: (any LoopResponder)?

    init(_ passThrough: [any Responder]) {
        let proxies = passThrough.filter(\.isProxy)
        self.proxies = ResponderChain(proxies)
        ownAndProxies = ResponderChain(own.responders + proxies)
        first = passThrough.first { !$0.isProxy } as? any LoopResponder
        // A proxy has a private endpoint too, where a browser learns of it.
        all = ResponderChain(
            Self.endpoints + proxies + [PrivateEndpoints()]
                + passThrough.filter { !$0.isProxy })
    }

    func answerAsGateway(_ request: Request) async throws -> Response? { try await own.respond(to: request) }

    func answering(
        _ request: Request, _ access: AccessPolicy
    ) throws -> (chain: ResponderChain, isOwnPage: Bool) {
        guard request.isAbsoluteForm else { return (all, true) }
        if proxies.responders.isEmpty {
            guard access.isOwnHost(of: request) else { throw Self.noProxy(request.authority ?? "") }
            return (all, true)
        }
        // Any page that a browser has open comes this way: native is for those alone that somebody listed.
        // And for callers on this machine: those elsewhere cannot show an admission for another host.
        let isListed = access.isListedSite(of: request) && access.isFromThisMachine(request)
        return (isListed ? ownAndProxies : proxies, isListed)
    }

    func loopResponder(for request: Request) -> (any LoopResponder)? {
        guard let first, !request.isAbsoluteForm, !request.target.utf8.starts(with: Self.privatePrefix) else {
            return nil
        }
        return first
    }

    private static let privatePrefix = Array(OwnPath.prefix.utf8)

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
    /// What lies behind the gateway answers, or declines; documents get the page runtime.
    package func answerFromBehind(_ request: Request) async throws -> Response? {
        let (chain, isOwnPage) = try behind.answering(request, access)
        // The pages of the gateway's own are no pages of an app's, and some are for people who were not let in.
        let isOwnPath = !request.isAbsoluteForm && OwnPath.isOwn(request.path)
        guard let injection, isOwnPage, !isOwnPath, pageRuntime?.isFor(request.path) == true else {
            let response = try await chain.respond(to: request)
            return isOwnPath ? response : response?.withPasser
        }
        let response = try await chain.respond(to: injection.outgoing(withAppName(request)))
        return response.map { withCookies(injection.apply(to: $0, for: request), for: request).withPasser }
    }

    /// The same without a task, where that can be.
    func relaying(_ request: Request) -> ((_ tell: @escaping (Response) -> Void) -> @Sendable () -> Void)? {
        guard let responder = behind.loopResponder(for: request) else { return nil }
        guard let injection, pageRuntime?.isFor(request.path) == true else {
            guard let begin = responder.relaying(request) else { return nil }
            return { tell in begin { tell($0.withPasser) } }
        }
        guard let begin = responder.relaying(injection.outgoing(withAppName(request))) else { return nil }
        return { tell in
            begin { answer in
                tell(self.withCookies(injection.apply(to: answer, for: request), for: request).withPasser)
            }
        }
    }

    /// The answer with the cookies that an app would have given to its page, where that has none of the name.
    private func withCookies(_ response: Response, for request: Request) -> Response {
        guard replyBook.isUsed, request.isForPage,
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
