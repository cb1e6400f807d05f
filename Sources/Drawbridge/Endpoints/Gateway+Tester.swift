extension Gateway {
    /// Throws unless the request comes from a program that may use the tester's API.
    ///
    /// A page may not use it even with the token, so that a token that leaks into a page is useless. Requests of
    /// browsers are refused before the token is checked, also those of listed origins.
    func authorizeTester(_ request: Request) throws {
        // The inspector has its own origin and its own secret, which was checked before.
        if request.isOfInspector { return }
        try request.checkQueryHasNoSecret()
        guard !request.isAbsoluteForm else {
            throw HTTPError(
                .forbidden,
                "the tester's API takes no request with a whole URL, as a proxy does; send only the path")
        }
        guard !request.hasBrowserMark else {
            throw HTTPError(
                .forbidden,
                "the tester's API is for programs, and not for browsers; ask it with curl or from a test")
        }
        guard access.apiIsForOthers || access.isFromThisMachine(request) else {
            throw HTTPError(
                .forbidden,
                "the tester's API is for programs on the gateway's machine; --api-for-others opens it to others"
            )
        }
        switch testerToken.judge(request, from: access.address(of: request)) {
        case .right: return
        case .throttled:
            throw HTTPError(.tooManyRequests, "too many wrong tokens; try again in a second")
        case .wrong, nil:
            throw HTTPError(
                .forbidden,
                "this needs the tester's token, which the gateway prints when it starts: send it as Authorization: Bearer"
            )
        }
    }

    /// Logs an action of a tester or of the inspector, since it may change what pages get.
    ///
    /// - Parameter action: the text after the words "a tester".
    func note(_ request: Request, _ action: String, in session: Session? = nil) {
        let place = session.map { $0 == .usual ? "" : " in session \($0.name)" } ?? ""
        logger.notice("\(request.isOfInspector ? "the inspector" : "a tester") \(action)\(place)")
    }
}

extension Request {
    private static let secretNames: Set = ["ticket", "token", "secret", "access_token"]

    var teller: String { isOfInspector ? "inspector" : "program" }

    /// Whether its query has an item with the name of a secret, which would end up in logs and histories.
    package var hasSecretInQuery: Bool { query.contains { Self.secretNames.contains($0.name) } }

    /// - Throws: a 400 if the query has a secret; it says to use `Authorization` instead.
    package func checkQueryHasNoSecret() throws(HTTPError) {
        guard hasSecretInQuery else { return }
        throw HTTPError(
            .badRequest, "an address must not contain a secret; send it as Authorization: Bearer")
    }
}
