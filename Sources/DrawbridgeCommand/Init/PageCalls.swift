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
        let bridge: NativeBridge
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
    /// Where scripts use a bridge that is injected by `--bridge`, in the order of the files.
    private(set) var spoken: [(place: Place, hint: BridgeHint)] = []
    /// The bridges that each file uses, schemes among them.
    var ways: [Int: Set<NativeBridge>] = [:]

    let scripts: Scripts
    /// Calls of objects of no known bridge, and the objects to which a page assigns members under computed names.
    var objectCalls: [String: [(place: Int, name: Range<Int>?)]] = [:]
    var built: Set<String> = []
    /// The variables that hold plugins of Capacitor's.
    var plugins: [String: (plugin: String, file: Int)] = [:]
    private var speaking: [(place: Int, hint: BridgeHint)] = []
    /// The bridges whose JavaScript half is in one of the files.
    var halves: Set<String> = []
    /// The files that ask `http://__jsbridge__` with the name in the body, and those that import anything of Capacitor's.
    var (asking, capacitor) = (Set<Int>(), Set<Int>())
    /// The functions in the order in which they are followed, each with the place of the call in it.
    private var waiting: [(sink: Sink, from: Int?)] = Sink.bridges.map { ($0, nil) }
    private(set) var followed: Set<Sink> = []
    /// How much was looked at; it is limited, since a generated script may have any number of names.
    var steps = 0
    static let mostSteps = 1_000_000

    init(_ scripts: Scripts) {
        self.scripts = scripts
        for place in scripts.tokens.indices {
            if let text = scripts.text(place) { readText(text, place) }
        }
        for place in scripts.tokens.indices where scripts.isWord(place) { readWord(scripts[place], place) }
        followAll()
        readObjects()
        followAll()
        spoken = speaking.sorted { $0.place < $1.place }.map { (self.place($0.place), $0.hint) }
    }

    func place(_ place: Int) -> Place {
        Place(file: scripts.files[scripts.file(place)].path, line: scripts.tokens[place].line)
    }

    /// Whether a global name is meant that no script declares.
    private func isUndeclared(_ place: Int) -> Bool {
        let name = scripts[place]
        return scripts.receiver(place) == nil && scripts.owned[name] == nil && scripts.imported[name] == nil
    }

    /// Whether a bridge's object is meant, which the page does not declare, unless it is the bridge's JavaScript half.
    func isBridge(_ object: String, _ place: Int) -> Bool {
        let isHalf = BridgeHint.named(object).map { halves.contains($0.bridge) } ?? false
        return scripts[place] == object && scripts.receiver(place) == nil
            && (scripts.owned[object] == nil || isHalf)
    }

    /// Remembers that a script uses this bridge, which pages are given by `--bridge` alone.
    mutating func speak(_ name: String, _ place: Int, isHalf: Bool = false) {
        guard let hint = BridgeHint.named(name) else { return }
        speaking.append((place, hint))
        if isHalf { halves.insert(hint.bridge) }
    }

    // MARK: Patterns

    private mutating func readWord(_ word: String, _ place: Int) {
        let file = scripts.file(place)
        switch word {
        case "messageHandlers": readMessage(place)
        case "funcName" where scripts[place + 1] == ":" && !["string", "any"].contains(scripts[place + 2]):
            take(place + 2..<scripts.end(place + 2), Sink(.other("the pull queue")), place)
        case "fetchMessages" where scripts.arguments(place) != nil && isUndeclared(place):
            functions.insert(word)
            found(word, Sink(.function(word), isGuess: true), place)
        case "_mobile_bridge" where scripts[place + 1] == ":":
            ways[file, default: []].insert(.given("a flagged request"))
            leave(place)
        case "stringify" where asking.contains(file):
            guard let open = scripts.arguments(place), let message = scripts.parts(open).first else { return }
            for value in values(of: message, keys: ["action"]) {
                take(value, Sink(.given("http://__jsbridge__")), place)
            }
        default: readObject(word, place)
        }
    }

    /// `messageHandlers.pay.postMessage(…)`, `messageHandlers[name].postMessage(…)`.
    private mutating func readMessage(_ place: Int) {
        let isNamed = scripts[place + 1] == "."
        let isOwn = scripts.owned["messageHandlers"]?.contains(scripts.file(place)) ?? false
        guard scripts[place - 2] == "webkit" || !isOwn,
            let close = isNamed ? place + 2 : scripts.partner(place + 1), scripts[close + 1] == ".",
            scripts[close + 2] == "postMessage", let open = scripts.arguments(close + 2)
        else { return }
        let name = isNamed ? scripts[close] : scripts.text(place + 2) ?? ""
        if let half = ["cordova": "cordova", "KKJSBridgeMessage": "KKJSBridge"][name] {
            return speak(half, place, isHalf: true)
        }
        if PageOptions.isIdentifier(name) {
            let isAwaited =
                scripts[scripts.start(place) - 1] == "await"
                || scripts[(scripts.partner(open) ?? 0) + 1] == "."
            handlers[name] = handlers[name] ?? false || isAwaited
        }
        if name == "JSBridge", let message = scripts.parts(open).first {
            take(message, Sink(.message(name), keys: ["action"]), place)
        } else if isNamed {
            found(name, Sink(.message(name)), place)
        } else {
            take(place + 2..<close, Sink(.message("")), place)
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
            for place in scripts.places[sink.name] ?? [] where place != from && fits(sink, place) {
                steps += 1
                guard steps < Self.mostSteps else { break }
                isCalled = follow(sink, place) || isCalled
            }
            if let from, !isCalled { leave(from) }
        }
        waiting = []
    }

    private mutating func wait(_ sink: Sink, from place: Int) {
        guard followed.count < 10_000 else { return leave(place) }
        // Of functions of one file with the same name, one is enough.
        var one = sink
        one.place = sink.place.map(scripts.file)
        if followed.insert(one).inserted { waiting.append((sink, place)) }
    }

    mutating func leave(_ place: Int) {
        guard unread.count < 10_000, unread[self.place(place)] == nil else { return }
        let isOfBridge = BridgeHint.named(scripts[place - 2]) != nil
        unread[self.place(place)] = scripts.shown(isOfBridge ? place - 2 : place)
    }

    /// Whether the word at a place probably means this function.
    private func fits(_ sink: Sink, _ place: Int) -> Bool {
        let (file, receiver) = (scripts.file(place), scripts.receiver(place))
        let isOwn = scripts.owned[sink.name]?.contains(file) ?? false
        guard let function = sink.place else {
            if !sink.object.isEmpty { return scripts[place - 1] == "." && isBridge(sink.object, place - 2) }
            if case .function = sink.bridge { return isUndeclared(place) }
            return receiver.map { BridgeHint.named($0) == nil } ?? !isOwn
        }
        let isHere = file == scripts.file(function)
        // In another file, a name that is a bridge's means the bridge.
        guard isHere || !["callHandler", "registerHandler", "callNative"].contains(sink.name) else {
            return false
        }
        guard let receiver else { return isHere || !isOwn }
        return receiver == "this" && isHere || scripts.isMember(function, of: receiver)
            || Self.isOfApp(receiver)
            || !Self.common.contains(sink.name)
    }

    /// Takes the name of a call, or another name of the function; says whether there is one.
    private mutating func follow(_ sink: Sink, _ place: Int) -> Bool {
        var sink = sink
        let function = scripts.arguments(place)
        let alias = function == nil ? scripts.alias(place) : nil
        guard function != nil || alias != nil else { return false }
        speak(sink.object, place)
        sink.isGuess = sink.isGuess || sink.place.map { scripts.file($0) != scripts.file(place) } ?? false
        if let alias {
            (sink.name, sink.object, sink.place) = (scripts[alias], "", alias)
            wait(sink, from: place)
            return true
        }
        let parts = function.map { scripts.parts($0) } ?? []
        guard let index = sink.index else {
            if let name = parts.first.flatMap({ scripts.text($0.lowerBound) }) {
                listeners[name] = min(listeners[name] ?? self.place(place), self.place(place))
            }
            return true
        }
        guard index < parts.count else { return false }
        if let owner = sink.ownerIndex {
            guard case .text(let text, _)? = values(of: parts[owner]).first else { leave(place); return true }
            (sink.owner, sink.ownerIndex) = (text, nil)
        }
        if case .function(let name) = sink.bridge { functions.insert(name) }
        take(parts[index], sink, place)
        return true
    }

    /// Takes what an expression may be for the names of calls.
    mutating func take(_ range: Range<Int>, _ sink: Sink, _ place: Int) {
        let values = values(of: range, keys: sink.keys)
        ways[scripts.file(place), default: []].insert(sink.bridge)
        if values.isEmpty { leave(place) }
        for value in values { take(value, sink, place) }
    }

    private mutating func take(_ value: Value, _ sink: Sink, _ place: Int) {
        var sink = sink
        switch value {
        case .text(let text, let isGuess):
            sink.isGuess = sink.isGuess || isGuess
            found(text, sink, place)
        case .given(let function, let index, let keys):
            (sink.name, sink.object, sink.place, sink.index, sink.keys) = (
                scripts[function], "", function, index, keys
            )
            wait(sink, from: place)
        }
    }

    mutating func found(_ text: String, _ sink: Sink, _ place: Int) {
        var (path, bridge) = (sink.owner.isEmpty ? text : "\(sink.owner)/\(text)", sink.bridge)
        if bridge == .message("") { bridge = .message(text) }
        ways[scripts.file(place), default: []].insert(bridge)
        // Calls of the bridges' own, which need no mock.
        guard text != "handleH5Response", !text.hasPrefix("_dsb.") else { return }
        if case .outside(let object) = bridge {
            if object == "Capacitor", text.hasSuffix("Listener") || text.hasSuffix("Listeners") { return }
            if object.lowercased().hasSuffix("dsbridge"), let dot = text.lastIndex(of: ".") {
                path = "\(text[..<dot])/\(text[text.index(after: dot)...])"
            }
        }
        if case .message(let handler) = bridge, PageOptions.isIdentifier(handler) {
            handlers[handler] = handlers[handler] ?? false
        }
        guard let name = Self.replyName(path) else { return leave(place) }
        names[name, default: []].insert(Call(place: self.place(place), bridge: bridge, isGuess: sink.isGuess))
    }

    /// Names that methods of all kinds of objects have.
    private static let common: Set = [
        "add", "apply", "call", "close", "emit", "exec", "fire", "get", "handle", "invoke", "load", "log",
        "on", "open", "post", "push", "put", "request", "run", "send", "set", "show", "start", "then",
        "trigger",
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
