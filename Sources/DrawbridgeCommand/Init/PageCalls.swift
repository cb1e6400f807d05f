import Drawbridge

/// What the pages of a folder ask of native, by patterns of a few words each.
///
/// They guess: a wrong name costs one line in the file, and a missed one appears in the log when the page runs.
struct PageCalls {
    struct Place: Comparable, Hashable {
        let file: String
        let line: Int

        static func < (a: Self, b: Self) -> Bool { (a.file, a.line) < (b.file, b.line) }
    }

    /// A call of native that was found.
    struct Call: Hashable {
        let place: Place
        let bridge: String
        let isGuess: Bool
    }

    /// The calls by the names that they have.
    var names: [String: Set<Call>] = [:]
    /// The calls whose names are computed at run time, as they are written there.
    var unread: [Place: String] = [:]
    /// What the page listens for, so that native may call it.
    var listeners: [String: Place] = [:]
    /// The schemes, and whether each is a guess; and the query item of a command URL that has the call's name.
    var schemes: [String: Bool] = [:]
    var commandItem: String?
    /// The names below `messageHandlers`, and whether the page waits for the promise of `postMessage`.
    var handlers: [String: Bool] = [:]
    /// Functions and objects that the app is to put into the page, all of them guesses.
    var functions: Set<String> = []
    var shortcuts: Set<String> = []
    /// Objects of an app for Android, besides `Android`, and channels, all of them guesses, with the first place of each.
    var objects: [String: Place] = [:]
    var channels: [String: Place] = [:]

    let scripts: Scripts
    /// The bridges that are injected by `--bridge`, by the places that use them.
    private(set) var speaking: [Int: BridgeHint] = [:]
    /// The files that ask `http://__jsbridge__` with the name in the body.
    var asking: Set<Int> = []
    /// Objects that get members of computed names.
    var built: Set<String> = []
    /// Plugins of Capacitor's.
    var plugins: Set<String> = []
    /// The functions in the order in which they are followed, each with the place of the call in it.
    private var waiting: [(sink: Sink, from: Int?)] = Sink.bridges.map { ($0, nil) }
    private var followed: Set<Sink> = []
    /// How much was looked at; it is limited, since a generated script may have any number of names.
    var steps = 0
    static let mostSteps = 500_000

    init(_ scripts: Scripts) {
        self.scripts = scripts
        let words = scripts.tokens.indices.filter(scripts.isWord)
        for place in scripts.tokens.indices {
            if let text = scripts.text(place) { readText(text, place) }
        }
        for place in words { readWord(scripts[place], place) }
        for place in words { readObject(scripts[place], place) }
        followAll()
    }

    /// Where scripts use a bridge that is injected by `--bridge`, in the order of the files.
    var spoken: [(place: Place, hint: BridgeHint)] {
        speaking.sorted { $0.key < $1.key }.map { (place($0.key), $0.value) }
    }

    func place(_ place: Int) -> Place {
        Place(file: scripts.paths[scripts.tokens[place].file], line: scripts.tokens[place].line)
    }

    func isDeclared(_ name: String) -> Bool { scripts.owned[name] != nil || scripts.imported.contains(name) }

    /// Whether a bridge's object is meant, which the page does not declare, unless libraries for pages do.
    func isBridge(_ object: String, _ place: Int) -> Bool {
        let isOfPage = ["cordova", "dsBridge", "dsbridge", "KKJSBridge"].contains(object)
        return scripts[place] == object && scripts.receiver(place) == nil
            && (isOfPage || scripts.owned[object] == nil)
    }

    /// Remembers that a script uses this bridge, which pages are given by `--bridge` alone.
    mutating func speak(_ name: String, _ place: Int) {
        if let hint = BridgeHint.named(name) { speaking[place] = hint }
    }

    // MARK: Patterns

