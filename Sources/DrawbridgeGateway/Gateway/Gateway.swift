public import DrawbridgeJournal
public import DrawbridgeMessages
package import DrawbridgeMocks
public import DrawbridgePageRuntime
public import Logging
package import Synchronization

/// The native side of a page: takes the requests that are meant for native, and lets everything else pass.
///
/// ```swift
/// let gateway = Gateway(passThrough: [.staticFiles("public")])
/// try gateway.register(LoginHandler.self, at: "/login")
/// try gateway.register(at: "/storage") { StorageHandler(database: database) }
/// try await gateway.run(.init(port: 8080))
/// ```
///
/// A request's way: who may call (``AccessPolicy``), middleware, interception (``InterceptionRule``), the route of its
/// path, a fresh ``Handler``, and the reply. ``respond(to:)`` is all of it, with no socket: test with that.
public final class Gateway: Answerer {
    /// What happens to a request that is meant for native but has no handler.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Unhandled: Sendable {
        /// `{"code":400,"message":"No response"}`, as existing pages expect.
        case answer
        /// It goes on as it was sent, like a request that was not intercepted.
        case passThrough
        /// A true 404 that names the nearest registered path.
        case fail
    }

    /// How many bytes of a body are collected unless a handler says otherwise: 8 MB.
    public static let defaultBodyLimit = Request.Body.usualLimit

    /// The rules that take requests for native, in order.
    public let rules: [any InterceptionRule]
    /// How answers look.
    public let answers: AnswerForm
    /// What happens without a handler.
    public let unhandled: Unhandled
    /// Who may call.
    public let access: AccessPolicy
    /// The limit of a collected body in bytes.
    public let bodyLimit: Int
    /// Who asks the person at the app.
    public let presenter: any Presenter
    /// Where the gateway and its handlers log.
    public let logger: Logger
    /// What pages are given to reach native; nil leaves documents as they are.
    public let pageRuntime: PageRuntime?
    /// The pages that speak to the gateway now.
    public let pages = Pages()
    /// Opens the tester's API below `/__drawbridge__/`: another secret than the pages' own.
    public let testerToken: TesterToken
    /// The devices elsewhere that were let in, and the tickets for others.
    public let admissions = Admissions()
    /// Its name in the `Via` of what goes through it, by which it recognises requests that come back to it.
    @usableFromInline package let via = Via()
    /// The servers that listen for it, and those that have not stopped yet.
    private let servers = Mutex((listening: 0, open: 0))
    /// The `User-Agent` for pages whose settings have none.
    let appName: AppName?
    package let injection: HTMLInjection?

    /// Answers what is below `/__drawbridge__/`.
    package let answerOwn: @Sendable (Request, Gateway) async throws -> Response
    /// Who answers requests that are not for native.
    let behind: ResponderChain
    let middleware: [any Middleware]
    /// Whether the log takes the level `debug`; looked up once, since every request needs it twice.
    package let isTelling: Bool
    /// Whether all rules are the gateway's own, which change a request's target and nothing else.
    let hasUsualRules: Bool
    package let registry = Registry()
    /// What was called of native, and what has become of it.
    public let journal: Journal
    package let replyBook: ReplyBook
    let replySteps = ReplySteps()
    private let told = Mutex(GatewayProgram.Snapshot(GatewayProgram()))

    /// Held while the names that pages may call are changed.
    let naming = Mutex<Void>(())
    /// The bridges that scripts of a served folder use, and that pages do not get.
    let spokenBridges = Mutex<[SpokenBridge]>([])
    package let questions: Questions
    package let handlers: HandlerSet
    /// Handlers that have a rule of their own, and no path.
    let ruled: RuledHandlers
    package let specialHandlers = Mutex<[(pattern: RoutePattern, set: HandlerSet)]>([])

    package static let droppedAnswerCount = Atomic<Int>(0)

    package init(
        answerOwn: @escaping @Sendable (Request, Gateway) async throws -> Response, behind: [any Responder],
        middleware: [any Middleware], rules: [any InterceptionRule], answers: AnswerForm,
        unhandled: Unhandled, access: AccessPolicy, bodyLimit: Int, presenter: any Presenter,
        pageRuntime: PageRuntime?, testerToken: TesterToken, keepsJournal: Bool, logger: Logger
    ) {
        self.testerToken = testerToken
        let journal = Journal(isOn: keepsJournal)
        self.journal = journal
        questions = Questions(in: journal)
        self.answerOwn = answerOwn
        self.behind = ResponderChain(behind)
        let replyBook = ReplyBook(in: registry)
        self.replyBook = replyBook
        handlers = HandlerSet(in: registry, logger: logger)
        ruled = RuledHandlers(in: registry)
        self.pageRuntime = pageRuntime
        appName = pageRuntime?.appName
        injection = pageRuntime.map { Self.injection(of: $0, token: access.token.text, replyBook, journal) }
        self.middleware = middleware
        self.rules = rules
        hasUsualRules = rules.allSatisfy { $0 is JSBridgeRule || $0 is FlagRule }
        self.answers = answers
        self.unhandled = unhandled
        var policy = access
        policy.via = via
        self.access = policy
        self.bodyLimit = bodyLimit
        self.presenter = presenter
        self.logger = logger
        isTelling = logger.logLevel <= .debug
    }

    /// - Parameter token: the page token; the tag in documents holds it, which is a new one in every process.
    private static func injection(
        of runtime: PageRuntime, token: String, _ replyBook: ReplyBook, _ journal: Journal
    ) -> HTMLInjection {
        let bridges: @Sendable (Request) -> [BridgeScript] = { request in
            guard !runtime.bridges.isEmpty else { return [] }
            return runtime.bridges(for: replyBook.settings(ofPageAt: request.path))
        }
        return HTMLInjection(
            epoch: RequestID.epoch(), isForForeignFrames: runtime.isForForeignFrames, replyBook, journal,
            version: { request in bridges(request).map { "-\($0.name)" }.joined() }
        ) { request, nonce in
            RuntimeScript.tags(for: request.path, token: token, nonce: nonce, bridges(request).map(\.path))
        }
    }

    /// What the program around it has told it: one snapshot, which is exchanged when something changes.
    package var program: GatewayProgram.Snapshot { told.withLock { $0 } }

    @discardableResult package func configure<Result>(_ change: (inout GatewayProgram) -> Result) -> Result {
        told.withLock { snapshot in
            var program = snapshot.program
            defer { snapshot = GatewayProgram.Snapshot(program) }
            return change(&program)
        }
    }

    package func serverBegan() {
        servers.withLock { servers in
            servers.listening += 1
            servers.open += 1
            journal.isStopping = false
        }
    }

    /// Notes, once for each server, that it listens no longer; with the last one, nobody waits for calls any more.
    package func serverIsStopping() {
        servers.withLock { servers in
            servers.listening -= 1
            if servers.listening == 0 { journal.isStopping = true }
        }
    }

    /// Notes, once for each server, that it has stopped; with the last one, pages are gone, and waits for them fail.
    package func serverHasStopped() {
        let isLast = servers.withLock { servers in
            servers.open -= 1
            return servers.open == 0
        }
        guard isLast else { return }
        pages.end(PageError(.stopped, "the gateway stopped before the page answered"))
        // After the pages: a call that ended with its page may have begun steps.
        replySteps.cancel()
    }

    /// How many chunks were dropped because they came after the end of their stream, in the whole process.
    public static var droppedChunks: Int { Client.dropped.load(ordering: .relaxed) }

    /// How many answers were dropped because their caller had gone or their deadline had passed, in the whole process.
    public static var droppedAnswers: Int { droppedAnswerCount.load(ordering: .relaxed) }
}
