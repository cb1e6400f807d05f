import Drawbridge

// Bridges from outside, which pages have by `--bridge`.
extension FactReader {
    /// `flutter_inappwebview.callHandler('pay')`: a script speaks to native by an object of a bridge's.
    mutating func readBridge(_ word: String, at place: Int) {
        if let hint = facts.aliases[word], !tokens.isMark(".", at: place - 1),
            tokens.isMark("(", at: place + 1)
        {
            return speak(hint, "callHandler", argumentsAt: place + 1)
        }
        if word == "registerPlugin" { return readPlugin(at: place) }
        if word == "Plugins", facts.hasCapacitor, !tokens.isMark(".", at: place - 1) {
            return readPlugins(at: place, start: place)
        }
        guard let hint = BridgeHint.named(word), isGlobal(place) else { return }
        let line = tokens[place].line
        if tokens.isMark("[", at: place + 1), hint.hasAppsFunctions,
            let close = script.partner(of: place + 1),
            tokens.isMark("(", at: close + 1)
        {
            facts.spoken.append(.init(hint: hint, line: line))
            let shown = "\(word)[\(tokens.word(at: place + 2) ?? "…")]()"
            return facts.uses.append(
                .init(
                    bridge: .outside(word), name: name(place + 2..<close), line: line, shown: shown,
                    form: .below(word)))
        }
        guard tokens.isMark(".", at: place + 1), let member = tokens.word(at: place + 2),
            hint.isSpoken(by: member)
        else { return }
        let isCall = tokens.isMark("(", at: place + 3)
        // Another member of the app's object may be a value, or be asked for alone.
        if hint.hasAppsFunctions, !isCall { return }
        let isImported = facts.hasCapacitor && hint.bridge == "capacitor"
        facts.spoken.append(.init(hint: hint, line: line, isByItsHalf: isImported))
        if isCall { return speak(hint, member, argumentsAt: place + 3) }
        let start = tokens.isMark(".", at: place - 1) ? place - 2 : place
        if member == "Plugins" { return readPlugins(at: place + 2, start: start) }
        if member == "callHandler", tokens.isMark("=", at: start - 1), let alias = tokens.word(at: start - 2)
        {
            facts.aliases[alias] = hint
        }
    }

    /// A call of a bridge's function, whose arguments' bracket opens at a place.
    private mutating func speak(_ hint: BridgeHint, _ member: String, argumentsAt open: Int) {
        let parts = script.parts(open)
        switch (hint.bridge, member) {
        case ("flutter", _), ("object", "invoke"), ("object", "call"):
            use(hint, member, parts, at: open, parts.first)
        case ("dsbridge", "call"): use(hint, member, parts, at: open, parts.first, .namespaced)
        case ("dsbridge", _), ("kkjsbridge", "on"), ("kkjsbridge", "once"), ("object", "on"):
            listen(parts.first.map(name), at: open)
        case ("kkjsbridge", _): use(hint, member, parts, at: open, pair: 0)
        case ("cordova", _): use(hint, member, parts, at: open, pair: 2)
        case ("capacitor", "nativePromise"): use(hint, member, parts, at: open, pair: 0)
        case ("capacitor", "nativeCallback"):
            guard parts.count > 2, name(parts[1]) == .text("addListener") else {
                return use(hint, member, parts, at: open, pair: 0)
            }
            guard case .text(let plugin) = name(parts[0]),
                case .text(let event) = self.member("eventName", at: parts[2].lowerBound)
            else { return }
            listen(.text("\(plugin)/\(event)"), at: open)
        case ("reactnative", _): readPost(hint, parts, at: open)
        case ("android", _):
            facts.uses.append(
                .init(
                    bridge: .outside(hint.name), name: .text(member), line: tokens[open].line, shown: "",
                    form: .below(hint.name)))
        default: break
        }
    }