    private mutating func readWord(_ word: String, _ place: Int) {
        switch word {
        case "messageHandlers": readMessage(place)
        case "funcName" where scripts[place + 1] == ":" && !["string", "any"].contains(scripts[place + 2]):
            take(scripts.expression(place + 2), Sink("the pull queue"), place)
        case "fetchMessages" where scripts.receiver(place) == nil && !isDeclared(word):
            guard scripts.arguments(place) != nil else { return }
            functions.insert(word)
            take(word, Sink("\(word)()", isGuess: true), place)
        case "_mobile_bridge" where scripts[place + 1] == ":":
            leave(place)
        case "stringify" where asking.contains(scripts.tokens[place].file):
            guard let message = scripts.parts(place + 1).first else { return }
            _ = takes(message, Sink("http://__jsbridge__", keys: ["action"]), place)
        case "registerPlugin" where scripts[scripts.head(place) - 1] == "=":
            addPlugin(scripts.head(place) - 2)
        default:
            guard scripts[place + 1] == "[", let close = scripts.partner(place + 1) else { return }
            if scripts[close + 1] == "=" { built.insert(word) }
        }
    }

    /// `messageHandlers.pay.postMessage(…)`, `messageHandlers[name].postMessage(…)`.
    private mutating func readMessage(_ place: Int) {
        let isNamed = scripts[place + 1] == "."
        guard let close = isNamed ? place + 2 : scripts.partner(place + 1), scripts[close + 1] == ".",
            scripts[close + 2] == "postMessage", let open = scripts.arguments(close + 2)
        else { return }
        let name = isNamed ? scripts[close] : scripts.text(place + 2) ?? ""
        if name == "iOS_Native_InjectJavascript" { speak("WKWebViewJavascriptBridge", place) }
        // The page's half of these bridges is in the page.
        guard BridgeHint.ofMessageHandler(name) == nil else { return }
        if PageOptions.isIdentifier(name) {
            let isAwaited =
                scripts[scripts.head(place) - 1] == "await"
                || scripts[(scripts.partner(open) ?? 0) + 1] == "."
            handlers[name] = handlers[name] ?? false || isAwaited
        }
        if name == "JSBridge", let message = scripts.parts(open).first {
            take(message, Sink("messageHandlers.\(name)", keys: ["action"]), place)
        } else if isNamed {
            take(name, Sink("messageHandlers.\(name)"), place)
        } else {
            take(place + 2..<close, Sink("messageHandlers."), place)
        }
    }

    // MARK: Functions

    /// Looks for the calls of each function in all files; one that passes a name on is followed then.
    private mutating func followAll() {
        var next = 0
        while next < waiting.count {
            let (sink, from) = waiting[next]
            next += 1
            var isCalled = false
            for place in scripts.places[sink.name] ?? [] where place != from && steps < Self.mostSteps {
                steps += 1
                if fits(sink, place) { isCalled = follow(sink, place) || isCalled }
            }
            if let from, !isCalled { leave(from) }
        }
    }

    mutating func wait(_ sink: Sink, from place: Int) {
        // Of functions of one file with the same name, one is enough.
        var one = sink
        one.place = sink.place.map { scripts.tokens[$0].file }
        if followed.insert(one).inserted { waiting.append((sink, place)) }
    }

    mutating func leave(_ place: Int) {
        guard unread.count < 10_000, unread[self.place(place)] == nil else { return }
        let isOfBridge = BridgeHint.named(scripts[place - 2]) != nil
        unread[self.place(place)] = scripts.shown(isOfBridge ? place - 2 : place)
    }

    /// Whether the word at a place probably means this function.
    private func fits(_ sink: Sink, _ place: Int) -> Bool {
        let (file, receiver) = (scripts.tokens[place].file, scripts.receiver(place))
        let isOwn = scripts.owned[sink.name]?.contains(file) ?? false
        guard let function = sink.place else {
            if !sink.object.isEmpty { return scripts[place - 1] == "." && isBridge(sink.object, place - 2) }
            if sink.name == "callNative" { return receiver == nil && !isDeclared(sink.name) }
            return receiver.map { BridgeHint.named($0) == nil } ?? !isOwn
        }
        if file == scripts.tokens[function].file { return true }
        // In another file, a name that is a bridge's means the bridge.
        if ["callHandler", "registerHandler"].contains(sink.name) { return false }
        guard let receiver else { return !isOwn }
        return scripts.isMember(function, of: receiver) || Self.isOfApp(receiver)
            || !Self.common.contains(sink.name)
    }

