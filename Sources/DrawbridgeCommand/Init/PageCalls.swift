/// The native calls in pages and scripts, found in each file by the forms of the shipped bridges.
///
/// It may be wrong: a wrong name costs one line in drawbridge.json, and a missed call is logged when the page makes it.
struct PageCalls {
    enum Kind {
        /// Calls by their names, and calls whose names are computed at run time, by their code.
        case call, computed
        /// Events that the page listens for, so that native can send them.
        case event
        /// Names in `webkit.messageHandlers`; with `=reply` if the page awaits a promise.
        case handler
        case scheme
        /// Global functions that the app defines, and objects of the bridges that `--bridge` gives.
        case function, bridge
    }

    struct Entry {
        let (name, form): (String, CallForm)
        /// Where it is first.
        let (file, path, line): (Int, String, Int)

        /// The comment on the call in drawbridge.json: `app.js:3, by dsBridge`.
        var text: String { "\(path):\(line)" + (form.by.isEmpty ? "" : ", by \(form.by)") }
    }

    private var files = 0
    private var found: [Kind: [String: Entry]] = [:]
    /// The globals that scripts declare, so that they are not the app's.
    private(set) var declared: Set<String> = []

    // Of the file that is read.
    private(set) var script = Script([], path: "")
    private var followed: Set<CallForm> = []
    /// How many more places are looked at: a generated script may have any number.
    private var looks = 0

