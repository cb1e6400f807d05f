/// Reads from a script what it says about native.
struct FactReader {
    let script: Script
    var facts = ScriptFacts()
    /// Whether `http://__jsbridge__` is asked with the name in the body.
    private var asksByBody = false
    /// The actions of texts that are made of objects, `JSON.stringify({action: …})`, by their lines.
    private var actions: [ScriptFacts.Use] = []

    /// Whether the script has Capacitor's name anywhere.
    private(set) lazy var namesCapacitor = tokens.contains { $0.word == "Capacitor" }

    var tokens: [ScriptToken] { script.tokens }

    /// What a script says.
    ///
    /// - Parameter end: when the reader stops wherever it is; nil for never.
    static func facts(of tokens: [ScriptToken], until end: ContinuousClock.Instant? = nil) -> ScriptFacts {
        var reader = FactReader(script: Script(tokens))
        reader.read(until: end)
        return reader.facts
    }

    private init(script: Script) { self.script = script }

    private mutating func read(until end: ContinuousClock.Instant?) {
        let names = Set(script.functions.compactMap(\.nameAt))
        for function in script.functions where !function.isMember {
            if let name = function.name { facts.defined.insert(name) }
        }
        var read = 0
        for (place, token) in tokens.enumerated() {
            if place.isMultiple(of: 100), let end, ContinuousClock.now >= end { break }
            switch token.kind {
            case .word(let word):
                readDeclaration(word, at: place)
                if !names.contains(place) { readWord(word, at: place) }
            case .text where place >= read:
                guard let phrase = Phrase(script, at: place) else { continue }
                read = phrase.end
                if !readBridgeText(phrase.text, at: place) { readURL(phrase, at: place) }
            default: break
            }
        }
        if asksByBody { facts.uses += actions }
    }

    // MARK: Names

    /// The name that an argument is.
    func name(_ range: Range<Int>) -> ScriptFacts.Name {
        guard let first = range.first else { return .unread }
        if tokens[first].text != nil {
            guard let phrase = Phrase(script, at: first), phrase.end == range.upperBound else {
                return .unread
            }
            return name(phrase.text, phrase.holes, at: first)
        }
        guard let word = tokens[first].word else { return .unread }
        if range.count == 1 { return name(ofWord: word, at: first) }
        guard range.count == 3, tokens.isMark(".", at: first + 1), let member = tokens.word(at: first + 2)
        else {
            return .unread
        }
        return .constant("\(word).\(member)")
    }

    /// The name that a text with holes is: either it has none, or it is nothing else.
    func name(_ text: String, _ holes: [String?], at place: Int) -> ScriptFacts.Name {
        guard text.contains(ScriptToken.hole) else { return text.isEmpty ? .unread : .text(text) }
        guard text == String(ScriptToken.hole), let word = holes.first ?? nil else { return .unread }
        return word.contains(".") ? .constant(word) : name(ofWord: word, at: place)
    }

    private func name(ofWord word: String, at place: Int) -> ScriptFacts.Name {
        guard let (function, index) = script.parameter(word, at: place) else { return .constant(word) }
        guard let name = function.name else { return .unread }
        return .parameter(
            of: .init(name: name, isMember: function.isMember, owner: function.owner), index: index)
    }

    /// The value of a member of an object, whose brace opens at a place.
    func member(_ key: String, at open: Int) -> ScriptFacts.Name? {
        for range in script.parts(open, most: 40) {
            guard let first = range.first, tokens[first].word == key || tokens[first].text == key else {
                continue
            }
            if range.count == 1 { return name(range) }
            if tokens.isMark(":", at: first + 1) { return name(first + 2..<range.upperBound) }
        }
        return nil
    }

    // MARK: Words

