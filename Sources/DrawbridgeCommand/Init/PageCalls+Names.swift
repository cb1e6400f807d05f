import Drawbridge

// Finds the names of calls, also where wrapper functions pass them on.
extension PageCalls {
    /// Remembers that a file uses a bridge.
    mutating func add(_ bridge: NativeBridge, _ place: Int) {
        let file = scripts.file(place)
        if ways[file]?.contains(bridge) != true { ways[file, default: []].insert(bridge) }
    }

    mutating func take(_ value: Value, _ rule: Rule, _ place: Int, _ shown: String? = nil) {
        add(rule.bridge, place)
        var rule = rule
        switch value {
        case .given(let function, let index, let key):
            rule.rest = ["("] + repeatElement("_ ,".split(separator: " "), count: index).joined() + ["$name"]
            if let key { rule.keys = [key] }
            wait(Step(function: function, rule: rule), place, shown)
        case .list(let values) where !values.isEmpty:
            for value in Set(values) { take(value, rule, place, shown) }
        case .name:
            guard let (text, isGuess) = resolved(value, place), text != value else {
                return leave(place, shown)
            }
            rule.isGuess = rule.isGuess || isGuess
            take(text, rule, place, shown)
        case .object(let members) where !rule.keys.isEmpty:
            let named = rule.keys.lazy.compactMap { members[$0] }.first
            // A message that has no member for its name gets the mock `message`.
            guard let name = named ?? (rule.keys.count > 1 ? .text("message") : nil) else {
                return leave(place, shown)
            }
            rule.keys = []
            take(name, rule, place, shown)
        case .text(let text):
            if !rule.keys.isEmpty {
                guard rule.keys.count > 1, !text.hasPrefix("{") else { return leave(place, shown) }
                return found("message", "", rule, place)
            }
            guard case .text(let owner)? = resolved(rule.owner, place)?.value else {
                return leave(place, shown)
            }
            found(text, owner, rule, place)
        default: leave(place, shown)
        }
    }

    mutating func declares(_ name: String, in file: Int? = nil) -> (itself: Bool, imported: Bool) {
        if let known = declared[file ?? -1]?[name] { return known }
        let found = scripts.declares(name, in: file)
        declared[file ?? -1, default: [:]][name] = found
        return found
    }

    mutating func resolved(_ value: Value, _ place: Int) -> (value: Value, isGuess: Bool)? {
        guard case .name = value else { return (value, false) }
        let file = scripts.file(place)
        if let known = constants[file]?[value] { return known }
        let found = scripts.resolved(value, in: file)
        constants[file, default: [:]][value] = .some(found)
        return found
    }

    mutating func found(_ text: String, _ owner: String, _ rule: Rule, _ place: Int) {
        var path = owner.isEmpty ? text : "\(owner)/\(text)"
        if rule.isDotted {
            // DSBridge's own calls need no mock.
            guard !text.hasPrefix("_dsb.") else { return }
            if let dot = text.lastIndex(of: ".") {
                path = "\(text[..<dot])/\(text[text.index(after: dot)...])"
            }
        }
        if rule.bridge == .outside("Capacitor"), text.hasSuffix("Listener") || text.hasSuffix("Listeners") {
            return
        }
        guard let name = Self.replyName(path) else { return leave(place, "'\(text)'") }
        let bridge = rule.bridge == .message("") ? .message(text) : rule.bridge
        if rule.bridge == .message(""), PageOptions.isIdentifier(text) {
            handlers[text] = handlers[text] ?? false
        }
        names[name, default: []].insert(Call(place: self.place(place), bridge: bridge, isGuess: rule.isGuess))
    }

    mutating func leave(_ place: Int, _ shown: String?) {
        guard unread.count < 10_000 else { return }
        let place = (self.place(place), shown ?? scripts.shown(place, to: place + 2))
        if unread[place.0] == nil { unread[place.0] = place.1 }
    }

    mutating func wait(_ step: Step, _ place: Int, _ shown: String?) {
        guard followed.count < 10_000 else { return leave(place, shown) }
        if followed.insert(step).inserted { waiting.append((step, place, shown)) }
    }

    /// Looks for calls of a wrapper, whose arguments have the names, and for aliases of it.
    mutating func follow(_ step: Step, _ from: Int, _ shown: String?) {
        var isCalled = false
        for place in scripts.places[step.function.name] ?? [] {
            lookedAt += 1
            guard lookedAt < 1_000_000 else { return leave(from, shown) }
            guard place != from, fits(step.function, place) else { continue }
            var rule = step.rule
            rule.isGuess = rule.isGuess || scripts.file(place) != step.function.file
            switch scripts.match(rule.rest, place + 1) {
            case .whole(let name?, let owner, _, _) where scripts.isCall(place) && name != .nothing:
                isCalled = true
                rule.owner = owner ?? rule.owner
                // A name that cannot be read is shown as a call of the wrapper.
                take(name, rule, place, "\(step.function.name)(…)")
            case .function:
                guard let alias = scripts.alias(place), alias != step.function else { continue }
                isCalled = true
                wait(Step(function: alias, rule: rule), place, shown)
            default: break
            }
        }
        if !isCalled { leave(from, shown) }
    }

    /// Whether the word at a place probably means this function.
    mutating func fits(_ function: Scripts.Function, _ place: Int) -> Bool {
        let file = scripts.file(place)
        // In another file, a word that begins a pattern is the bridge's.
        guard file == function.file || Rule.all[function.name] == nil else { return false }
        guard scripts.isMark(".", place - 1), case let receiver = scripts.word(place - 2) ?? "",
            !Scripts.globals.contains(receiver)
        else {
            if file == function.file { return function.owner == nil || !scripts.isCall(place) }
            let declared = declares(function.name, in: file)
            return declared.imported || !declared.itself
        }
        if let owner = function.owner, !owner.isEmpty, receiver.lowercased() == owner.lowercased() {
            return true
        }
        if file == function.file {
            return function.owner == "" || function.owner != nil && receiver == "this"
        }
        return Self.isOfApp(receiver) || !Self.common.contains(function.name)
    }

    /// Names that methods of all kinds of objects have.
    private static let common: Set<String> = [
        "add", "apply", "call", "close", "emit", "exec", "fire", "get", "handle", "invoke", "load", "log",
        "on", "open",
        "post", "push", "put", "request", "run", "send", "set", "show", "start", "then", "trigger",
    ]

    /// The name under which a mock is written; nil where the text cannot be one.
    static func replyName(_ text: String) -> String? {
        let parts = text.split(separator: "/")
        let name = parts.joined(separator: "/")
        guard !name.isEmpty, name.utf8.count <= 100, !name.hasPrefix("$"), !parts.contains("."),
            !parts.contains("..")
        else { return nil }
        let isPlain = name.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || "_-./$".unicodeScalars.contains($0)
        }
        return isPlain ? name : nil
    }
}
