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
        functions: [String] = [], shortcuts: [String] = [], missing: Missing = .silent,
        isForForeignFrames: Bool = false,
        excluded: [String] = []
    ) {
        self.schemes = schemes.map { $0.lowercased() }
        self.commandItem = commandItem
        self.messageHandlers = messageHandlers + replyHandlers.filter { !messageHandlers.contains($0) }
        self.replyHandlers = replyHandlers
        self.functions = functions
        self.shortcuts = shortcuts
        self.missing = missing
        self.isForForeignFrames = isForForeignFrames
        self.excluded = excluded
    }

    /// Whether an object of the page's has every name that is answered.
    var showsAllNames: Bool {
        !shortcuts.isEmpty || messageHandlers.contains(Self.everyName) || functions.contains(Self.everyName)
    }

    /// The names of calls that pages are given, whoever answers them: not those by which any call is made.
    var givenNames: Set<String> {
        Set(messageHandlers + functions).subtracting([
            Self.everyName, "JSBridge", "callNative", "fetchMessages",
        ])
    }

    static let everyName = "*"

    /// Whether documents at a path get it.
    func isFor(_ path: String) -> Bool {
        guard !excluded.isEmpty, let segments = Target.segments(of: path) else { return true }
        return !excluded.contains { RoutePattern(checking: $0)?.fits(segments) == true }
    }

    /// Whether a text can be one of ``excluded``; those that cannot exclude nothing.
    package static func canExclude(_ path: String) -> Bool { RoutePattern.isPattern(path) }

    /// What the script is told, as a JSON object.
    ///
    /// - Parameter isWanted: native has something to say to every page, so it opens its channel at once.
    func configuration(
        epoch: String, path: String, names: PageNames, session: Session = .usual, isWanted: Bool = false,
        globals: JSON.Object = [:]
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
        if globals.count > 0 { members["globals"] = .object(globals) }
        if isWanted { members["wanted"] = true }
        if isForForeignFrames { members["foreignFrames"] = true }
        if let commandItem { members["commandItem"] = .string(commandItem) }
        return .object(members)
    }
}
