public import Logging

extension Gateway {
    /// Makes a gateway.
    ///
    /// - Parameters:
    ///   - passThrough: who answers what is not for native, asked in order.
    ///   - middleware: what is around every answer, the outermost first.
    ///   - rules: what is meant for native; by default `_mobile_bridge=1` and `__jsbridge__`.
    ///   - answers: how answers look: always HTTP 200, or with their true status, or without an envelope.
    ///   - unhandled: what happens to a request for native that has no handler.
    ///   - access: who may call; by default only this machine, and no page of another site.
    ///   - bodyLimit: the bytes of a collected body; more are a 413.
    ///   - presenter: who asks the person at the app; by default there is nobody to ask, and questions are cancelled.
    ///   - pageRuntime: what pages are given to reach native; nil leaves documents as they are.
    ///   - testerToken: opens the tester's API; by default one that is new in every process.
    ///   - keepsJournal: whether ``journal`` has what is called of native, for tests; without it nothing is kept.
    ///   - logger: where the gateway and its handlers log.
    public convenience init(
        passThrough: [any Responder] = [], middleware: [any Middleware] = [],
        rules: [any InterceptionRule] = [.jsBridge, .flag()], answers: AnswerForm = .envelope,
        unhandled: Unhandled = .answer, access: AccessPolicy = AccessPolicy(),
        bodyLimit: Int = Gateway.defaultBodyLimit, presenter: any Presenter = ScriptedPresenter(),
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

/// Answers what is below `/__drawbridge__/`.
private func respondToOwn(_ request: Request, by gateway: Gateway) async throws -> Response {
    try await Endpoint.respond(to: request, by: gateway)
}
