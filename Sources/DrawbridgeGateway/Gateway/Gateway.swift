import Synchronization

/// The native side of a page: takes the requests that are meant for native, and lets everything else pass.
///
/// ```swift
/// let gateway = Gateway(passThrough: [.staticFiles("public")])
/// try gateway.register(LoginHandler.self, at: "/login")
/// try gateway.register(at: "/storage") { StorageHandler(database: database) }
/// try await gateway.run(.init(port: 8080))
/// ```
///
/// A request passes these stages: access (``AccessPolicy``), middleware, interception (``InterceptionRule``), the route
/// of its path, and a fresh ``Handler``. In tests, call ``respond(to:)``: it does all of this without a socket.
public final class Gateway: Answerer {
    /// What happens to a request that is meant for native but has no handler.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Unhandled: Sendable {
        /// `{"code":400,"message":"No response"}`, as existing pages expect.
        case answer
        /// The request is passed through unchanged, like one that is not for native.
        case passThrough
        /// The HTTP status 404, with a message that names the nearest registered path.
        case fail
    }

    @usableFromInline package let rules: [any InterceptionRule]
    @usableFromInline package let answers: AnswerForm
    @usableFromInline package let unhandled: Unhandled
    /// Decides which callers may call native.
    public let access: AccessPolicy
    /// The most bytes of a collected body, unless a handler has its own limit; more are a 413.
    @usableFromInline package let bodyLimit: Int
    @usableFromInline package let presenter: any Presenter
    @usableFromInline package let logger: Logger
    /// The open pages that use a bridge.
    public let pages = Pages()
    /// The secret for the tester's API below `/__drawbridge__/`; pages do not know it.
    public let testerToken: TesterToken
    /// The admitted devices on other machines, and the tickets by which more are admitted.
    public let admissions: Admissions
    @usableFromInline package let via = Via()
    /// How many servers listen for this gateway, and how many have not stopped yet.
    private let servers = Mutex((listening: 0, open: 0))
    package let injection: HTMLInjection?

    package let answerOwn: @Sendable (Request, Gateway) async throws -> Response
    /// The responders for requests that are not for native: static files or an upstream, for example.
    let behind: ResponderChain
    let middleware: [any Middleware]
    /// Whether the log takes the level `debug`; looked up once, since every request needs it twice.
    package let isTelling: Bool
    /// Whether all rules are built-in ones, which change only the target of a request.
    let hasUsualRules: Bool
    package let registry = Registry()
    /// The record of native calls and their outcomes.
    public let journal: Journal
    package let replyBook: ReplyBook
    let replySteps = ReplySteps()
    private let live: GatewayProgram.Live
    /// What keeps named sessions, if several gateways share them.
    package let shared = SharedSessions()

    /// Held while the names that pages may call are changed.
    let naming = Mutex<Void>(())
    let lacks = Mutex(KnownLacks())
    package let questions: Questions
    package let handlers: HandlerSet
    let ruled: RuledHandlers
    /// Those without an id first, in each part in the order of registration: the last that fits is asked first.
    package let specialHandlers = Mutex<[SpecialHandlers]>([])

    /// How many answers were dropped because their caller had gone or their deadline had passed, in the whole process.
    package static let droppedAnswers = Atomic<Int>(0)

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
        let live = GatewayProgram.Live(GatewayProgram(pageRuntime: pageRuntime))
        self.live = live
        injection = pageRuntime.map {
            Self.injection(
                of: live, isForForeignFrames: $0.isForForeignFrames, access.token.text, replyBook, journal)
        }
        self.middleware = middleware
        self.rules = rules
        hasUsualRules = rules.allSatisfy { $0 is JSBridgeRule || $0 is FlagRule || $0 is EverythingRule }
        self.answers = answers
        self.unhandled = unhandled
        var policy = access
        policy.via = via
        self.access = policy
        admissions = Admissions(secret: policy.secret ?? SharedSecret())
        self.bodyLimit = bodyLimit
        self.presenter = presenter
        self.logger = logger
        isTelling = logger.logLevel <= .debug
    }

    /// - Parameter token: the page token, which is part of the script tag in documents.
    private static func injection(
        of live: GatewayProgram.Live, isForForeignFrames: Bool, _ token: String, _ replyBook: ReplyBook,
        _ journal: Journal
    ) -> HTMLInjection {
        let bridges: @Sendable (Request) -> [BridgeScript] = { request in
            guard let runtime = live.now.pageRuntime, !runtime.bridges.isEmpty else { return [] }
            return runtime.bridges(for: replyBook.settings(ofPageAt: request.path))
        }
        return HTMLInjection(
            epoch: RequestID.epoch(), isForForeignFrames: isForForeignFrames,
            isLeftToApp: { live.now.pageRuntime?.inApp == .app && PageRuntime.isInWebView($0) }, replyBook,
            journal,
            version: { request in bridges(request).map { "-\($0.name)" }.joined() }
        ) { request, nonce in
            RuntimeScript.tags(
                for: request.path, id: live.now.pageRuntime.flatMap { request.query[$0.pageIDItem] },
                token: token, nonce: nonce, bridges(request).map(\.path))
        }
    }

    package var program: GatewayProgram.Snapshot { live.now }
    package var secrets: Redaction { live.now.secrets }

    package var pageRuntime: PageRuntime? { live.now.pageRuntime }

    @discardableResult package func configure<Result>(_ change: (inout GatewayProgram) -> Result) -> Result {
        live.change(change)
    }

    package func serverBegan() {
        servers.withLock { servers in
            servers.listening += 1
            servers.open += 1
            journal.isStopping = false
        }
    }

    /// Call this once for each server that stops listening; after the last one, waits for calls in the journal end.
    package func serverIsStopping() {
        servers.withLock { servers in
            servers.listening -= 1
            if servers.listening == 0 { journal.isStopping = true }
        }
    }

    /// Call this once for each server that has stopped; after the last one, all pages end, and waits for them fail.
    package func serverHasStopped() {
        let isLast = servers.withLock { servers in
            servers.open -= 1
            return servers.open == 0
        }
        guard isLast else { return }
        pages.end(PageError(.stopped, "the gateway stopped before the page answered"))
        // Steps are cancelled last: a call that ends with its page may still begin some.
        replySteps.cancel()
    }
}
