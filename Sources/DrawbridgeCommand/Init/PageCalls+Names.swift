// The names of calls: literals, constants, parameters of the page's functions, and parts of URLs.
extension PageCalls {
    /// The text of a literal, or the name of a variable or member, that an expression is, also with TypeScript's `as`.
    func value(of code: Substring) -> (text: Substring?, word: Substring?) {
        guard let match = code.trimmed.wholeMatch(of: literal), match.text?.contains("${") != true else {
            return (nil, nil)
        }
        return (match.text, match.word)
    }

    mutating func take(_ code: Substring, _ form: CallForm, _ item: Script.Item) {
        if !takes(code, form, item) { leave(item, global: form.global) }
    }

    /// Adds the value of the code's first expression, or of its member in `form.keys`; false if it is computed.
    mutating func takes(_ code: Substring, _ form: CallForm, _ item: Script.Item) -> Bool {
        var (form, code) = (form, Self.parts(of: code).all[0])
        // A posted message that has none of the members in `keys` is mocked under the name `message`.
        let isMessage = form.keys.count > 1
        // The result of these functions is their first argument, more or less.
        while let call = code.prefixMatch(of: /(?:JSON\.stringify|encodeURIComponent|Object\.assign)\(/) {
            code = Self.parts(of: code[call.range.upperBound...]).all[0]
        }
        if code.first == "{" {
            let members = Self.parts(of: code.dropFirst()).all.map { $0.split(separator: ":", maxSplits: 1) }
            let named = form.keys.lazy.compactMap { key in members.last { $0.first?.trimmed == key[...] } }
            guard let member = named.first else { return isMessage && takes("message", form, item) }
            form.keys = []
            return takes(member[member.count - 1], form, item)
        }
        let (text, word) = value(of: code)
        if let text {
            return isMessage
                ? takes("message", form, item) : form.keys.isEmpty && takes(String(text), form, item)
        }
        guard let path = word?.split(separator: ".") else { return false }
        if wrappers != nil, path.count <= 2, let (name, index) = function(item, with: path[0]) {
            if path.count > 1 { form.keys = [String(path[1])] }
            (form.object, form.index) = ("", index)
            wrappers?[Script.hash(name.utf8), default: [:]][form] = item
            return true
        }
        let constant = constants[(path.count == 1 ? "const " : "") + path[path.count - 1]] ?? ""
        return form.keys.isEmpty && !constant.isEmpty && takes(constant, form, item)
    }

    /// Adds a string as the name of a call, or of an event; returns false if it is not a valid name.
    mutating func takes(_ text: String, _ form: CallForm, _ item: Script.Item) -> Bool {
        guard !form.isEvent else { add(text, item, as: .event); return true }
        var (path, form) = (form.owner.isEmpty ? text : "\(form.owner)/\(text)", form)
        if form.by == "messageHandlers." {
            form.by += text
            if Lack.isIdentifier(text) { add(text, item, as: .handler) }
        }
        // Bridges make these calls internally, so they need no mock.
        let isListener = form.by == "Capacitor" && (text.hasSuffix("Listener") || text.hasSuffix("Listeners"))
        guard text != "handleH5Response", !text.hasPrefix("_dsb."), !isListener else { return true }
        if form.by.lowercased().hasSuffix("dsbridge"), let dot = text.lastIndex(of: ".") {
            path = "\(text[..<dot])/\(text[text.index(after: dot)...])"
        }
        let parts = path.split(separator: "/")
        let name = parts.joined(separator: "/")
        let isPlain = name.allSatisfy { $0.isLetter || ("0"..."9").contains($0) || "_-./$".contains($0) }
        guard isPlain, !parts.isEmpty, name.utf8.count <= 100, !parts.contains("."), !parts.contains(".."),
            !name.hasPrefix("$")
        else { return false }
        add(name, item, form, as: .call)
        return true
    }

    // MARK: Strings

    /// Reads a string literal: a constant, an import, or a URL as in `'/pay?_mobile_bridge=1'` or `'shop://' + name`.
    mutating func readText(_ place: Int) {
        let item = script.items[place]
        let text = script.text(item.range)
        var mark = item.range.lowerBound - 2
        while script[mark] == " " { mark -= 1 }
        if place > 0, script[mark] == "=" || script[mark] == ":" {
            let word = (isDeclared(place - 1) ? "const " : "") + script.text(script.items[place - 1].range)
            constants[word] = constants[word] == nil ? text : ""
        }
        guard text.utf8.contains(where: { [0x40, 0x5F, 0x3A].contains($0) }) else { return }
        if text.hasPrefix("@tauri-apps/api/") {
            wrappers?[Script.hash("invoke".utf8), default: [:]][CallForm(["__TAURI__.invoke", "0"])] = item
        } else if text.contains("__QUEUE_MESSAGE__/") {
            add("yy://__QUEUE_MESSAGE__/", item, as: .bridge)
        } else if text.hasPrefix("kcnative:") {
            add("kerkee", item, as: .bridge)
        } else if let (by, name) = Self.native(text) {
            readCall(text, by, name, item)
        }
    }

    private mutating func readCall(_ text: String, _ by: String, _ name: Substring, _ item: Script.Item) {
        var form = CallForm(by)
        let (before, after) = script.around(item)
        if by.hasSuffix("://") {
            let opened = before.firstMatch(of: /([\w$]*)(?:\(|,\s*| ?= ?)$/)?.1
            let isOpened = ["open", "assign", "replace", "src", "href", "location", "action"].contains(
                opened ?? "")
            let (isSignal, isArgument) = (name == "fetch_message", before.contains(/[(,]\s*$/))
            guard isOpened || isSignal || isArgument else { return }
            form = CallForm("a URL, which expects no answer", isGuess: !isOpened && !isSignal)
            add(String(by.dropLast(3)), item, form, as: .scheme)
            if text.contains("?action=") || text.contains("&action=") { add("action", item, as: .item) }
            if isSignal { return }
        }
        let (added, adding) = (
            before.firstMatch(of: /([\w$.]+)\s*\+(?:\s*\(.*\?.*\)\s*\+)?=?\s*$/)?.1,
            after.prefixMatch(of: /\s*\+\s*([^+,;\n]+)/)?.1
        )
        isAsking = isAsking || name.isEmpty && added == nil && adding == nil
        // What is added before or after, or is in a template literal's braces, may be a parameter with the name.
        let isTaken: Bool
        if name.hasSuffix("}"), let start = name.firstRange(of: "${") {
            form.owner = String(name[..<start.lowerBound].dropLast())
            isTaken = takes(name[start.upperBound...].dropLast(), form, item)
        } else if name.isEmpty, let added {
            isTaken = takes(added, form, item)
        } else if let adding, !text.contains("?") || text.hasSuffix("action=") {
            form.owner = name.hasSuffix("/") ? String(name.dropLast()) : ""
            isTaken = (name.isEmpty || name.hasSuffix("/")) && takes(adding, form, item)
        } else {
            // What precedes the path in a template literal is the server: `${base}/login`
            let path = name.hasPrefix("${") ? name.drop { $0 != "}" }.dropFirst(2) : name
            isTaken = name.isEmpty || takes(String(path), form, item)
        }
        if !isTaken { leave(item) }
    }

    /// By which bridge a URL calls native, and the call's name, empty if the URL has none; nil for any other URL.
    private static func native(_ url: String) -> (by: String, name: Substring)? {
        let items = url.split(omittingEmptySubsequences: false) { "?&#".contains($0) }
        let action = items.first { $0.hasPrefix("action=") }?.dropFirst("action=".count)
        let path = items[0]
        let mark = path.firstRange(of: "://")
        if let host = path.firstRange(of: "/__jsbridge__") {
            let name = path[host.upperBound...].drop { $0 == "/" }
            return ("http://__jsbridge__", name.isEmpty ? action ?? "" : name)
        }
        if items.contains("_mobile_bridge=1") {
            let path = mark.map { path[$0.upperBound...].drop { $0 != "/" } } ?? path
            return ("a flagged request", path == "_mobile_bridge=1" ? "" : path.drop { $0 == "/" })
        }
        guard let mark, case let scheme = path[..<mark.lowerBound].lowercased(), scheme.utf8.count <= 40,
            Lack.isScheme(scheme), !Lack.browsersOwn.contains(scheme),
            !Names["schemes"].contains(scheme),
            !["http", "-extension", "sql", "map"].contains(where: scheme.hasSuffix)
        else { return nil }
        return ("\(scheme)://", action ?? path[mark.upperBound...].drop { $0 == "/" })
    }
}

extension Substring {
    var trimmed: Substring {
        let text = drop(while: \.isWhitespace)
        return text[..<(text.lastIndex { !$0.isWhitespace }.map(text.index(after:)) ?? text.startIndex)]
    }
}
