/// A request that is passed to a responder (an upstream, for example), and how the response is changed for the caller.
struct PassThrough: Sendable {
    let responders: ResponderChain
    /// The request that the responders get, for example with the app's `User-Agent`.
    let request: Request
    /// Makes the caller's response of the responder's, which is nil if no responder takes the request.
    let change: @Sendable (inout Response?) -> Void

    func answer(_ response: consuming Response?) -> Response? {
        change(&response)
        response?.setPasser()
        return response
    }
}

extension Gateway {
    func pass(_ request: Request, by passing: PassThrough? = nil) async throws -> Response {
        let number = passes(request)
        do {
            let answer = try await passThrough(request, by: passing)
            passed(number, answer.status)
            return answer
        } catch {
            passed(number, (error as? HTTPError)?.status)
            throw error
        }
    }

    func passThrough(_ request: Request, by passing: PassThrough? = nil) async throws -> Response {
        if let response = try await answerFromBehind(request, by: passing) { return response }
        var error = HTTPError.nothingBehind(request.path)
        if let segments = Target.segments(of: request.path),
            let (route, _) = matches(segments, for: request).first
        {
            error.message +=
                "; a handler (\(route.name)) has this path: add _mobile_bridge=1 to the query"
        } else if DocumentRequest(request) == .page,
            request.path.split(separator: "/").last?.contains(".") != true
        {
            error.message += "; if this is a client-side route, start with --single-page"
        }
        throw error
    }

    /// Answers a request that is not for native: by the gateway's own endpoints or a responder; nil if none takes it.
    @usableFromInline package func answerFromBehind(_ request: Request) async throws -> Response? {
        try await answerFromBehind(request, by: nil)
    }

    /// - Parameter known: the result of ``passing(_:)`` for this request; nil to call it here.
    func answerFromBehind(_ request: Request, by known: PassThrough?) async throws -> Response? {
        guard let passing = known ?? passing(request) else {
            return try await answerOwn(request, self)
        }
        return passing.answer(try await passing.responders.respond(to: passing.request))
    }

    /// Decides how a request is passed to the responders; nil for the gateway's own endpoints.
    ///
    /// The page runtime is added to the documents that responders send.
    func passing(_ request: Request) -> PassThrough? {
        if OwnPath.isOwn(request) { return nil }
        guard let injection, !request.isAbsoluteForm, pageRuntime?.isFor(request.path) == true else {
            return PassThrough(responders: behind, request: request) { _ in }
        }
        if let refusal = injection.refusal(of: request) {
            let answer = Self.refusal(refusal)
            return PassThrough(responders: ResponderChain([]), request: request) { $0 = answer }
        }
        let sent = injection.outgoing(withAppName(request))
        return PassThrough(responders: behind, request: sent) { [self] response in
            if response == nil {
                response = injection.leaving(request)
            } else if let stays = staying(response!, to: request) {
                response = stays
            } else {
                injection.apply(to: &response!, for: request)
                addCookies(to: &response!, for: request)
            }
        }
    }

    /// Adds the cookies of the page's mock settings, unless the request or the response has a cookie of the same name.
    private func addCookies(to response: inout Response, for request: Request) {
        guard replyBook.isUsed, DocumentRequest(request) == .page,
            response.status.kind == .successful || response.status == .notModified
        else { return }
        let cookies = replyBook.settings(ofPageAt: request.path).cookies
        guard !cookies.isEmpty else { return }
        let known = request.cookies
        let given = response.headers[values: .setCookie].map { $0.prefix { $0 != "=" } }
        for (name, value) in cookies where known[name] == nil && !given.contains(where: { $0 == name }) {
            response.headers.append(HTTPField(name: .setCookie, value: "\(name)=\(value); Path=/"))
        }
    }
}