    private mutating func listen(_ name: ScriptFacts.Name?, at place: Int) {
        guard case .text(let name) = name else { return }
        facts.listeners.append(.init(name: name, line: tokens[place].line))
    }

    private mutating func use(
        _ hint: BridgeHint, _ member: String, _ parts: [Range<Int>], at open: Int, _ named: Range<Int>?,
        _ form: ScriptFacts.Form = .plain
    ) {
        let arguments = parts.first.map { shownText($0.lowerBound..<(parts.last ?? $0).upperBound) } ?? ""
        let shown = "\(hint.name).\(member)(\(arguments))"
        facts.uses.append(
            .init(
                bridge: .outside(hint.name), name: named.map(name) ?? .unread, line: tokens[open].line,
                shown: shown, form: form))
    }

    /// A call of a method of a service, a module or a plugin: the two are arguments, one behind the other.
    private mutating func use(
        _ hint: BridgeHint, _ member: String, _ parts: [Range<Int>], at open: Int, pair first: Int
    ) {
        guard parts.count > first + 1, let owner = owner(parts[first]) else {
            // Without an owner that is known the name is unknown too.
            return use(hint, member, parts, at: open, nil)
        }
        use(hint, member, parts, at: open, parts[first + 1], .below(owner))
    }

    /// The owner that an argument is; empty for none.
    private func owner(_ range: Range<Int>) -> String? {
        if range.count == 1, tokens[range.lowerBound].text == "" { return "" }
        return switch name(range) {
        case .text(let text): text
        case .constant(let word): facts.constants[word].flatMap { $0.isEmpty ? nil : $0 }
        case .parameter, .unread: nil
        }
    }

    /// `ReactNativeWebView.postMessage(JSON.stringify({type: 'pay'}))`, whose name stands in one of some members.
    private mutating func readPost(_ hint: BridgeHint, _ parts: [Range<Int>], at open: Int) {
        let line = tokens[open].line
        func use(_ name: ScriptFacts.Name) {
            let shown = "\(hint.name).postMessage(\(parts.first.map(shownText) ?? ""))"
            facts.uses.append(.init(bridge: .outside(hint.name), name: name, line: line, shown: shown))
        }
        guard let range = parts.first else { return }
        // It stands at the begin, perhaps behind JSON.stringify( and the like.
        if let brace = range.prefix(12).first(where: { tokens[$0].isMark("{") }) {
            let keys = ["type", "action", "method", "event", "name", "command"]
            return use(keys.compactMap { member($0, at: brace) }.first ?? .text("message"))
        }
        // A text that is no JSON has no name of its own.
        if range.count == 1, let text = tokens[range.lowerBound].text, !text.hasPrefix("{") {
            return use(.text("message"))
        }
        use(.unread)
    }

    // MARK: Capacitor's plugins

    /// `const Echo = registerPlugin('Echo')`, of Capacitor's: other libraries have a function of this name too.
    private mutating func readPlugin(at place: Int) {
        guard let capacitor = BridgeHint.named("Capacitor") else { return }
        var start = place
        if tokens.isMark(".", at: place - 1) {
            guard ["Capacitor", "capacitorExports"].contains(tokens.word(at: place - 2)) else { return }
            start = place - 2
        } else if !facts.hasCapacitor {
            return
        }
        var open = place + 1
        // TypeScript says the plugin's type there.
        while open < min(place + 12, tokens.count), !tokens[open].isMark("(") { open += 1 }
        guard let range = script.parts(open).first, case .text(let plugin) = name(range) else { return }
        facts.spoken.append(
            .init(hint: capacitor, line: tokens[place].line, isByItsHalf: facts.hasCapacitor))
        guard tokens.isMark("=", at: start - 1), let variable = tokens.word(at: start - 2) else { return }
        facts.plugins[variable] = plugin
    }

