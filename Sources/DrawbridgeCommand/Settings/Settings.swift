import ArgumentParser
import DrawbridgeStore
import Glibc
import MicroHTTPD

/// The settings made of flags, environment variables, configuration file and defaults.
struct Settings {
    /// The options that were given; the properties below are those that need more than a look-up.
    let options: LayeredOptions
    let server: ServerConfiguration
    let access: AccessPolicy
    let testerToken: TesterToken
    /// What the gateway's other secrets are made of; nil for random ones.
    let secret: SharedSecret?
    /// Where the sessions of several gateways are kept; nil if this one shares none.
    let store: StoreAddress?
    /// The upstreams in order; they come after the files of `root`, or before with `--files-last`.
    let behind: [any Responder]
    let pageRuntime: PageRuntime?
    let answers: [String: JSON]
    let replies: ReplySources
    /// Calls the programs that mocks forward to (`$forward`), and opens the files that mocks send.
    let supplier: OutsideReplies
    /// Configuration files, mocks, bridge scripts, answers and keys, which are not served even below `root`.
    let hidden: [String]
    /// The configuration file that was found and not given, or why it is ignored.
    let found: FoundFile.Outcome

    var root: String? { options[\.serving.root] }
    var upstreams: [String] { options[\.behind.upstream] }
    var logFormat: LogFormat { options[\.log.logFormat] ?? .text }
    var secrets: Redaction { Redaction(also: options[\.log.redact].names) }

    /// The upstream without a prefix: it gets all paths that no other upstream has.
    static func pageServer(of upstreams: [String]) -> String? {
        upstreams.first { !$0.hasPrefix("/") || $0.hasPrefix("/=") }
    }

