import ArgumentParser
import Dispatch
import DrawbridgeHandlers
import DrawbridgeStore
import Glibc

/// The `drawbridge` command with your own handlers: flags, configuration file, banner, access log, signals.
///
/// ```swift
/// import DrawbridgeCommand
///
/// try await GatewayCommand.run { gateway in
///     try gateway.register(LoginHandler.self, at: "/login")
/// }
/// ```
public enum GatewayCommand {
    package static let version = "0.2.0"

    /// Parses the process's arguments, and serves until SIGTERM, SIGHUP or Ctrl-C, or until the task is cancelled.
    ///
    /// It bootstraps swift-log, so that all log lines have one output: do not bootstrap it yourself. Call this once.
    ///
    /// An error at the start is printed in one line and ends the process: with code 64 for wrong arguments, else with
    /// 1. `--help` shows the name of your program.
    ///
    /// If the first argument is `init`, it writes a `drawbridge.json` for the pages of a folder and does not serve.
    /// Your handlers are registered then too, because the calls that they answer need no mocks.
    ///
    /// - Parameters:
    ///   - abstract: one sentence for `--help`.
    ///   - version: for `--version`; nil for Drawbridge's.
    ///   - passThrough: responders for requests that are not for native, after the files of `--root` and the upstreams.
    ///   - middleware: middleware around every response, the outermost first.
    ///   - rules: decide which requests are for native.
    ///   - answers: the form of answers, unless `--no-envelope` is given.
    ///   - unhandled: what to do with a call that has no handler and no mock.
    ///   - presenter: asks the user questions that `--choose` does not answer; nil for the terminal, if there is one.
    ///   - standardHandlers: whether to register the command's handlers (`/alert`, `/echo`, `/storage` …) at paths that
    ///     you do not register.
    ///   - register: registers your handlers; called before the gateway listens.
    /// - Throws: `CancellationError` if the task was cancelled, after an orderly stop.
    public static func run(
        abstract: String? = nil, version: String? = nil, passThrough: [any Responder] = [],
        middleware: [any Middleware] = [], rules: [any InterceptionRule] = [.jsBridge, .flag()],
        answers: AnswerForm = .envelope, unhandled: Gateway.Unhandled = .answer,
        presenter: (any Presenter)? = nil, standardHandlers: Bool = true,
        _ register: @Sendable (Gateway) async throws -> Void
    ) async throws {
        Command.program = Command.Program(
            name: CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "drawbridge",
            abstract: abstract, version: version ?? Self.version)
        // Else the first sockets would be there, and get what is printed.
        for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 { _ = Glibc.open("/dev/null", O_RDWR) }
        if CommandLine.arguments.dropFirst().first == "init" {
            return try await initialize(standardHandlers: standardHandlers, register)
        }
        let signals = StopSignals()
        let settings = try await settings(isAlone: passThrough.isEmpty)
        // The terminal asks no questions if the log is JSON, because then a program reads it.
        let isAsked = presenter == nil && settings.logFormat == .text
        let terminal = isAsked ? TerminalPresenter.ifThereIsOne() : nil
        do {
            let gateway = Gateway(
                passThrough: try settings.responders(besides: passThrough),
                middleware: middleware, rules: rules,
                answers: settings.options[\.pages.envelope].map { $0 ? .envelope : .bare } ?? answers,
                unhandled: unhandled, access: settings.access,
                presenter: ScriptedPresenter(settings.answers, next: presenter ?? terminal),
                pageRuntime: settings.pageRuntime, testerToken: settings.testerToken, keepsJournal: true)
            settings.options[\.tests.journal].map(gateway.journal.keep)
            try await register(gateway)
            describe(gateway, settings)
            let builtIns = standardHandlers ? try builtIns(for: gateway, settings) : nil
            let replies = try await replies(settings, for: gateway, builtIns)
            let following = Task { await replies.follow() }
            defer { following.cancel() }
            // Deferred, because `serve` throws a CancellationError if the task was cancelled.
            defer { if settings.options[\.tests.unanswered] == .fail { failForUnanswered(gateway) } }
            try await serve(gateway, settings, terminal, signals)
        } catch let error where !(error is CancellationError) {
            fail(error)
        }
        LogWriter.standardError.flush()
        try Task.checkCancellation()
    }

    private static func builtIns(for gateway: Gateway, _ settings: Settings) throws -> BuiltIns {
        let storage = settings.options[\.handlers.storage]
        let store = StorageHandler.Store(path: storage ?? settings.usualStorage)
        // A broken file ends the start only if a flag names it; the default one only fails calls of /storage.
        if storage != nil { _ = try store.values() }
        return BuiltIns(for: gateway, store: store)
    }

