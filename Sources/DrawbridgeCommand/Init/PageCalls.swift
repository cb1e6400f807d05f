/// The native calls in pages and scripts, found in each file by the forms of the shipped bridges.
///
/// It may be wrong: a wrong name costs one line in drawbridge.json, and a missed call is logged when the page makes it.
struct PageCalls {
    enum Kind {
        /// Calls by their names, and calls whose names are computed at run time, by their code.
        case call, computed
        /// Events that the page listens for, so that native can send them.
        case event
        /// Names in `webkit.messageHandlers`, and those whose `postMessage` has to return a promise: it is awaited.
        case handler, awaited
        /// URL schemes of apps, and the query parameter that has the call's name in URLs with such a scheme.
        case scheme, item
        /// Global functions that the app defines.
        case function
        /// The global objects of the bridges that `--bridge` can inject, such as `dsBridge`.
        case bridge
    }

    struct Place: Comparable, Hashable, CustomStringConvertible {
        let (file, line, description): (Int, Int, String)
        static func < (a: Self, b: Self) -> Bool { (a.file, a.line) < (b.file, b.line) }
    }

    struct Entry {
        let name: String
        var form: CallForm
        /// The lines of the calls, by file and line number.
        var places: [Place]

        /// The comment on the call in drawbridge.json: `app.js:3, cart.js:8 and 2 more, by dsBridge`.
        var text: String {
            places.prefix(2).map(\.description).joined(separator: ", ")
                + (places.count > 2 ? " and \(places.count - 2) more" : "")
                + (form.by.isEmpty ? "" : ", by \(form.by)")
        }
        var isGuess: Bool { form.isGuess }
    }

    private(set) var files = 0
    private var found: [Kind: [String: Entry]] = [:]
    /// The names that scripts declare, so that they are not the app's.
    private var declared: Set<String> = []

    // Of the file that is read.
    var script = Script([], path: "")
    /// Whether it requests a URL without a call's name: the name is in the JSON of the request's body.
    var isAsking = false
    /// The string that each member and `const PAY` is given; empty if it is given several.
    var constants: [String: String] = [:]
    /// The page's functions that hand a parameter on, and aliases of a bridge's, with the native call in each;
    /// nil while their calls are read, of which none is followed.
    var wrappers: [UInt64: [CallForm: Script.Item]]? = [:]

    /// How often a parameter was looked for: a generated script may have any number of calls.
    private var lookups = 0

