import DrawbridgeJournal
import DrawbridgeMocks

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The configuration of the script that lets pages call native, and of the names that it defines in them.
///
/// Most pages reveal by themselves which bridge they use. What they do not reveal is configured here.
///
/// ```swift
/// let gateway = Gateway(
///     passThrough: [.staticFiles("public")],
///     pageRuntime: PageRuntime(schemes: ["mizhua"], functions: ["callNative"], shortcuts: ["MyApp"]))
/// ```
public final class PageRuntime: Sendable {
    /// What a callback without an error parameter gets if there is no handler for its call.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Missing: Sendable {
        /// The callback is never called, as in apps; the log and the console report it.
        case silent
        /// The callback gets `{"code":400,"message":"No response"}`.
        case answer
    }

    /// Who answers a page that is opened in the app itself.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum InApp: String, Sendable, CaseIterable {
        /// The app's own bridges, wherever there are any; handlers and mocks answer what the app has not.
        case app
        /// Handlers and mocks, as in a browser; they replace the app's bridges.
        case mocks
    }

    package let schemes: [String]
    package let commandItem: String?
    /// Nil for `JSBridge` alone, which nobody has asked for: an app with other handlers does without it.
    private let saidHandlers: [String]?
    package let replyHandlers: [String]
    package let functions: [String]
    package let shortcuts: [String]
    package let bridges: [BridgeScript]
    package let appName: AppName?
    package let missing: Missing
    package let inApp: InApp
    package let asking: Question.Asking
    package let isForForeignFrames: Bool
    package let pageIDItem: String
    package let excluded: [String]

    /// Makes a configuration; the defaults suit most pages.
    ///
    /// - Parameters:
    ///   - schemes: the app's URL schemes, with which pages signal and send commands: `mizhua` for
    ///     `mizhua://fetch_message` (contract, section 3).
    ///   - commandItem: the query item that names the call in a command URL, if present: `action` in
    ///     `app://host?action=home`.
    ///   - messageHandlers: the names below `window.webkit.messageHandlers` (contract, section 5); `*` stands for all
    ///     names with a handler or a reply. Nil for `JSBridge` where the page's web view has no handlers of its own.
    ///   - replyHandlers: those of them whose `postMessage` returns a promise of the answer.
    ///   - functions: global functions that return the answer synchronously (contract, section 6); `*` stands for all
    ///     names with a handler or a reply, except names that the browser defines.
    ///   - shortcuts: objects with a function for every handler and reply: `MyApp.share(data, callback)` (contract,
    ///     section 7).
    ///   - bridges: bridges in addition to the built-in ones, in the order in which they are set up; their names must
    ///     differ.
    ///   - userAgent: the `User-Agent` that pages and upstreams see: `{{userAgent}} ShopApp/3.2`. `{{userAgent}}` stands
    ///     for the browser's, which is kept if this is nil, or not printable ASCII, or has another template.
    ///   - missing: what a callback without an error parameter gets if there is no handler for its call.
    ///   - inApp: who answers a page that is opened in the app itself (<doc:InYourApp>).
    ///   - asking: where questions are shown over the page whose call asks (<doc:AskingAPerson>).
    ///   - isForForeignFrames: whether pages can call native inside a page of another site too.
    ///   - pageIDItem: the query item of a page's address that has its id, for handlers that only pages with that id have:
    ///     `7` in `/shop?pageId=7`.
    ///   - excluded: paths whose documents are not changed: exact, with parameters, or with a wildcard at the end.
    public init(
        schemes: [String] = [], commandItem: String? = nil, messageHandlers: [String]? = nil,
        replyHandlers: [String] = [],
        functions: [String] = [], shortcuts: [String] = [], bridges: [BridgeScript] = [],
        userAgent: String? = nil, missing: Missing = .silent, inApp: InApp = .app,
        asking: Question.Asking = .auto, isForForeignFrames: Bool = false,
        pageIDItem: String = "pageId", excluded: [String] = []
    ) {
        self.schemes = schemes.map { $0.lowercased() }
        self.commandItem = commandItem
        let given = messageHandlers ?? (replyHandlers.isEmpty ? nil : ["JSBridge"])
        saidHandlers = given.map { given in given + replyHandlers.filter { !given.contains($0) } }
        self.replyHandlers = replyHandlers
        self.functions = functions
        self.shortcuts = shortcuts
        self.bridges = bridges
        appName = userAgent.flatMap(AppName.init)
        self.missing = missing
        self.inApp = inApp
        self.asking = asking
        self.isForForeignFrames = isForForeignFrames
        self.pageIDItem = pageIDItem
        self.excluded = excluded
    }

    package static let usual = PageRuntime()

    /// The same, with somebody else who answers in the app.
    package func answered(inApp: InApp) -> PageRuntime {
        PageRuntime(
            schemes: schemes, commandItem: commandItem, messageHandlers: saidHandlers,
            replyHandlers: replyHandlers, functions: functions, shortcuts: shortcuts, bridges: bridges,
            userAgent: appName?.text, missing: missing, inApp: inApp, asking: asking,
            isForForeignFrames: isForForeignFrames, pageIDItem: pageIDItem, excluded: excluded)
    }

    package var messageHandlers: [String] { saidHandlers ?? ["JSBridge"] }

    package func bridges(for settings: PageSettings) -> [BridgeScript] {
        guard let names = settings.bridges else { return bridges }
        return bridges.filter { names.contains($0.name) }
    }

    /// Whether pages have an object that lists every name that is answered.
    package var showsAllNames: Bool {
        !shortcuts.isEmpty || !bridges.isEmpty || messageHandlers.contains(Self.everyName)
            || functions.contains(Self.everyName)
    }

    package static let everyName = "*"

    package func isFor(_ path: String) -> Bool {
        guard !excluded.isEmpty, let segments = Target.segments(of: path) else { return true }
        return !excluded.contains { RoutePattern(checking: $0)?.fits(segments) == true }
    }

    package static func isInWebView(_ request: Request) -> Bool {
        WebView(userAgent: request.headers.value(.userAgent) ?? "") != nil
    }

    /// The configuration of the script, as a JSON object.
    ///
    /// - Parameters:
    ///   - browser: the `User-Agent` of the page's browser.
    ///   - asking: where its session shows questions.
    ///   - isWanted: whether native sends messages to every page, so that pages open their channel at once.
    package func configuration(
        epoch: String, path: String, names: PageNames, browser: String = "", session: Session = .usual,
        asking: Question.Asking = .auto, isWanted: Bool = false,
        hasJournal: Bool = false, settings: PageSettings = PageSettings()
    ) -> JSON {
        func list(_ texts: [String]) -> JSON { .array(texts.map(JSON.string)) }
        var members: JSON.Object = [
            "epoch": .string(epoch), "path": .string(path), "schemes": list(schemes),
            "messageHandlers": saidHandlers.map(list) ?? .null,
            "replyHandlers": list(replyHandlers), "inject": list(functions), "shortcuts": list(shortcuts),
            "missing": missing == .silent ? "silent" : "answer",
        ]
        if inApp != .app { members["inApp"] = .string(inApp.rawValue) }
        if inApp == .app, let view = WebView(userAgent: browser) { members["view"] = .string(view.rawValue) }
        for (key, value) in names.members { members[key] = value }
        if session != .usual { members["session"] = .string(session.name) }
        if asking != .auto || session != .usual { members["ask"] = .bool(asking == .page) }
        if settings.globals.count > 0 { members["globals"] = .object(settings.globals) }
        // An app's own web view has the app's name already.
        if let name = settings.appName ?? appName, name.text(in: browser) != browser || browser.isEmpty {
            members["userAgent"] = .string(name.text)
        }
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

/// The web view of an app, as its `User-Agent` says; by the beginning of the browser's `navigator.vendor`.
enum WebView: String {
    case android = "Google"
    case apple = "Apple"

    /// Browsers, and programs that play one in tests.
    private static let browsers = ["Safari/", "jsdom/", "HappyDOM/"]

    init?(userAgent: String) {
        // For every document that is served: fifty times as fast as `contains`.
        func has(_ part: String) -> Bool { strstr(userAgent, part) != nil }
        if has("; wv)") {
            self = .android
        } else if has("AppleWebKit/"), !Self.browsers.contains(where: has) {
            self = .apple
        } else {
            return nil
        }
    }
}

extension PageRuntime {
    /// The names that stand for one call each.
    package var givenNames: Set<String> { Set(messageHandlers + functions).subtracting(Lack.anyCall) }

    package var givesAllHandlers: Bool { messageHandlers.contains(Self.everyName) }

    /// The names of a setting that are not there by default.
    package func given(_ setting: Lack.Setting) -> [JSON] {
        let names = setting == .inject ? functions : messageHandlers == ["JSBridge"] ? [] : messageHandlers
        return names.map {
            .string(replyHandlers.contains($0) && setting == .messageHandler ? "\($0)=reply" : $0)
        }
    }

    package func gives(_ lack: Lack) -> Bool {
        let name = lack.value.stringValue ?? ""
        return switch lack.setting {
        case .bridge: bridges.contains { $0.gives(lack) }
        case .messageHandler: messageHandlers.contains(name) || givesAllHandlers
        case .inject: functions.contains(name)
        case .scheme: schemes.contains(name)
        }
    }
}