    /// The mocks of the settings, which the gateway answers by from now on; warns of what is wrong with the settings.
    private static func replies(
        _ settings: Settings, for gateway: Gateway, _ builtIns: BuiltIns?
    ) async throws -> LiveReplies {
        if case .unread(let why) = settings.found { gateway.logger.warning("\(why)") }
        let replies = LiveReplies(settings, for: gateway, builtIns)
        try await replies.begin()
        gateway.configure { $0.replyKeeper = replies }
        tellOfAnswers(settings, gateway)
        return replies
    }

    private static func describe(_ gateway: Gateway, _ settings: Settings) {
        gateway.configure {
            $0.documents = [
                .manual: { WelcomePage.texts["manual.html"] }, .schema: { Setting.schema.bytes },
            ]
            $0.secrets = settings.secrets
            $0.suggestions = gateway.registered.isEmpty ? [.mock] : [.handler, .mock]
        }
    }

    /// Prints an error in the arguments, or the help, and exits.
    ///
    /// The log writer replaces control characters by question marks, because an argument may have been pasted.
    private static func leave<Wanted: ParsableArguments>(_ type: Wanted.Type, _ error: any Error) -> Never {
        guard Wanted.exitCode(for: error) != .success else { Wanted.exit(withError: error) }
        let lines = Wanted.fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
        LogWriter.standardError.say(lines.map(String.init), within: .seconds(3))
        exit(Wanted.exitCode(for: error).rawValue)
    }

    /// Parses arguments and passes them to `work`; if either throws, or if help is requested, the process exits.
    private static func orLeave<Wanted: ParsableArguments, Result>(
        _ arguments: [String]? = nil, _ work: (Wanted) async throws -> Result
    ) async throws(CancellationError) -> Result {
        let wanted: Wanted
        do { wanted = try Wanted.parse(arguments) } catch { leave(Wanted.self, error) }
        do {
            return try await work(wanted)
        } catch let error as CancellationError {
            throw error
        } catch let error as ValidationError {
            leave(Wanted.self, error)
        } catch {
            fail(error)
        }
    }

    /// Runs `init`: writes a configuration file and does not listen.
    private static func initialize(
        standardHandlers: Bool, _ register: @Sendable (Gateway) async throws -> Void
    ) async throws {
        try await orLeave(Array(CommandLine.arguments.dropFirst(2))) { (command: InitCommand) in
            // The handlers are registered first, because calls with a handler need no mock.
            let gateway = Gateway()
            try await register(gateway)
            let own = gateway.names
            if standardHandlers { try BuiltIns(for: gateway, store: StorageHandler.Store()).follow([]) }
            try command.write(answered: own.union(gateway.program.builtIns))
        }
    }

    /// The settings from arguments, environment and configuration file; exits if they are invalid.
    ///
    /// - Parameter isAlone: whether the program passes no responders of its own.
    private static func settings(isAlone: Bool) async throws -> Settings {
        return try await orLeave { (command: Command) in
            if command.schema {
                print(Setting.schema)
                exit(0)
            }
            var command = command
            try command.takeWords()
            let settings = try Settings(
                command, command.config.map { try ConfigFile(FileText($0), isFound: false) },
                isAlone: isAlone,
                token: command.tokenStdin ? ParentPipe.token() : nil)
            LogWriter.standardError.format = settings.logFormat
            LoggingSystem.bootstrap { _ in
                LineLogHandler(.standardError, level: settings.logLevel, without: settings.secrets)
            }
            return settings
        }
    }

    /// Warns about each `--choose` for an unknown question, if a known one has a similar name.
    private static func tellOfAnswers(_ settings: Settings, _ gateway: Gateway) {
        let asked = gateway.names.union(BuiltIns.questions + settings.replies.layers.questions)
        for name in settings.answers.keys.sorted() where !asked.contains(name) {
            guard let near = Nearest.of(name, among: asked.sorted()) else { continue }
            gateway.logger.warning(
                "--choose \(name): no question has this name; did you mean \(near)?")
        }
    }

    private static func failForUnanswered(_ gateway: Gateway) {
        let unanswered = gateway.journal.unanswered
        guard !unanswered.isEmpty else { return }
        let names = unanswered.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
        complain(
            "nobody answered \(names.joined(separator: ", ")); mock each of them, or answer questions with --choose"
        )
        LogWriter.standardError.flush()
        exit(3)
    }

