import HTTPTypes
import Logging

extension Gateway {
    /// Lets programs into the tester's API, and nobody else.
    ///
    /// No page may use it, whatever token it has: a token that leaked into a page is of no use there. So what a browser
    /// sends is refused before the token is looked at, listed origins included.
    func authorizeTester(_ request: Request) throws {
        // The inspector is a page of its own origin, which has shown a secret of its own.
        if request.isOfInspector { return }
        try request.checkQueryHasNoSecret()
        guard !request.isAbsoluteForm else {
            throw HTTPError(
                .forbidden,
                "the tester's API is not asked by a whole URL, as a proxy is; ask by the path alone")
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
                "this takes the tester's token, which the gateway prints when it starts: send it as Authorization: Bearer"
            )
        }
    }

    /// Logs what a tester does, or a person in the inspector: it may change what pages get, and nothing else would show
    /// that.
    ///
    /// - Parameter action: as it follows the words "a tester".
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

    /// - Throws: a 400 that says where it belongs.
    package func checkQueryHasNoSecret() throws(HTTPError) {
        guard hasSecretInQuery else { return }
        throw HTTPError(
            .badRequest, "a secret has no place in an address; send it as Authorization: Bearer")
    }
}
