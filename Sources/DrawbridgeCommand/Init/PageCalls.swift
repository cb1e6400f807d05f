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

    typealias Value = Scripts.Value

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
    var spoken: [(place: Place, hint: BridgeHint)] = []
    /// The bridges that each file uses, schemes among them.
    var ways: [Int: Set<NativeBridge>] = [:]
    /// The files that ask `http://__jsbridge__` with the name in the body.
    var asking: Set<Int> = []
    /// The files that import anything of Capacitor's.
    var capacitor: Set<Int> = []

    let scripts: Scripts
    /// The bridges whose JavaScript half is in one of the files.
    var halves: Set<String> = []
    /// Calls of objects of no known bridge, and the objects to which a page assigns members under computed names.
    var unknown: [(place: Int, object: String, method: Value, shown: String?)] = []
    var built: Set<String> = []
    /// Words that a pattern has taken, aliases that were followed, and files where `callHandler` is another bridge's.
    var isRead: Set<Int> = []
    var named: Set<Scripts.Function> = []
    var aliased: Set<Int> = []
    var followed: Set<Step> = []
    var waiting: [(step: Step, place: Int, shown: String?)] = []
    var declared: [Int: [String: (itself: Bool, imported: Bool)]] = [:]
    var constants: [Int: [Value: (value: Value, isGuess: Bool)?]] = [:]
    /// How many calls of wrappers were looked at; it is limited, since a generated script may have any number.
    var lookedAt = 0

    /// A wrapper that passes a name on, and the pattern by which its calls are read.
    struct Step: Hashable {
        let function: Scripts.Function
        let rule: Rule
    }

    init(_ scripts: Scripts) {
        self.scripts = scripts
        for (place, token) in scripts.tokens.enumerated() {
            if token.kind == .word {
                readWord(token.string, place)
            } else if token.kind == .text {
                readText(place)
            }
        }
        for place in scripts.places["stringify"] ?? [] where asking.contains(scripts.file(place)) {
            guard let part = scripts.parts(place + 1, most: 1).first,
                scripts.value(part).member("action") != .unknown
            else { continue }
            take(scripts.value(part), Rule(.request, keys: ["action"]), place)
        }
        readUnknown()
        while let (step, place, shown) = waiting.popLast() { follow(step, place, shown) }
        if !unread.isEmpty { readBuilt() }
        spoken.sort { $0.place < $1.place }
    }

    func place(_ place: Int) -> Place {
        Place(file: scripts.files[scripts.file(place)].path, line: scripts.tokens[place].line)
    }

    // MARK: Patterns

    mutating func readWord(_ word: String, _ place: Int) {
        let isGlobal = scripts.isGlobal(place)
        let hint = BridgeHint.named(word)
        if let hint {
            let isOwn = declares(word).itself
            // A page that declares the object itself, and is no bridge's JavaScript half, needs no mocks for it.
            guard isGlobal, !isOwn || halves.contains(hint.bridge) else {
                return isRead.formUnion([place + 2])
            }
            if !isOwn, scripts.speaks(hint, place) { spoken.append((self.place(place), hint)) }
        }
        switch word {
        case "callHandler":
            if !scripts.isMark(".", place - 1), aliased.contains(scripts.file(place)) { return }
        case "messageHandlers":
            if scripts.word(place - 2) != "webkit", declares(word, in: scripts.file(place)).itself { return }
            if let alias = scripts.alias(place), named.insert(alias).inserted {
                for other in scripts.places[alias.name] ?? []
                where scripts.file(other) == alias.file && other > place {
                    read(Rule.all[word] ?? [], other)
                }
            }
        case "callNative", "fetchMessages":
            guard isGlobal, scripts.isCall(place), declares(word) == (false, false) else { return }
            functions.insert(word)
            if word == "fetchMessages" {
                take(.text(word), Rule(.function(word), isGuess: true), place)
            }
        case "_mobile_bridge" where scripts.isMark(":", place + 1):
            var open = place
            for _ in 0..<4 where open >= 0 && !scripts.isMark("(", open) {
                open = scripts.tokens[open].around
            }
            let asked =
                open > 0 ? scripts.parts(open, most: 1).first.map { scripts.value($0) } ?? .unknown : .unknown
            let url = asked.member("url")
            take(url == .unknown ? asked : url, Rule(.flagged), place, "_mobile_bridge: …")
        case "registerPlugin", "Plugins", "import": readPlugins(word, place)
        case "funcName": if ["string", "any"].contains(scripts.word(place + 2)) { return }
        default: break
        }
        if let rules = Rule.all[word], !isRead.contains(place) { read(rules, place) }
        let isWindows = scripts.word(place - 2) == "window" && Self.isOfApp(word)
        if hint == nil, word.first?.isUppercase == true && isGlobal || isWindows { readObject(word, place) }
    }

    /// Takes the call at a place by the first pattern that matches.
    mutating func read(_ rules: [Rule], _ place: Int) {
        for rule in rules {
            guard let match = scripts.match(rule.rest, place + 1) else { continue }
            if rule.isHalf, case .outside(let name) = rule.bridge { speak(name, place) }
            isRead.insert(place + 2)
            switch match {
            case .function(let at, let rest):
                guard let alias = scripts.alias(at) else { continue }
                if alias.name == "callHandler", rule.bridge != .webViewJavascriptBridge {
                    aliased.insert(alias.file)
                }
                var rule = rule
                rule.rest = Array(rest)
                wait(Step(function: alias, rule: rule), place, alias.name)
            case .whole(_, _, let event?, _): listen(event, place)
            case .whole(let name?, let owner, _, let end):
                var rule = rule
                rule.owner = owner ?? rule.owner
                if case .message = rule.bridge { hear(&rule, name, place, end) }
                // In the bridge's own half, a name that is passed on, or an answer to native, is no call.
                if rule.isHalf, case .given = rule.owner { return }
                if name.member("action") == .text("handleH5Response") { return }
                take(name, rule, place, scripts.shown(place, to: end))
            case .whole:
                if case .message(let name) = rule.bridge, !rule.isHalf {
                    handlers[name] = handlers[name] ?? false
                }
            }
            return
        }
    }

    /// Remembers a name below `messageHandlers`, and whether the page waits for its promise.
    mutating func hear(_ rule: inout Rule, _ name: Value, _ place: Int, _ end: Int) {
        if case .text(let text) = name, rule.bridge == .message("") { rule.bridge = .message(text) }
        // Capacitor's half finds out by this handler whether it is on iOS.
        if rule.bridge == .message("bridge"), scripts.places["Capacitor"] != nil {
            rule.bridge = .outside("Capacitor")
        }
        guard case .message(let handler) = rule.bridge, PageOptions.isIdentifier(handler) else { return }
        var first = place
        for _ in 0..<4 where scripts.isMark(".", first - 1) { first -= 2 }
        let open = scripts.isMark("(", end - 1) ? end - 1 : scripts.tokens[max(0, end - 1)].around
        let isAwaited =
            scripts.word(first - 1) == "await"
            || scripts.partner(open).map { scripts.isMark(".", $0 + 1) } ?? false
        handlers[handler] = handlers[handler] ?? false || isAwaited && !rule.isGuess
    }

    /// Remembers that the page has the JavaScript half of this bridge.
    mutating func speak(_ name: String, _ place: Int) {
        guard let hint = BridgeHint.named(name) else { return }
        halves.insert(hint.bridge)
        spoken.append((self.place(place), hint))
    }
}