    /// Listens on the given port, or without one on the first free port of twenty, beginning at the default.
    private static func listen(_ gateway: Gateway, _ settings: Settings) throws -> GatewayServer {
        var configuration = settings.server
        let last = configuration.port + (settings.options[\.serving.port] == nil ? 19 : 0)
        while true {
            do {
                return try GatewayServer(gateway, configuration)
            } catch let error as ListenError {
                guard let holder = error.holder, configuration.port < last else { throw error }
                gateway.logger.notice("\(holder) has port \(configuration.port); trying the next")
                configuration.port += 1
            }
        }
    }

    private static func fail(_ error: any Error) -> Never {
        // The log has that one already.
        if error is HandlersLeftBehindError { LogWriter.standardError.flush() } else { complain("\(error)") }
        exit(1)
    }

    private static func inspector(of gateway: Gateway, _ settings: Settings) throws -> Inspector? {
        guard settings.options[\.inspector.inspector] != false else { return nil }
        let isForAll = ServerAddress(host: settings.server.host, port: 0).isWildcard
        return try Inspector(
            of: gateway, port: settings.options[\.inspector.inspectorPort] ?? 0,
            url: settings.options[\.inspector.inspectorUrl].flatMap(WebOrigin.of),
            isForAll: settings.access.trust != .thisMachine && isForAll, secret: settings.secret)
    }

    /// Opens the page and the inspector in the browser.
    ///
    /// - Returns: files with secret links, to be removed at the end.
    private static func open(_ banner: Banner, _ inspector: Inspector?, _ logger: Logger) -> [RedirectFile] {
        var opened: [RedirectFile] = []
        do {
            if let file = try banner.openPage() { opened.append(file) }
            if let inspector { opened.append(try RedirectFile.open(inspector.drawLink())) }
        } catch {
            logger.warning("\((error as? HTTPError)?.message ?? "\(error)")")
        }
        return opened
    }

    /// Says why a stop takes time, and exits later: a handler that blocks its loop keeps the server from stopping.
    private static func exitIfHeld(after grace: Duration, _ logger: Logger) {
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) {
            logger.notice("stopping when the calls under way have ended, within \(grace); Ctrl-C stops now")
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + grace / .seconds(1) + 3) {
            complain("a handler blocks its thread, so the process exits without it")
            exit(1)
        }
    }

    private static func drain(
        _ server: GatewayServer, for time: Duration, _ logger: Logger,
        then stop: @escaping @Sendable () -> Void
    ) {
        logger.notice(
            """
            stopping after \(time), or when no connection is left: \(OwnPath.health.path) answers 503, so that a \
            balancer sends requests elsewhere; another signal stops now
            """)
        Task {
            await server.drain(for: time)
            stop()
        }
    }

    private static func serve(
        _ gateway: Gateway, _ settings: Settings, _ terminal: TerminalPresenter?, _ signals: StopSignals
    ) async throws {
        let trustsThisMachine = settings.access.trust == .thisMachine
        let store = settings.store.map { SharedStore(for: gateway, at: $0) }
        let inspector = try inspector(of: gateway, settings)
        let server = try listen(gateway, settings)
        let invitation = Invitation(
            address: server.address, publicURL: settings.server.publicURL,
            trustsThisMachine: trustsThisMachine,
            isForPhones: settings.options[\.access.lan] == true, admissions: gateway.admissions)
        let isOpenToOthers = !server.address.isLoopback || !trustsThisMachine
        if isOpenToOthers { gateway.configure { $0.links = invitation.described } }
        terminal?.takeWords(of: gateway, inspector, isOpenToOthers ? invitation : nil)
        let banner = Banner(
            address: server.address, gateway: gateway, settings: settings,
            inspector: inspector?.drawLink(), takesWords: terminal != nil, invitation: invitation,
            ticket: isOpenToOthers ? gateway.admissions.drawTicket() : nil)
        let serving = Task { try await gateway.serve(by: server) }
        let stop: @Sendable () -> Void = {
            serving.cancel()
            exitIfHeld(after: settings.server.grace, gateway.logger)
        }
        let drain = Duration.seconds(settings.options[\.advanced.drain] ?? 0)
        // Before the banner is printed, because a program that reads that may send a signal immediately.
        signals.serve(
            drain > .zero ? [{ Self.drain(server, for: drain, gateway.logger, then: stop) }, stop] : [stop])
        banner.print()
        SpokenBridges.look(in: settings.root, for: gateway)
        let opened = settings.options[\.serving.open] == true ? open(banner, inspector, gateway.logger) : []
        defer { for file in opened { file.remove() } }
        let result = await withTaskCancellationHandler {
            await serving.result
        } onCancel: {
            serving.cancel()
        }
        await inspector?.stop()
        await store?.end()
        try result.get()
    }
}