    /// - Parameters:
    ///   - isAlone: whether the program passes no responders of its own.
    ///   - token: the tester's token; nil for that of the environment, or a new one.
    init(_ flags: Command, _ named: ConfigFile?, isAlone: Bool, token: TesterToken? = nil) throws {
        found = named == nil ? try FoundFile.look(in: flags.serving.root) : .notSought
        var config = named
        if case .file(let text) = found { config = try ConfigFile(text, isFound: true) }
        // Precedence: flag, environment variable, file, default.
        var flags = flags
        if flags.access.lan != true {
            flags.access.host = flags.access.host ?? Self.environment("DRAWBRIDGE_HOST")
        }
        flags.serving.port = try flags.serving.port ?? Self.environmentPort()
        var options = LayeredOptions(flags: flags, file: config)
        let root = options[\.serving.root]
        let upstreams = options[\.behind.upstream]
        server = try Self.server(options)
        secret = try Self.environmentSecret()
        access = Self.access(options, to: server, secret)
        let usual = try Self.environmentToken()
        testerToken = token ?? usual ?? TesterToken()
        store = try Self.store(options, hasSecrets: secret != nil && (token ?? usual) != nil)
        try Self.refuseIdle(options)
        behind = try Self.upstreams(options)
        let isWelcoming = root == nil && Self.pageServer(of: upstreams) == nil
        // The example pages' bridges are added only if no page of the user would get them.
        if isWelcoming, isAlone, config == nil, upstreams.isEmpty, access.allowedOrigins.isEmpty {
            options.usual = try WelcomePage.options()
        }
        self.options = options
        pageRuntime = try Self.pageRuntime(options)
        let said = options.layers.reversed().flatMap(\.tests.choose)
        answers = try Answers.read(said)
        supplier = OutsideReplies(
            origins: Set(options[\.handlers.forwardTo].compactMap { WebOrigin.of($0) }))
        replies = try ReplySources(
            options[\.handlers.reply], files: options[\.handlers.replies], config: config,
            scenario: options[\.handlers.scenario], isWelcoming: isWelcoming)
        try replies.check(by: supplier)
        let answerFiles = said.filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) }
        let secrets = [options[\.access.key], options[\.handlers.storage]].compactMap(\.self)
        let files = replies.files.map(\.text.path) + options[\.pages.bridge].compactMap(\.file)
        hidden = files + answerFiles + secrets + FoundFile.candidates(in: root)
    }

    private static func server(_ options: LayeredOptions) throws -> ServerConfiguration {
        let verbosity = options[\.log.verbosity]
        let isBare = options[\.serving.root] == nil && options[\.behind.upstream].isEmpty
        var limits = options[\.advanced.memoryPerConnection].map { Limits(pool: $0.bytes) } ?? Limits()
        limits.memoryForBodies = options[\.advanced.memoryForBodies]?.bytes
        return ServerConfiguration(
            host: host(options), port: options[\.serving.port] ?? 8080,
            tls: try identity(options[\.access.cert], options[\.access.key]),
            limits: limits, grace: .seconds(options[\.advanced.grace] ?? 3),
            logsRequests: verbosity != .quiet,
            // In text only native calls, which would be hard to find among a page's files. Programs can filter JSON.
            logged: try options[\.log.log].map(LogOptions.logged)
                ?? (options[\.log.logFormat] == .json
                    ? Set(LoggedRequests.allCases) : isBare ? [.native, .files] : [.native]),
            logsIDs: verbosity == .verbose,
            publicURL: options[\.access.publicUrl].flatMap(WebOrigin.of))
    }

    private static func access(
        _ options: LayeredOptions, to server: ServerConfiguration, _ secret: SharedSecret?
    ) -> AccessPolicy {
        // A host name in --host is allowed. An IP address need not be: it is allowed on connections to it.
        let hosts =
            options[\.access.allowedHosts].names + (IPAddress(server.host) == nil ? [server.host] : [])
        var access = AccessPolicy(
            allowedHosts: Set(hosts), allowedOrigins: Set(options[\.access.cors]),
            token: secret.map { PageToken($0.value(for: "page")) } ?? PageToken(),
            trustedProxies: Set(options[\.access.trustedProxy]),
            apiIsForOthers: options[\.access.apiForOthers] ?? false,
            trustsThisMachine: options[\.access.localTrust] ?? true)
        access.secret = secret
        access.allow(server.publicURL)
        return access
    }

    /// The address to listen on; the layer with the highest precedence that has `--lan` or `--host` decides.
    private static func host(_ options: LayeredOptions) -> String {
        func layer(_ says: (Command) -> Bool) -> Int { options.layers.firstIndex(where: says) ?? .max }
        let isLan =
            options[\.access.lan] == true
            && layer { $0.access.lan != nil } <= layer { $0.access.host != nil }
        return isLan ? "0.0.0.0" : options[\.access.host] ?? "127.0.0.1"
    }

    private static func refuseIdle(_ options: LayeredOptions) throws {
        if options[\.serving.singlePage] == true, options[\.serving.root] == nil {
            throw ValidationError(
                "--single-page: no folder is served; name one: \(Command.program.called) my-page --single-page"
            )
        }
        if options[\.behind.keepHost] == true, options[\.behind.upstream].isEmpty {
            throw ValidationError(
                "--keep-host: there is no upstream; name one: \(Command.program.called) http://127.0.0.1:5173 --keep-host"
            )
        }
    }

    /// The upstreams, longest prefix first, in whatever order they were given.
    private static func upstreams(_ options: LayeredOptions) throws -> [any Responder] {
        var forwarding = Upstream.Options()
        forwarding.keepsHost = options[\.behind.keepHost] ?? false
        forwarding.tellsCaller = options[\.behind.forwarded] ?? true
        forwarding.rewritesAddresses = options[\.behind.rewrite] ?? true
        forwarding.certificates = try options[\.behind.upstreamCa].map {
            try FileText($0, onlyRegular: true).path
        }
        forwarding.isInsecure = options[\.behind.upstreamInsecure] ?? false
        if let seconds = options[\.behind.upstreamTimeout] { forwarding.answerTimeout = .seconds(seconds) }
        return try options[\.behind.upstream].map { try Upstream($0, forwarding) }
            .sorted { $0.prefix.count > $1.prefix.count }
    }

    /// What pages are given after a file was saved.
    ///
    /// - Throws: what ends the start with this file; the settings for which nothing changes are not checked again.
    static func reloaded(_ options: LayeredOptions, needsRestart: Bool) throws -> PageRuntime? {
        if needsRestart {
            _ = (try server(options), try upstreams(options))
            try refuseIdle(options)
            _ = try Answers.read(options.layers.reversed().flatMap(\.tests.choose))
        }
        return try pageRuntime(options)
    }

    /// The settings for what is injected into pages; nil with `--plain '/*'`, which leaves all pages unchanged.
    private static func pageRuntime(_ options: LayeredOptions) throws -> PageRuntime? {
        let plain = options[\.pages.plain].names
        guard !plain.contains("/*") else { return nil }
        let handlers = PageOptions.handlers(options[\.pages.messageHandler])
        return PageRuntime(
            schemes: options[\.pages.scheme].names, commandItem: options[\.pages.commandItem],
            messageHandlers: handlers.isEmpty ? nil : handlers.map(\.name),
            replyHandlers: handlers.filter(\.replies).map(\.name),
            functions: options[\.pages.inject].names, shortcuts: options[\.pages.shortcuts].names,
            bridges: try BridgeOption.scripts(options[\.pages.bridge]), userAgent: options[\.pages.userAgent],
            missing: options[\.pages.answerMissing] == true ? .answer : .silent,
            inApp: options[\.pages.inApp] ?? .app, asking: options[\.pages.ask] ?? .auto, excluded: plain)
    }

    func responders(besides others: [any Responder]) throws -> [any Responder] {
        guard let root else { return behind + others + [WelcomePage()] }
        let files = try StaticFiles(root: root, hiding: hidden)
        let isSinglePage = options[\.serving.singlePage] == true
        let last: [any Responder] = isSinglePage ? [SinglePage(of: files)] : []
        return (options[\.behind.filesLast] == true ? behind + [files] : [files] + behind) + last + others
    }

    var logLevel: Logger.Level {
        switch options[\.log.verbosity] {
        case .quiet: .warning
        case .verbose: .debug
        case nil: .info
        }
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

    /// The default file of the storage handler, below `$XDG_STATE_HOME`; nil if there is no home directory.
    ///
    /// One per project: projects served at one port have the same origin, and must not read each other's values.
    var usualStorage: String? {
        let folder =
            Self.environment("XDG_STATE_HOME") ?? Self.environment("HOME").map { "\($0)/.local/state" }
        return folder.map { "\($0)/drawbridge/\(storageName)" }
    }

    /// A file name like `storage-my-page-1f0c9a7e5d3b2a68.json`, made of the served folder, or else of the upstreams.
    private var storageName: String {
        let (name, identity): (String, String)
        if let root {
            let path = realpath(root, nil).map { path in
                defer { free(path) }
                return String(cString: path)
            }
            identity = path ?? root
            name = identity.split(separator: "/").last.map(String.init) ?? "root"
        } else if let first = upstreams.first {
            identity = upstreams.sorted().joined(separator: " ")
            name = first.firstRange(of: "://").map { String(first[$0.upperBound...]) } ?? first
        } else {
            return "storage.json"
        }
        let plain = name.map { $0.asciiValue?.isAlphanumeric == true ? String($0) : "-" }.joined()
        let digest = SHA256.digest(identity).prefix(8).map { JSON.hexadecimal($0, digits: 2) }.joined()
        return "storage-\(plain.prefix(40))-\(digest).json"
    }

    private static func environmentToken() throws -> TesterToken? {
        guard let text = taken("DRAWBRIDGE_TOKEN"), !text.isEmpty else { return nil }
        return try token(text, by: "DRAWBRIDGE_TOKEN")
    }

    private static func environmentSecret() throws -> SharedSecret? {
        guard let text = taken("DRAWBRIDGE_SECRET") else { return nil }
        if let secret = SharedSecret(text) { return secret }
        throw ValidationError(
            "DRAWBRIDGE_SECRET: a secret has 32 characters or more; make one by: openssl rand -hex 32")
    }

    /// Takes a secret out of the environment, because child processes inherit that, and `/proc/PID/environ` shows it.
    private static func taken(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        defer {
            memset(value, 0, strlen(value))
            unsetenv(name)
        }
        return String(cString: value)
    }

    private static func store(_ options: LayeredOptions, hasSecrets: Bool) throws -> StoreAddress? {
        let (hidden, shown) = (taken("DRAWBRIDGE_STORE"), options[\.advanced.sharedStore])
        guard let text = shown ?? hidden, !text.isEmpty else { return nil }
        let store = StoreAddress(text)
        let problem: String? =
            if store == nil {
                StoreAddress.form
            } else if shown != nil, store?.hasPassword == true {
                "others see arguments and files; give a URL with a password by DRAWBRIDGE_STORE"
            } else if !hasSecrets {
                "all copies need the same secrets; set DRAWBRIDGE_SECRET and DRAWBRIDGE_TOKEN"
            } else {
                options[\.inspector.save] == true ? "--save writes a file of one copy; leave it out" : nil
            }
        if let problem { throw ValidationError("--shared-store: \(problem)") }
        return store
    }

    static func token(_ text: String, by source: String) throws -> TesterToken {
        if let token = TesterToken(text) { return token }
        throw ValidationError(
            "\(source): a token has 32 characters or more, of A-Z, a-z, 0-9, _ and -; make one by: openssl rand -hex 32"
        )
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func environmentPort() throws -> Int? {
        guard let text = environment("PORT") else { return nil }
        if let port = Int(plain: text), ServingOptions.ports.contains(port) { return port }
        throw ValidationError("PORT=\(text): a port is a number from 0 to 65535")
    }
}

/// The options of several layers; an earlier layer has precedence.
///
/// A list replaces a lower layer's list as a whole, except `--choose`, whose answers are merged by name.
struct LayeredOptions {
    let flags: Command
    var file: ConfigFile?
    /// What the example pages need.
    var usual: Command?

    var layers: [Command] { [flags, file?.options, usual].compactMap(\.self) }

    subscript<Value>(option: KeyPath<Command, Value?>) -> Value? {
        layers.lazy.compactMap { $0[keyPath: option] }.first
    }

    subscript<Value>(list: KeyPath<Command, [Value]>) -> [Value] {
        layers.lazy.map { $0[keyPath: list] }.first { !$0.isEmpty } ?? []
    }
}