    // Made once for all files.
    private let message =
        /^(?:\s+as\s+\w+\))?(?:\.(?<key>[\w$]+)|\[\s*(?<code>[^\]\n]+)\])\.postMessage\((?<rest>(?s:.*))/
    private let heads =
        #/
        (?<name>[\w$]+)\s*(?:[:=]\s*(?:async\s*)?(?:function\s*[\w$]*\s*)?)?(?:<\w+>)?
        (?:\((?<list>[^()]*)\)\s*(?::[^{}()=;]*)?(?:=>|\{)|(?<one>[\w$]+)\s*=>)
        /#
    let literal =
        /(?:(?<quote>["'`])(?<text>[^\n]*?)\k<quote>|(?<word>[A-Za-z_$][\w$]*(?:\.[\w$]+)*))\s*(?:(?:as|satisfies)\s.*)?/

    mutating func read(_ script: Script) {
        lookups = 0
        (self.script, isAsking, constants, wrappers) = (script, false, [:], [:])
        for place in script.items.indices {
            if script.items[place].isText { readText(place) } else { readWord(place) }
        }
        // A function may be handed on by a second one, and that by a third.
        for level in 1...3 {
            let all = wrappers ?? [:]
            wrappers = level < 3 ? [:] : nil
            let calls = all.values.flatMap(\.values)
            var uncalled = Dictionary(calls.map { ($0.range, $0) }) { first, _ in first }
            for item in script.items where !all.isEmpty && !item.isText {
                for (form, call) in all[item.word, default: [:]] where call.range != item.range {
                    if follow(form, item) { uncalled[call.range] = nil }
                }
            }
            for call in uncalled.values { leave(call) }
        }
        files += 1
    }

    /// The finds of one kind, in the order of the lines where each was found first.
    func all(_ kind: Kind) -> [Entry] {
        found[kind, default: [:]].values.filter { !declared.contains($0.form.global) }.map { entry in
            Entry(name: entry.name, form: entry.form, places: entry.places.sorted())
        }.sorted { ($0.places[0], $0.name) < ($1.places[0], $1.name) }
    }

    mutating func add(
        _ name: String, _ item: Script.Item, _ form: CallForm = CallForm(""), as kind: Kind
    ) {
        let here = Place(file: files, line: item.line, description: "\(script.path):\(item.line)")
        var entry = found[kind]?[name] ?? Entry(name: name, form: form, places: [])
        // What is certain takes the place of a guess.
        if entry.isGuess, !form.isGuess { entry = Entry(name: name, form: form, places: []) }
        if entry.isGuess == form.isGuess, !entry.places.contains(here) { entry.places.append(here) }
        found[kind, default: [:]][name] = entry
    }

    /// Notes a call whose name is computed at run time, with the beginning of its line's code.
    mutating func leave(_ item: Script.Item, global: String = "") {
        let (before, after) = script.around(item)
        let path = before.reversed().prefix { Self.isOfPath($0) }.reversed()
        let code = after.prefix { !$0.isNewline && $0 != ";" }
        let quoted = item.isText ? "'\(script.text(item.range))'" : script.text(item.range)
        let shown = String(item.isText ? [] : Array(path)) + quoted + code
        add(
            shown.prefix(60) + (shown.count > 60 ? "…" : ""), item, CallForm("", global: global),
            as: .computed)
    }

    private static func isOfPath(_ letter: Character) -> Bool {
        letter.isLetter || letter.isNumber || "_$.".contains(letter)
    }

    /// The object before a word's dot: `a` in `a.b`; nil for a global, as in `window.b`; empty in `f().b`.
    private func receiver(_ before: String) -> String? {
        guard before.last == "." else { return nil }
        let name = String(before.dropLast().reversed().prefix { Self.isOfPath($0) && $0 != "." }.reversed())
        return ["window", "self", "globalThis", "top", "exports"].contains(name) ? nil : name
    }

    // MARK: Words

    private static let declaring = Set(
        ["var", "let", "const", "function", "import"].map { Script.hash($0.utf8) })

    private static let words = Dictionary(
        uniqueKeysWithValues: [
            "messageHandlers", "funcName", "_mobile_bridge", "stringify", "fetchMessages", "Android",
        ].map { (Script.hash($0.utf8), $0) })

    func isDeclared(_ place: Int) -> Bool {
        place > 0 && Self.declaring.contains(script.items[place - 1].word)
            && script.items[place - 1].range.upperBound + 1 == script.items[place].range.lowerBound
            && (place < 2 || script.text(script.items[place - 2].range) != "declare")
    }

    private mutating func readWord(_ place: Int) {
        let item = script.items[place]
        if let forms = CallForm.bridges[item.word] {
            let receiver = receiver(script.around(item).before)
            for form in forms where Self.fits(form, receiver) { _ = follow(form, item) }
        }
        var next = item.range.upperBound
        while script[next] == " " { next += 1 }
        let isAssigned = script[next] == "=" && script[next + 1] != "=" && script[next + 1] != ">"
        if isAssigned || isDeclared(place) { declared.insert(script.text(item.range)) }
        guard let word = Self.words[item.word], case let (before, after) = script.around(item) else { return }
        let value = after.drop { $0 == " " }.dropFirst()
        switch word {
        case "messageHandlers": readMessage(item)
        case "funcName" where script[next] == ":": take(value, CallForm("the pull queue"), item)
        case "_mobile_bridge" where script[next] == ":": leave(item)
        case "stringify" where isAsking && value.first == "{":
            _ = takes(value, CallForm("http://__jsbridge__", keys: ["action"]), item)
        case "fetchMessages" where receiver(before) == nil && script[next] == "(":
            let form = CallForm("fetchMessages()", isGuess: true, global: word)
            for kind in [Kind.function, .call] { add(word, item, form, as: kind) }
        case "Android" where receiver(before) == nil:
            guard let method = after.prefixMatch(of: /\.([\w$]+)\(/)?.1 else { return }
            let form = CallForm(word, owner: word, global: word)
            add(word, item, form, as: .bridge)
            _ = takes(String(method), form, item)
        default: break
        }
    }

    /// Adds the calls `messageHandlers.pay.postMessage(…)` and `messageHandlers[name].postMessage(…)`.
    private mutating func readMessage(_ item: Script.Item) {
        let (before, after) = script.around(item)
        guard let match = after.prefixMatch(of: message) else { return }
        let code = match.code ?? ""
        let name = match.key.map(String.init) ?? (value(of: code).text.map(String.init) ?? "")
        if name == "iOS_Native_InjectJavascript" { add("WKWebViewJavascriptBridge", item, as: .bridge) }
        // Posted to by a bridge's library in the page, such as Cordova's: the handler's name is not that of a call.
        guard BridgeHint.ofMessageHandler(name) == nil else { return }
        if Lack.isIdentifier(name) {
            let isAwaited =
                before.contains(/await [\w$.(]*$/)
                || match.rest.prefixMatch(of: /[^;\n]*\)\.(then|catch)/) != nil
            add(name, item, as: isAwaited ? .awaited : .handler)
        }
        if name == "JSBridge" {
            take(match.rest, CallForm("messageHandlers.\(name)", keys: ["action"]), item)
        } else if name.isEmpty {
            take(code, CallForm("messageHandlers."), item)
        } else if !takes(name, CallForm("messageHandlers.\(name)"), item) {
            leave(item)
        }
    }

    // MARK: Functions

    /// Whether a word that has this object before its dot probably means the function of the form.
    private static func fits(_ form: CallForm, _ receiver: String?) -> Bool {
        guard form.object.isEmpty else {
            return receiver == form.object || receiver == "core" && form.object == "__TAURI__"
        }
        return form.global.isEmpty ? receiver.flatMap { BridgeHint.named($0) } == nil : receiver == nil
    }

    /// Adds the name in a call of the function, or notes an alias of the function; returns whether there was either.
    private mutating func follow(_ form: CallForm, _ item: Script.Item) -> Bool {
        var form = form
        let (before, after) = script.around(item)
        if !form.object.isEmpty { add(form.object, item, form, as: .bridge) }
        guard let call = after.prefixMatch(of: /(?:<[^()]*?>)?\(/), !before.hasSuffix("function "),
            !before.hasSuffix("new ")
        else {
            // `var invoke = __TAURI_INTERNALS__.invoke`
            guard !form.object.isEmpty, let name = before.firstMatch(of: /([\w$]+) = [\w$.]*$/)?.1 else {
                return false
            }
            form.object = ""
            wrappers?[Script.hash(name.utf8), default: [:]][form] = item
            return true
        }
        let (parts, rest) = Self.parts(of: after[call.range.upperBound...])
        // `ask(name) {` and `ask(name: string): void {` declare a function.
        guard form.index < parts.count, rest.prefixMatch(of: /\s*(?::[^;(){}]*)?\{/) == nil else {
            return false
        }
        if let owner = form.ownerIndex {
            guard let text = parts[owner] == "null" ? "" : value(of: parts[owner]).text else {
                leave(item); return true
            }
            (form.owner, form.ownerIndex) = (String(text), nil)
        }
        if form.by == "callNative()" { add("callNative", item, form, as: .function) }
        take(parts[form.index], form, item)
        return true
    }

    /// The arguments of a call, or the members of an object, whose bracket is open, and what follows it.
    static func parts(of code: Substring) -> (all: [Substring], rest: Substring) {
        var (parts, start, depth, quote) = ([Substring](), code.startIndex, 0, nil as Character?)
        for place in code.indices {
            let letter = code[place]
            if let open = quote { quote = letter == open ? nil : open; continue }
            if "'\"`".contains(letter) { quote = letter }
            if ",)]}".contains(letter), depth == 0 {
                parts.append(code[start..<place].trimmed)
                start = code.index(after: place)
                if letter != "," { return (parts, code[start...]) }
            }
            depth += "([{".contains(letter) ? 1 : ")]}".contains(letter) ? -1 : 0
        }
        return (parts + [code[start...].trimmed], "")
    }

    /// The page's function around an item that has this parameter, and its index.
    mutating func function(
        _ item: Script.Item, with parameter: Substring
    ) -> (name: Substring, index: Int)? {
        lookups += 1
        guard lookups < 300 else { return nil }
        let before = script.around(item, before: 800, after: 0).before[...]
        for head in before.matches(of: heads).reversed() {
            let list = (head.list ?? head.one ?? "").split(separator: ",").map { $0.trimmed }
            let words = list.map { $0.split { " :=?".contains($0) }.prefix(2) }
            guard let index = words.firstIndex(where: { $0.contains(parameter) }) else { continue }
            // The item is in the body, if that is not closed before it.
            var depth = head.0.last == "{" ? 1 : 0
            let isOpen = before[head.range.upperBound...].allSatisfy { letter in
                depth += letter == "{" ? 1 : letter == "}" ? -1 : 0
                return depth > 0 || head.0.last == ">" && depth == 0 && letter != ";"
            }
            guard isOpen else { continue }
            return ["function", "if", "for", "while", "switch", "catch"].contains(head.name)
                ? nil : (head.name, index)
        }
        return nil
    }
}
