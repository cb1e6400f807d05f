extension Gateway {
    /// Makes a gateway.
    ///
    /// - Parameters:
    ///   - passThrough: the responders for requests that are not for native, in the order in which they are asked.
    ///   - middleware: wraps the answering of every request; the outermost first.
    ///   - rules: decide which requests are for native; by default those with `_mobile_bridge=1` or `__jsbridge__`.
    ///   - answers: the form of answers: always HTTP 200, or with their true status, or without an envelope.
    ///   - unhandled: what happens to a request for native that has no handler.
    ///   - access: who may call; by default only this machine, and no page of another site.
    ///   - bodyLimit: the most bytes of a collected body, 8 MB by default; more are a 413.
    ///   - presenter: asks the person at the app; by default `.nobody`, and questions are cancelled.
    ///   - pageRuntime: the scripts by which pages can call native; nil leaves documents unchanged.
    ///   - testerToken: the secret for the tester's API; by default a new one in every process.
    ///   - keepsJournal: whether ``journal`` records native calls, for tests; by default it records nothing.
    ///   - logger: the log of the gateway and its handlers.
    public convenience init(
        passThrough: [any Responder] = [], middleware: [any Middleware] = [],
        rules: [any InterceptionRule] = [.jsBridge, .flag()], answers: AnswerForm = .envelope,
        unhandled: Unhandled = .answer, access: AccessPolicy = AccessPolicy(),
        bodyLimit: Int = 8 << 20, presenter: any Presenter = .nobody,
        pageRuntime: PageRuntime? = PageRuntime(), testerToken: TesterToken = TesterToken(),
        keepsJournal: Bool = false, logger: Logger = Logger(label: "drawbridge")
    ) {
        self.init(
            answerOwn: respondToOwn, behind: passThrough, middleware: middleware, rules: rules,
            answers: answers, unhandled: unhandled, access: access, bodyLimit: bodyLimit,
            presenter: presenter, pageRuntime: pageRuntime, testerToken: testerToken,
            keepsJournal: keepsJournal, logger: logger)
    }
}

private func respondToOwn(_ request: Request, by gateway: Gateway) async throws -> Response {
    try await Endpoint.respond(to: request, by: gateway)
}