    private mutating func readWord(_ word: String, at place: Int) {
        let isCall = tokens.isMark("(", at: place + 1)
        switch word {
        case "callHandler" where isCall && isOfFlutter(place): readBridge(word, at: place)
        case "callHandler" where isCall: use(.webViewJavascriptBridge, firstArgumentOf: place, "callHandler")
        case "registerHandler" where isCall:
            guard let range = script.parts(place + 1).first, case .text(let name) = name(range) else {
                return
            }
            facts.listeners.append(.init(name: name, line: tokens[place].line))
        case "messageHandlers": readMessage(at: place)
        case "funcName" where tokens.isMark(":", at: place + 1): readFunctionName(at: place)
        case "_mobile_bridge" where tokens.isMark(":", at: place + 1):
            facts.uses.append(
                .init(bridge: .flagged, name: .unread, line: tokens[place].line, shown: "_mobile_bridge: …"))
        case "stringify" where isCall:
            guard tokens.isMark("{", at: place + 2), let name = member("action", at: place + 2) else {
                return
            }
            let line = tokens[place].line
            actions.append(.init(bridge: .request, name: name, line: line, shown: "{action: …}"))
        case "callNative" where isCall && isGlobal(place):
            use(.function(word), firstArgumentOf: place, word)
        case "fetchMessages" where isCall && isGlobal(place):
            facts.uses.append(
                .init(
                    bridge: .function(word), name: .text(word), line: tokens[place].line, shown: "",
                    isGuess: true
                ))
        default:
            readBridge(word, at: place)
            readShortcut(word, at: place)
        }
        if isCall { readCall(word, at: place) }
    }

    /// Whether it is no handler of WebViewJavascriptBridge's: `flutter_inappwebview` has a function of the same name.
    private func isOfFlutter(_ place: Int) -> Bool {
        guard tokens.isMark(".", at: place - 1) else { return facts.aliases["callHandler"] != nil }
        return tokens.word(at: place - 2) == "flutter_inappwebview"
    }

    private mutating func use(_ bridge: NativeBridge, firstArgumentOf place: Int, _ shown: String) {
        let range = script.parts(place + 1).first
        let argument = range.map(shownText) ?? ""
        facts.uses.append(
            .init(
                bridge: bridge, name: range.map(name) ?? .unread, line: tokens[place].line,
                shown: "\(shown)(\(argument))"))
    }

    /// A value as it stands there, in short.
    func shownText(_ range: Range<Int>) -> String {
        let words = tokens[range].prefix(5).map { token in
            switch token.kind {
            case .word(let word): word
            case .text(let text): "'\(text.prefix(20))'"
            case .mark(let mark): mark
            case .number, .end: "…"
            }
        }
        return words.joined() + (range.count > 5 ? "…" : "")
    }

    /// Whether a name is that of `window`, and not a member of something else.
    func isGlobal(_ place: Int) -> Bool {
        guard tokens.isMark(".", at: place - 1) else { return true }
        return ["window", "self", "top", "globalThis"].contains(tokens.word(at: place - 2) ?? "")
            && !tokens.isMark(".", at: place - 3)
    }

    /// `funcName: 'pay'`, which no other code says than that of the pull queue.
    private mutating func readFunctionName(at place: Int) {
        let line = tokens[place].line
        var end = place + 2
        while end < tokens.count, end < place + 12 {
            if [.mark(","), .mark("}"), .mark(";"), .mark(")"), .end].contains(tokens[end].kind) { break }
            end += 1
        }
        // Where TypeScript says a type there, no value follows.
        guard place + 2 < end, !["string", "any", "unknown"].contains(tokens[place + 2].word ?? "") else {
            return
        }
        let range = place + 2..<end
        facts.uses.append(
            .init(bridge: .queue, name: name(range), line: line, shown: "funcName: \(shownText(range))"))
    }

    /// `messageHandlers.JSBridge.postMessage({action: 'pay'})`, and other names below `messageHandlers`.
    private mutating func readMessage(at place: Int) {
        var end = place + 3
        let handler: ScriptFacts.Name
        if tokens.isMark(".", at: place + 1), let word = tokens.word(at: place + 2) {
            handler = .text(word)
        } else if tokens.isMark("[", at: place + 1), let close = script.partner(of: place + 1) {
            handler = name(place + 2..<close)
            end = close + 1
        } else {
            return
        }
        let line = tokens[place].line
        let isSent = tokens.isMark(".", at: end) && tokens.word(at: end + 1) == "postMessage"
        guard case .text(let name) = handler else {
            facts.uses.append(
                .init(
                    bridge: .message("…"), name: .unread, line: line,
                    shown: "messageHandlers[\(shownText(place + 2..<end - 1))]"))
            return
        }
        let message = isSent && tokens.isMark("(", at: end + 2) ? end + 2 : nil
        if readHalf(name, at: place, messageAt: message) { return }
        guard isSent, tokens.isMark("(", at: end + 2), let close = script.partner(of: end + 2) else {
            facts.handlers[name] = facts.handlers[name] ?? false
            guard name != "JSBridge" else { return }
            // It is kept for later, or only looked for.
            return facts.uses.append(
                .init(bridge: .message(name), name: .text(name), line: line, shown: "", isGuess: true))
        }
        let replies = isAwaited(place) || tokens.isMark(".", at: close + 1)
        facts.handlers[name] = (facts.handlers[name] ?? false) || replies
        guard name == "JSBridge" else {
            facts.uses.append(.init(bridge: .message(name), name: .text(name), line: line, shown: ""))
            return
        }
        let action = tokens.isMark("{", at: end + 3) ? member("action", at: end + 3) : nil
        // The page answers native by this one.
        guard action != .text("handleH5Response") else { return }
        let shown = "postMessage(\(shownText(end + 3..<close)))"
        facts.uses.append(.init(bridge: .message(name), name: action ?? .unread, line: line, shown: shown))
    }

