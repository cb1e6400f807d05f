// The names of calls: strings, constants, parameters of the page's functions, and parts of URLs.
extension PageCalls {
    /// The text of a literal, or the name of a variable or member, that code is, also with TypeScript's `as`.
    static func literal(_ code: Substring) -> (text: Substring?, path: [Substring]) {
        let form = /(?:(["'`])([^\n]*?)\1|([A-Za-z_$][\w$]*(?:\.[\w$]+)*))\s*(?:(?:as|satisfies)\s.*)?/
        guard let match = code.trimmed.wholeMatch(of: form), match.2?.contains("${") != true else {
            return (nil, [])
        }
        return (match.2, match.3?.split(separator: ".") ?? [])
    }

    /// Adds the value of code, or of its member in `form.keys`; false if it is computed.
    mutating func takes(_ code: Substring, _ form: CallForm, _ word: Script.Word) -> Bool {
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
            guard let value = named.first?.last else { return isMessage && takes("message", form, word) }
            form.keys = []
            return takes(value, form, word)
        }
        let (text, path) = Self.literal(code)
        if let text {
            return isMessage
                ? takes("message", form, word) : form.keys.isEmpty && takes(String(text), form, word)
        }
        guard let first = path.first else { return false }
        if form.levels > 0, path.count <= 2, let (name, index) = function(around: word, with: first) {
            if path.count > 1 { form.keys = [String(path[1])] }
            (form.word, form.method, form.index) = (name, "", index)
            form.levels -= 1
            return read(form)
        }
        return form.keys.isEmpty && constant(path).map { takes($0, form, word) } == true
    }

    /// The string that `PAY` or the member `Names.pay` is given in this file, if it is only one.
    private mutating func constant(_ path: [Substring]) -> String? {
        let values = words(String(path[path.count - 1])).compactMap { word in
            path.count > 1 || script.before(word, 6).contains(/(?:const|let|var) $/)
                ? script.after(word, 120).prefixMatch(of: /\s*[:=]\s*(["'`])([^"'`\n]*)\1/)?.2 : nil
        }
        return Set(values).count == 1 ? values.first.map(String.init) : nil
    }

    /// Adds a string as the name of a call, or of an event; returns false if it is not a valid name.
    mutating func takes(_ text: String, _ form: CallForm, _ word: Script.Word) -> Bool {
        guard !form.isEvent else { add(text, word, as: .event); return true }
        var (path, form) = (form.owner.isEmpty ? text : "\(form.owner)/\(text)", form)
        if form.by == "messageHandlers." {
            form.by += text
            if Lack.isIdentifier(text) { add(text, word, as: .handler) }
        }
        // Bridges make these calls internally, so they need no mock.
        let isListener = form.by == "Capacitor" && (text.hasSuffix("Listener") || text.hasSuffix("Listeners"))
        guard text != "handleH5Response", !text.hasPrefix("_dsb."), !isListener else { return true }
        if form.by.lowercased().hasSuffix("dsbridge"), let dot = text.lastIndex(of: ".") {
            path = "\(text[..<dot])/\(text[dot...].dropFirst())"
        }
        let parts = path.split(separator: "/")
        let name = parts.joined(separator: "/")
        let isPlain = name.allSatisfy { $0.isLetter || ("0"..."9").contains($0) || "_-./$".contains($0) }
        guard isPlain, !parts.isEmpty, name.utf8.count <= 100, !parts.contains("."), !parts.contains(".."),
            !name.hasPrefix("$")
        else { return false }
        add(name, word, form, as: .call)
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
}

extension Substring {
    var trimmed: Substring {
        let text = drop(while: \.isWhitespace)
        return text[..<(text.lastIndex { !$0.isWhitespace }.map(text.index(after:)) ?? text.startIndex)]
    }
}
