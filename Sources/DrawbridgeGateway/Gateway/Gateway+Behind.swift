import HTTPTypes

/// A request to what lies behind the gateway: who answers it, and what its caller gets of that.
struct Passing: Sendable {
    let responders: ResponderChain
    /// As they get it.
    let request: Request
    /// Makes the caller's answer of theirs, which is nil where nobody takes the request.
    let answer: @Sendable (Response?) -> Response?
}

extension Gateway {
    /// Answers what is not for native: the gateway itself below `/__drawbridge__/`, else a responder, or nobody.
    @usableFromInline package func answerFromBehind(_ request: Request) async throws -> Response? {
        try await answerFromBehind(request, by: nil)
    }

    /// - Parameter known: who answers it, where that is decided already.
    func answerFromBehind(_ request: Request, by known: Passing?) async throws -> Response? {
        guard let passing = known ?? passing(request) else {
            return try await behind.respond(toOwn: request, of: self)
        }
        return passing.answer(try await passing.responders.respond(to: passing.request))
    }

    /// Decides who answers what is not for native; nil for the gateway itself.
    ///
    /// Documents of responders get the page runtime.
    func passing(_ request: Request) -> Passing? {
        if OwnPath.isOwn(request) { return nil }
        guard let injection, !request.isAbsoluteForm, pageRuntime?.isFor(request.path) == true else {
            return Passing(responders: behind.responders, request: request) { $0?.withPasser }
        }
        if let refusal = injection.refusal(of: request) {
            return Passing(responders: ResponderChain([]), request: request) { _ in
                Self.refusal(refusal).withPasser
            }
        }
        let sent = injection.outgoing(withAppName(request))
        return Passing(responders: behind.responders, request: sent) { [self] response in
            guard let response else { return injection.leaving(request)?.withPasser }
            return withCookies(injection.apply(to: response, for: request), for: request).withPasser
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
