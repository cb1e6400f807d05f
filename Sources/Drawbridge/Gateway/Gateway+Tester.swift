import HTTPTypes

extension Gateway {
    /// Lets programs into the tester's API, and nobody else.
    ///
    /// No page may use it, whatever token it has: a token that leaked into a page is of no use there. So what a browser
    /// sends is refused before the token is looked at, listed origins included.
    ///
    /// - Throws: a 403 or a 429.
    func authorizeTester(_ request: Request) throws {
        guard !request.isAbsoluteForm else {
            throw HTTPError(.forbidden, "the tester's API is not asked by proxy; ask the gateway itself")
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
}
