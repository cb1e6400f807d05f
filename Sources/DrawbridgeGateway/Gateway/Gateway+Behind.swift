import HTTPTypes

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