    private let head =
        #/
        (?<name>[\w$]+)\s*(?:[:=]\s*(?:async\s*)?(?:function\s*[\w$]*\s*)?)?(?:<\w+>)?
        (?:\((?<list>[^()]*)\)\s*(?::[^{}()=;]*)?(?:=>|\{)|(?<one>[\w$]+)\s*=>)
        /#

    mutating func read(_ script: Script) {
        (self.script, followed, looks) = (script, [], 2000)
        for form in CallForm.bridges { _ = read(form) }
        let tauri = [("tauri", "-apps/api/"), ("__TAURI__", ""), ("__TAURI_INTERNALS__", "")]
        if tauri.contains(where: script.has) { _ = read(CallForm.tauri) }
        for (mark, bridge) in CallForm.marks { for word in words(mark) { add(bridge, word, as: .bridge) } }
        for word in words("messageHandlers") { readMessage(word) }
        for word in words("Android") { readMethod(word) }
        for word in words("fetchMessages") where script.after(word, 1) == "(" && !script.isText(word) {
            let form = CallForm("fetchMessages()", isGuess: true, global: "fetchMessages")
            for kind in [Kind.function, .call] { add("fetchMessages", word, form, as: kind) }
        }
        for word in words("funcName") where script.after(word, 1) == ":" {
            take(script.after(word).dropFirst(), CallForm("the pull queue"), word)
        }
        readURLs()
        for name in CallForm.globals where script.declares(name) { declared.insert(name) }
        files += 1
    }

    /// The places of a word, as long as there are looks left.
    mutating func words(_ word: String) -> ArraySlice<Script.Word> {
        let words = script.words[word, default: []].prefix(max(0, looks))
        looks -= words.count
        return words
    }

    /// The finds of one kind, in the order of their lines.
    func all(_ kind: Kind) -> [Entry] {
        found[kind, default: [:]].values.filter { !declared.contains($0.form.global) }
            .sorted { ($0.file, $0.line, $0.name) < ($1.file, $1.line, $1.name) }
    }

    mutating func add(_ name: String, _ word: Script.Word, _ form: CallForm = CallForm(""), as kind: Kind) {
        let entry = Entry(name: name, form: form, file: files, path: script.path, line: word.line)
        // What is certain takes the place of a guess.
        func order(_ entry: Entry) -> (Int, Int, Int) { (entry.form.isGuess ? 1 : 0, entry.file, entry.line) }
        if let known = found[kind]?[name], order(known) <= order(entry) { return }
        found[kind, default: [:]][name] = entry
    }

    /// Adds the value of code as the name of a call, or notes the call.
    mutating func take(_ code: Substring, _ form: CallForm, _ word: Script.Word) {
        if !takes(code, form, word) { leave(word, global: form.global) }
    }

    /// Notes a call whose name is computed at run time, with the beginning of its line's code.
    mutating func leave(_ word: Script.Word, global: String = "") {
        let rest = script.after(word).prefix { !$0.isNewline && $0 != ";" }
        let line = script.path(before: word) + script.text(word.range) + rest
        let shown = line.prefix(60) + (line.count > 60 ? "…" : "")
        add(String(shown), word, CallForm("", global: global), as: .computed)
    }

    /// Reads the calls of a function; returns whether there are any.
    mutating func read(_ form: CallForm) -> Bool {
        guard followed.insert(form).inserted else { return true }
        var isCalled = false
        for word in words(form.word) where !script.isText(word) {
            let (before, after, path) = (script.before(word), script.after(word), script.path(before: word))
            // `flutter_inappwebview.callHandler` is not WebViewJavascriptBridge's, and `my.Android` not the app's.
            let owner = path.split(separator: ".").last.map(String.init) ?? ""
            let isOther = form.word == form.global ? !Self.isGlobal(path) : BridgeHint.named(owner) != nil
            guard !isOther, after.hasPrefix(form.method) else { continue }
            let rest = after.dropFirst(form.method.count)
            guard rest.first.map({ $0.isLetter || $0 == "_" }) != true else { continue }
            if form.levels == 2, BridgeHint.named(form.by) != nil { add(form.by, word, form, as: .bridge) }
            guard let open = rest.prefixMatch(of: /(?:<[^()]*?>)?\(/), !before.hasSuffix("function ") else {
                continue
            }
            if read(form, rest[open.range.upperBound...], word) { isCalled = true }
        }
        return isCalled
    }

    private mutating func read(_ form: CallForm, _ code: Substring, _ word: Script.Word) -> Bool {
        let (parts, rest) = Self.parts(of: code)
        // `ask(name) {` and `ask(name: string): void {` declare a function.
        guard form.index < parts.count, rest.prefixMatch(of: /\s*(?::[^;(){}]*)?\{/) == nil else {
            return false
        }
        var form = form
        if let index = form.ownerIndex {
            guard let owner = parts[index] == "null" ? "" : Self.literal(parts[index]).text else {
                leave(word)
                return true
            }
            (form.owner, form.ownerIndex) = (String(owner), nil)
        }
        if form.word == "callNative" { add(form.word, word, form, as: .function) }
        take(parts[form.index], form, word)
        return true
    }

    /// The page's function around a word that has this parameter, and its index.
    mutating func function(around word: Script.Word, with parameter: Substring) -> (name: String, index: Int)?
    {
        looks -= 10
        guard looks > 0 else { return nil }
        let before = script.before(word, 500)
        for head in before.matches(of: head).reversed() {
            let list = (head.list ?? head.one ?? "").split(separator: ",").map(\.trimmed)
            let words = list.map { $0.split { " :=?".contains($0) }.prefix(2) }
            guard let index = words.firstIndex(where: { $0.contains(parameter) }) else { continue }
            // The word is in the body, if that is not closed before it.
            var depth = head.0.last == "{" ? 1 : 0
            let isOpen = before[head.range.upperBound...].allSatisfy { letter in
                depth += letter == "{" ? 1 : letter == "}" ? -1 : 0
                return depth > 0 || head.0.last == ">" && depth == 0 && letter != ";"
            }
            let isFunction = !["function", "if", "for", "while", "switch", "catch"].contains(head.name)
            if isOpen { return isFunction ? (String(head.name), index) : nil }
        }
        return nil
    }

    static func isGlobal(_ path: Substring) -> Bool {
        ["", ".", "window.", "self.", "globalThis.", "top."].contains(path)
    }
}
