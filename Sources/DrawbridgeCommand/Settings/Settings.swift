import ArgumentParser
import Drawbridge
import DrawbridgeHandlers
import DrawbridgeServer
import Glibc
import Logging
import MicroHTTPD

/// What flags, environment, configuration file and defaults say together.
///
/// A flag beats the environment, which beats the file, which beats the default. A list replaces the other list as a
/// whole, but answers (`--choose`) replace each other by name.
struct Settings {
    let server: ServerConfiguration
    let access: AccessPolicy
    let testerToken: TesterToken
    let root: String?
    /// The upstreams, in the order in which they are asked: after the files of `root`, or before where `asksFilesLast`.
    let behind: [any Responder]
    let asksFilesLast: Bool
    let isSinglePage: Bool
    let isProxy: Bool
    let proxyClients: [String]
    /// The upstreams as they were written.
    let upstreams: [String]
    let pageRuntime: PageRuntime?
    /// The form of answers; nil where no setting chooses it.
    let answerForm: AnswerForm?
    let opensBrowser: Bool
    /// Seconds that running requests get at a stop.
    let grace: Double
    let answers: Answers
    /// Whether `--answer` was used, the former name of `--choose`.
    let saysAnswer: Bool
    let replies: ReplySources
    /// Asks the programs that replies forward to (`$forward`), and opens files that replies send.
    let supplier: OutsideReplies
    /// Files of settings, replies, bridges, answers and keys, which are not served though they are below `root`.
    let hidden: [String]
    /// The paths of bridge scripts.
    let bridgeFiles: [String]
    /// The file that was found and not named, or why it is not read.
    let found: FoundFile.Outcome
    /// Whether the built-in handlers answer; nil where neither a flag nor the file says so.
    let hasBuiltIns: Bool?
    let place: RequestLocationHandler.Place
    /// The file of `--storage`; nil for the usual place.
    let storage: String?
    let verbosity: LogOptions.Verbosity?
    let logFormat: LogFormat
    /// Words of member names whose values are hidden in log and journal, besides the usual ones.
    let redacted: [String]
    /// The inspector's port; nil where there is no inspector.
    let inspectorPort: Int?
    /// Whether programs may write replies into the file.
    let savesForPrograms: Bool
    /// Whether the process ends with code 3 if calls or questions had no answer.
    let failsUnanswered: Bool

    /// The upstream for all paths that no other upstream has.
    static func pageServer(of upstreams: [String]) -> String? {
        upstreams.first { !$0.hasPrefix("/") || $0.hasPrefix("/=") }
    }