    /// Takes the name of a call, or another name of the function; says whether there is one.
    private mutating func follow(_ sink: Sink, _ place: Int) -> Bool {
        var sink = sink
        let file = scripts.tokens[place].file
        sink.isGuess = sink.isGuess || sink.place.map { scripts.tokens[$0].file != file } ?? false
        guard let open = scripts.arguments(place) else {
            guard let alias = scripts.alias(place) else { return false }
            speak(sink.object, place)
            (sink.name, sink.object, sink.place) = (scripts[alias], "", alias)
            wait(sink, from: place)
            return true
        }
        speak(sink.object, place)
        let parts = scripts.parts(open)
        guard let index = sink.index else {
            if let name = parts.first.flatMap({ scripts.text($0.lowerBound) }) {
                listeners[name] = min(listeners[name] ?? self.place(place), self.place(place))
            }
            return true
        }
        guard index < parts.count else { return false }
        if let owner = sink.ownerIndex {
            guard let text = scripts.text(parts[owner].lowerBound) else { leave(place); return true }
            (sink.owner, sink.ownerIndex) = (text, nil)
        }
        if sink.bridge == "callNative()" { functions.insert("callNative") }
        take(parts[index], sink, place)
        return true
    }

    /// Takes the names that an expression may be, or says that only a run tells.
    mutating func take(_ range: Range<Int>, _ sink: Sink, _ place: Int) {
        if !takes(range, sink, place) { leave(place) }
    }

    mutating func take(_ name: String, _ sink: Sink, _ place: Int) {
        if !found(name, sink, place) { leave(place) }
    }

    /// Notes a call with a text for its name; gives false where the text cannot be one.
    mutating func found(_ text: String, _ sink: Sink, _ place: Int) -> Bool {
        var (path, bridge) = (sink.owner.isEmpty ? text : "\(sink.owner)/\(text)", sink.bridge)
        if bridge == "messageHandlers." {
            bridge += text
            if PageOptions.isIdentifier(text) { handlers[text] = handlers[text] ?? false }
        }
        // Calls of the bridges' own, which need no mock.
        let isListener = bridge == "Capacitor" && (text.hasSuffix("Listener") || text.hasSuffix("Listeners"))
        guard text != "handleH5Response", !text.hasPrefix("_dsb."), !isListener else { return true }
        if bridge.lowercased().hasSuffix("dsbridge"), let dot = text.lastIndex(of: ".") {
            path = "\(text[..<dot])/\(text[text.index(after: dot)...])"
        }
        guard let name = Self.replyName(path) else { return false }
        names[name, default: []].insert(Call(place: self.place(place), bridge: bridge, isGuess: sink.isGuess))
        return true
    }

    /// Names that methods of all kinds of objects have.
    private static let common: Set = [
        "add", "call", "emit", "exec", "get", "invoke", "load", "log", "on", "open", "post", "push", "put",
        "request", "run", "send", "set", "show",
    ]

    /// The name under which a mock is written; nil where the text cannot be one.
    static func replyName(_ text: String) -> String? {
        let parts = text.split(separator: "/")
        let name = parts.joined(separator: "/")
        let isPlain = name.allSatisfy { $0.isLetter || ("0"..."9").contains($0) || "_-./$".contains($0) }
        let isPath = !name.isEmpty && name.utf8.count <= 100 && !parts.contains(".") && !parts.contains("..")
        return isPlain && isPath && !name.hasPrefix("$") ? name : nil
    }
}