    private func isAwaited(_ place: Int) -> Bool {
        var place = place
        for _ in 0..<4 where tokens.isMark(".", at: place - 1) && tokens.word(at: place - 2) != nil {
            place -= 2
        }
        return tokens.word(at: place - 1) == "await"
    }

    /// Keeps a call for whoever follows a wrapper.
    private mutating func readCall(_ word: String, at place: Int) {
        let arguments = script.parts(place + 1).map(name)
        guard !arguments.isEmpty else { return }
        let receiver = tokens.isMark(".", at: place - 1) ? tokens.word(at: place - 2) ?? "" : nil
        facts.calls[word, default: []].append(
            .init(receiver: receiver, arguments: arguments, line: tokens[place].line))
    }

    // MARK: URLs

    private mutating func readURL(_ phrase: Phrase, at place: Int) {
        guard let url = NativeURL(phrase.text) else { return }
        let line = tokens[place].line
        switch url.kind {
        case .flagged, .request:
            let (text, holes) = phrase.part(url.name)
            let bridge = url.kind == .flagged ? NativeBridge.flagged : .request
            guard !text.isEmpty else {
                guard bridge == .flagged else { return asksByBody = true }
                let name = beginning(before: place)
                facts.uses.append(.init(bridge: bridge, name: name, line: line, shown: url.shown))
                return
            }
            facts.uses.append(
                .init(bridge: bridge, name: name(text, holes, at: place), line: line, shown: url.shown))
        case .scheme(let scheme):
            let isOpened = isOpened(place)
            guard isOpened || url.isSignal || isArgument(place) else { return }
            let isGuess = !isOpened && !url.isSignal
            facts.schemes.append(.init(name: scheme, line: line, isGuess: isGuess))
            guard !url.isSignal else { return }
            if url.commandItem { facts.commandItems.append(.init(name: "action", line: line, isGuess: true)) }
            let (text, holes) = phrase.part(url.name)
            guard !text.isEmpty else { return }
            facts.uses.append(
                .init(
                    bridge: .commandURL, name: name(text, holes, at: place), line: line, shown: url.shown,
                    isGuess: isGuess))
        }
    }

    /// The name to which a text is added: `path` in `path + (hasQuery ? '&' : '?') + '_mobile_bridge=1'`.
    private func beginning(before place: Int) -> ScriptFacts.Name {
        guard tokens.isMark("+", at: place - 1) else { return .unread }
        var last = place - 2
        if tokens.isMark(")", at: last), let open = script.partner(of: last), tokens.isMark("+", at: open - 1)
        {
            last = open - 2
        }
        guard let word = tokens.word(at: last), !tokens.isMark(".", at: last - 1) else { return .unread }
        return name(ofWord: word, at: last)
    }

    /// Whether a URL is opened here: `frame.src =`, `location.href =`, `open(…)`, an attribute.
    private func isOpened(_ place: Int) -> Bool {
        let word = tokens.word(at: place - 2) ?? ""
        if tokens.isMark("=", at: place - 1) { return ["src", "href", "location", "action"].contains(word) }
        return tokens.isMark("(", at: place - 1) && ["open", "assign", "replace"].contains(word)
    }

    private func isArgument(_ place: Int) -> Bool {
        tokens.isMark("(", at: place - 1) || tokens.isMark(",", at: place - 1)
    }
}