    /// - Parameter isAlone: whether the program has no pass-through of its own.
    init(_ flags: Options, _ named: ConfigFile?, isAlone: Bool) throws {
        found = named == nil ? try FoundFile.look(in: flags.serving.root) : .notSought
        var config = named
        if case .file(let text) = found { config = try ConfigFile(found: text) }
        let file = config?.options
        func value<T>(_ path: KeyPath<Options, T?>) -> T? { flags[keyPath: path] ?? file?[keyPath: path] }
        var layers = [flags] + (config.map { [$0.options] } ?? [])
        func list<T>(_ path: KeyPath<Options, [T]>) -> [T] {
            layers.lazy.map { $0[keyPath: path] }.first { !$0.isEmpty } ?? []
        }
        let host =
            flags.access.host ?? Self.environment("DRAWBRIDGE_HOST") ?? file?.access.host
            ?? "127.0.0.1"
        let port = try flags.serving.port ?? Self.environmentPort() ?? file?.serving.port ?? 8080
        grace = value(\.advanced.grace) ?? 3
        verbosity = value(\.log.verbosity)
        logFormat = value(\.log.logFormat) ?? .text
        redacted = PageOptions.names(list(\.log.redact))
        inspectorPort =
            value(\.inspector.inspector) == false ? nil : value(\.inspector.inspectorPort) ?? 0
        savesForPrograms = value(\.inspector.save) ?? false
        failsUnanswered = value(\.tests.unanswered) == .fail
        var limits = value(\.advanced.memoryPerConnection).map { Limits(pool: $0.bytes) } ?? Limits()
        limits.memoryForBodies = value(\.advanced.memoryForBodies)?.bytes
        let isServing = value(\.serving.root) != nil || !list(\.behind.upstream).isEmpty
        server = ServerConfiguration(
            host: host, port: port, tls: try Self.identity(value(\.access.cert), value(\.access.key)),
            limits: limits, grace: .seconds(grace), logsRequests: verbosity != .quiet,
            logged: try value(\.log.log).map(LogOptions.logged)
                ?? LogOptions.usual(logFormat, whereAPageIsServed: isServing),
            logsIDs: verbosity == .verbose)
        let hosts = list(\.access.allowedHosts).flatMap(AccessOptions.hosts)
        access = AccessPolicy(
            // A name in --host is an allowed host. An address need not be listed: it is allowed on every connection
            // that came to it.
            allowedHosts: Set(hosts + (IPAddress(host) == nil ? [host] : [])),
            allowedOrigins: Set(list(\.access.cors)), trustedProxies: Set(list(\.access.trustedProxy)),
            apiIsForOthers: value(\.access.apiForOthers) ?? false)
        testerToken = try Self.environmentToken()
        root = value(\.serving.root)
        isSinglePage = value(\.serving.singlePage) ?? false
        upstreams = list(\.behind.upstream)
        var options = Upstream.Options()
        options.keepsHost = value(\.behind.keepHost) ?? false
        if isSinglePage, root == nil {
            throw ValidationError(
                "--single-page: no folder is served; name one: \(Command.program.name) my-page --single-page")
        }
        if options.keepsHost, upstreams.isEmpty {
            throw ValidationError(
                "--keep-host: there is no upstream; name one: \(Command.program.name) http://127.0.0.1:5173 --keep-host"
            )
        }
        options.tellsCaller = value(\.behind.forwarded) ?? true
        options.rewritesAddresses = value(\.behind.rewrite) ?? true
        options.certificates = try value(\.behind.upstreamCa).map(Self.readable)
        options.isInsecure = value(\.behind.upstreamInsecure) ?? false
        if let seconds = value(\.behind.upstreamTimeout) { options.answerTimeout = .seconds(seconds) }
        // The longest path first, whatever the order in which they were written.
        behind = try upstreams.map { try Upstream($0, options) }.sorted { $0.prefix.count > $1.prefix.count }
        isProxy = value(\.behind.proxy) ?? false
        proxyClients = list(\.behind.proxyClient)
        asksFilesLast = value(\.behind.filesLast) ?? false
        let isWelcoming = root == nil && Self.pageServer(of: upstreams) == nil
        // Only where no page of the user's would get the bridges of the example pages.
        if isWelcoming, isAlone, config == nil, upstreams.isEmpty, !isProxy, access.allowedOrigins.isEmpty {
            layers.append(try WelcomePage.options())
        }
        let handlers = (flags.pages.messageHandler.isEmpty ? file?.pages : flags.pages)?.handlers ?? []
        let bridges = list(\.pages.bridge)
        pageRuntime =
            try value(\.pages.pageRuntime) == false
            ? nil
            : PageRuntime(
                schemes: PageOptions.names(list(\.pages.scheme)), commandItem: value(\.pages.commandItem),
                messageHandlers: handlers.isEmpty ? ["JSBridge"] : handlers.map(\.name),
                replyHandlers: handlers.filter(\.replies).map(\.name),
                functions: PageOptions.names(list(\.pages.inject)),
                shortcuts: PageOptions.names(list(\.pages.shortcuts)),
                bridges: BridgeOption.scripts(bridges), userAgent: value(\.pages.userAgent),
                missing: value(\.pages.answerMissing) == true ? .answer : .silent,
                excluded: PageOptions.names(list(\.pages.plain)))
        answerForm = value(\.pages.envelope).map { $0 ? .envelope : .bare }
        opensBrowser = value(\.serving.open) ?? false
        answers = try Answers((file?.tests.choose ?? []) + flags.tests.answer + flags.tests.choose)
        saysAnswer = !flags.tests.answer.isEmpty || file?.tests.answer.isEmpty == false
        supplier = OutsideReplies(
            origins: Set(list(\.handlers.forwardTo).compactMap { AccessPolicy.origin($0) }))
        replies = try ReplySources(
            flags.handlers.reply, files: flags.handlers.replies, config: config,
            scenario: flags.handlers.scenario,
            isWelcoming: isWelcoming)
        try replies.check(by: supplier)
        let answerFiles = ((file?.tests.choose ?? []) + flags.tests.answer + flags.tests.choose)
            .filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) }
        let named = [value(\.access.key), value(\.handlers.storage)].compactMap(\.self)
        bridgeFiles = bridges.compactMap(\.file)
        hidden =
            replies.files.map(\.text.path) + bridgeFiles + answerFiles + named
            + FoundFile.candidates(in: root)
        hasBuiltIns = value(\.handlers.builtIns)
        place =
            switch value(\.handlers.location) {
            case "denied": .denied
            case "none": .unknown
            case let text: .at(text ?? RequestLocationHandler.greenwich)
            }
        storage = value(\.handlers.storage)
    }

    /// Who answers requests that are not for native, in the order in which they are asked.
    ///
    /// - Throws: an error whose description is one line for the person who starts the program.
    func responders(besides others: [any Responder]) throws -> [any Responder] {
        let proxy: [any Responder] = isProxy ? [try Proxy(clients: proxyClients)] : []
        guard let root else { return proxy + behind + others + [WelcomePage()] }
        let files = try StaticFiles(root: root, hiding: hidden)
        let last: [any Responder] = isSinglePage ? [SinglePage(of: files)] : []
        return proxy + (asksFilesLast ? behind + [files] : [files] + behind) + last + others
    }

    var logLevel: Logger.Level {
        switch verbosity {
        case .quiet: .warning
        case .verbose: .debug
        case nil: .info
        }
    }

    /// Checks that a certificate file can be read, so that the start fails, and not the first request.
    private static func readable(_ path: String) throws -> String {
        guard Glibc.access(path, R_OK) == 0 else {
            throw Failure(
                "cannot read \(path): \(String(cString: strerror(errno))); --upstream-ca takes a file of certificates"
            )
        }
        return path
    }

    private static func identity(_ cert: String?, _ key: String?) throws -> TLSIdentity? {
        switch (cert, key) {
        case (let cert?, let key?): return try TLSIdentity(certificateFile: cert, keyFile: key)
        case (let cert?, nil):
            throw ValidationError("--cert \(cert): https needs the certificate's key too, with --key")
        case (nil, let key?):
            throw ValidationError("--key \(key): https needs the key's certificate too, with --cert")
        case (nil, nil): return nil
        }
    }

    /// The default file of the storage handler, below `$XDG_STATE_HOME`: one for each project.
    ///
    /// All projects that are served at one port have the same origin, and must not read each other's values. Nil where
    /// there is no home folder.
    var usualStorage: String? {
        let folder =
            Self.environment("XDG_STATE_HOME") ?? Self.environment("HOME").map { "\($0)/.local/state" }
        return folder.map { "\($0)/drawbridge/\(Project(root: root, upstreams: upstreams).fileName)" }
    }

    /// The tester's token that the environment chose, or a new one.
    private static func environmentToken() throws -> TesterToken {
        guard let text = environment("DRAWBRIDGE_TOKEN") else { return TesterToken() }
        // Removed from the environment, which every program inherits that the gateway starts.
        unsetenv("DRAWBRIDGE_TOKEN")
        guard let token = TesterToken(text) else {
            throw ValidationError(
                "DRAWBRIDGE_TOKEN: a token has 32 characters or more, of A-Z, a-z, 0-9, _ and -; make one by: openssl rand -hex 32"
            )
        }
        return token
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func environmentPort() throws -> Int? {
        guard let text = environment("PORT") else { return nil }
        guard let port = Int(text), (0...65535).contains(port) else {
            throw ValidationError("PORT=\(text): a port is a number from 0 to 65535")
        }
        return port
    }
}