    /// `Capacitor.Plugins.Camera.getPhoto()`, or `const { Camera } = Capacitor.Plugins`.
    private mutating func readPlugins(at place: Int, start: Int) {
        if tokens.isMark(".", at: place + 1), let plugin = tokens.word(at: place + 2),
            tokens.isMark(".", at: place + 3), let method = tokens.word(at: place + 4),
            tokens.isMark("(", at: place + 5)
        {
            facts.uses.append(
                .init(
                    bridge: .outside("Capacitor"), name: .text(method), line: tokens[place].line, shown: "",
                    form: .below(plugin)))
        }
        if tokens.isMark("=", at: start - 1) { addPlugins(inBracesThatEndAt: start - 2) }
    }

    private mutating func addPlugins(inBracesThatEndAt place: Int) {
        guard tokens.isMark("}", at: place), let open = script.partner(of: place) else { return }
        for range in script.parts(open, most: 100) {
            guard let plugin = tokens[range].first?.word, let variable = tokens[range].last?.word,
                plugin.first?.isUppercase == true, plugin != "Capacitor"
            else { continue }
            facts.plugins[variable] = plugin
        }
    }

    // MARK: Texts

    /// A text that only a page's own half of a bridge has, or the name of the library that is one.
    ///
    /// - Returns: whether it was one, and no URL of another kind.
    mutating func readBridgeText(_ text: String, at place: Int) -> Bool {
        let isImported =
            ["from", "import"].contains(tokens.word(at: place - 1))
            || tokens.isMark("(", at: place - 1)
                && ["require", "import"].contains(tokens.word(at: place - 2))
        if isImported || tokens.isMark("=", at: place - 1) && tokens.word(at: place - 2) == "src" {
            facts.references.append(text)
        }
        if text.lowercased().hasSuffix("://__bridge_loaded__") { facts.asksForBridge = true }
        switch text {
        case _ where isImported && text.hasPrefix("@capacitor/"):
            facts.hasCapacitor = true
            if text != "@capacitor/core", tokens.word(at: place - 1) == "from" {
                addPlugins(inBracesThatEndAt: place - 2)
                speak("Capacitor", at: place)
            }
        case "dsbridge" where isImported: speak("dsBridge", at: place)
        case "cordova/exec" where isImported: speak("cordova", at: place)
        case _ where text.hasPrefix("_dsbridge=") && tokens.word(at: place - 2) == "prompt":
            speak("_dsbridge", at: place)
        case _ where text.hasPrefix("yy://__QUEUE_MESSAGE__") || text.hasPrefix("yy://return/"):
            speak("yy://__QUEUE_MESSAGE__/", at: place)
        case "yy": facts.isOfYY = true
        case "__QUEUE_MESSAGE__/" where facts.isOfYY: speak("yy://__QUEUE_MESSAGE__/", at: place)
        default: return false
        }
        return true
    }

    private mutating func speak(_ name: String, at place: Int) {
        guard let hint = BridgeHint.named(name) else { return }
        facts.spoken.append(.init(hint: hint, line: tokens[place].line, isByItsHalf: true))
    }

    /// `messageHandlers.cordova.postMessage([…])`, by which a page's own half speaks.
    ///
    /// - Returns: whether the name belongs to a bridge from outside.
    mutating func readHalf(_ handler: String, at place: Int, messageAt open: Int?) -> Bool {
        switch handler {
        case "cordova":
            speak("cordova", at: place)
            guard let open, tokens.isMark("[", at: open + 1), let hint = BridgeHint.named("cordova") else {
                return true
            }
            let parts = script.parts(open + 1)
            // The half itself hands on what it is called with.
            if parts.count > 2, owner(parts[1]) != nil { use(hint, "exec", parts, at: open, pair: 1) }
            return true
        case "KKJSBridgeMessage":
            speak("KKJSBridge", at: place)
            return true
        // Capacitor's half asks by it which system it is on.
        case "bridge": return namesCapacitor
        default: return false
        }
    }
}
