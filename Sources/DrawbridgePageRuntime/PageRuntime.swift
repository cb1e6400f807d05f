package import DrawbridgeJSON
package import DrawbridgeMessages
package import DrawbridgeMocks

/// What pages are given to reach native: the script that is put into their documents, and the names that it provides.
///
/// Most pages say themselves which bridge they want. What a page cannot say is named here.
///
/// ```swift
/// let gateway = Gateway(
///     passThrough: [.staticFiles("public")],
///     pageRuntime: PageRuntime(schemes: ["mizhua"], functions: ["callNative"], shortcuts: ["MyApp"]))
/// ```
public struct PageRuntime: Sendable, Equatable {
    /// What a plain callback hears where its handler is missing.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Missing: Sendable {
        /// Nothing, as in the apps that such pages were written for; log and console say it.
        case silent
        /// `{"code":400,"message":"No response"}`.
        case answer
    }

    /// Schemes of the app's own, by which pages signal and command: `mizhua` for `mizhua://fetch_message`
    /// (contract, section 3).
    public var schemes: [String]
    /// The item of a command URL that names the call, where it is there: `action` for `app://host?action=home`.
    public var commandItem: String?
    /// The names below `window.webkit.messageHandlers` (contract, section 5); `*` is every name that has a handler or a
    /// reply.
    public var messageHandlers: [String]
    /// Those of them whose `postMessage` returns a promise of the answer.
    public var replyHandlers: [String]
    /// Global functions with a synchronous result (contract, section 6); `*` is every name that has a handler or a reply,
    /// and that is no name of the browser's own.
    public var functions: [String]
    /// Objects with a function for every handler of the page's: `MyApp.share(data, callback)` (contract, section 7).
    public var shortcuts: [String]
    /// Bridges besides those that pages have already, in the order in which they are set up; no two have one name.
    public var bridges: [BridgeScript]
    /// What the browser calls itself, to pages and to what lies behind the gateway: `{{userAgent}} ShopApp/3.2`.
    ///
    /// `{{userAgent}}` is the browser's own name. Nil is that name alone, and so is what ``isUserAgent(_:)`` refuses.
    public var userAgent: String?
    /// What a plain callback hears where its handler is missing.
    public var missing: Missing
    /// Whether a page also gets it inside a page of another site; by default it has no native side there.
    public var isForForeignFrames: Bool
    /// Paths whose documents stay as they are: exact, with parameters, or with a wildcard at the end.
    public var excluded: [String]

    /// The runtime as most pages need it.
    public init(
        schemes: [String] = [], commandItem: String? = nil, messageHandlers: [String] = ["JSBridge"],
        replyHandlers: [String] = [],
        functions: [String] = [], shortcuts: [String] = [], bridges: [BridgeScript] = [],
        userAgent: String? = nil, missing: Missing = .silent, isForForeignFrames: Bool = false,
        excluded: [String] = []
    ) {
        self.schemes = schemes.map { $0.lowercased() }
        self.commandItem = commandItem
        self.messageHandlers = messageHandlers + replyHandlers.filter { !messageHandlers.contains($0) }
        self.replyHandlers = replyHandlers
        self.functions = functions
        self.shortcuts = shortcuts
        self.bridges = bridges
        self.userAgent = userAgent
        self.missing = missing
        self.isForForeignFrames = isForForeignFrames
        self.excluded = excluded
    }

    /// Whether a text can be a ``userAgent``: ASCII without control characters, and with no other word in double braces.
    public static func isUserAgent(_ text: String) -> Bool { AppName(text) != nil }

    package var appName: AppName? { userAgent.flatMap(AppName.init) }

    package func bridges(for settings: PageSettings) -> [BridgeScript] {
        guard let names = settings.bridges else { return bridges }
        return bridges.filter { names.contains($0.name) }
    }

    /// Whether some object in pages has every name that is answered.
    package var showsAllNames: Bool {
        !shortcuts.isEmpty || !bridges.isEmpty || messageHandlers.contains(Self.everyName)
            || functions.contains(Self.everyName)
    }

    /// The names that pages are given for a call each, without those through which any call is made.
    package var givenNames: Set<String> {
        Set(messageHandlers + functions).subtracting([
            Self.everyName, "JSBridge", "callNative", "fetchMessages",
        ])
    }

    package static let everyName = "*"

    package func isFor(_ path: String) -> Bool {
        guard !excluded.isEmpty, let segments = Target.segments(of: path) else { return true }
        return !excluded.contains { RoutePattern(checking: $0)?.fits(segments) == true }
    }

    /// Whether a text can be one of ``excluded``; those that cannot exclude nothing.
    package static func canExclude(_ path: String) -> Bool { RoutePattern.isPattern(path) }

    /// The configuration of the script, as a JSON object.
    ///
    /// - Parameter isWanted: native has something to say to every page, so it opens its channel at once.
    package func configuration(
        epoch: String, path: String, names: PageNames, session: Session = .usual, isWanted: Bool = false,
        hasJournal: Bool = false, settings: PageSettings = PageSettings()
    ) -> JSON {
        func list(_ texts: [String]) -> JSON { .array(texts.map(JSON.string)) }
        var members: JSON.Object = [
            "epoch": .string(epoch), "path": .string(path), "schemes": list(schemes),
            "messageHandlers": list(messageHandlers), "replyHandlers": list(replyHandlers),
            "inject": list(functions), "shortcuts": list(shortcuts),
            "missing": missing == .silent ? "silent" : "answer",
        ]
        for (key, value) in names.members { members[key] = value }
        if session != .usual { members["session"] = .string(session.name) }
        if settings.globals.count > 0 { members["globals"] = .object(settings.globals) }
        if let name = settings.appName ?? appName { members["userAgent"] = .string(name.text) }
        if isWanted { members["wanted"] = true }
        if hasJournal { members["journal"] = true }
        if isForForeignFrames { members["foreignFrames"] = true }
        let own = bridges(for: settings)
        if !own.isEmpty {
            members["bridges"] = .array(own.map { ["name": .string($0.name), "options": $0.options] })
        }
        if let commandItem { members["commandItem"] = .string(commandItem) }
        return .object(members)
    }
}
