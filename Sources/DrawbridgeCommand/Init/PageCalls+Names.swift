import Drawbridge

// Finds the names of calls among the strings that an expression can evaluate to.
extension PageCalls {
    /// Adds the strings that an expression can evaluate to as call names; if none is found, notes a computed name.
    mutating func take(_ range: Range<Int>, _ form: Form, _ place: Int) {
        if !takes(range, form, place) { leave(place) }
    }

    mutating func take(_ name: String, _ form: Form, _ place: Int) {
        if !takes(name, form, place) { leave(place) }
    }

    /// Adds a string as the name of a call, or of an event; returns false if it is not a valid name.
    mutating func takes(_ text: String, _ form: Form, _ place: Int) -> Bool {
        guard form.kind != .event else { add(text, place, as: .event); return true }
        var (path, form) = (form.owner.isEmpty ? text : "\(form.owner)/\(text)", form)
        if form.by == "messageHandlers." {
            form.by += text
            if Lack.isIdentifier(text) { add(text, place, as: .handler) }
        }
        // Bridges make these calls internally, so they need no mock.
        let isListener = form.by == "Capacitor" && (text.hasSuffix("Listener") || text.hasSuffix("Listeners"))
        guard text != "handleH5Response", !text.hasPrefix("_dsb."), !isListener else { return true }
        if form.by.lowercased().hasSuffix("dsbridge"), let dot = text.lastIndex(of: ".") {
            path = "\(text[..<dot])/\(text[text.index(after: dot)...])"
        }
        guard let name = Self.replyName(path) else { return false }
        add(name, place, form, as: .call)
        return true
    }

    /// The key of a call's mock in `replies`, such as `user/get`; nil if the text is not a valid key.
    static func replyName(_ text: String) -> String? {
        let parts = text.split(separator: "/")
        let name = parts.joined(separator: "/")
        let isPlain = name.allSatisfy { $0.isLetter || ("0"..."9").contains($0) || "_-./$".contains($0) }
        let isPath = !name.isEmpty && name.utf8.count <= 100 && !parts.contains(".") && !parts.contains("..")
        return isPlain && isPath && !name.hasPrefix("$") ? name : nil
    }

    /// Adds an expression's possible values, or those of its member in `form.keys`, as call names; false without any.
    mutating func takes(_ range: Range<Int>, _ form: Form, _ place: Int, depth: Int = 0) -> Bool {
        steps += 1
        // A TypeScript assertion after the expression is ignored: `'pay' as const`.
        let end = range.prefix(12).first { ["as", "satisfies"].contains(scripts[$0]) } ?? range.upperBound
        let (first, last) = (range.lowerBound, end - 1)
        guard first <= last, depth < 6, steps < Self.mostSteps else { return false }
        // A posted message that has none of the members in `keys` is mocked under the name `message`.
        let isMessage = form.keys.count > 1
        if first == last, let text = scripts.text(first) {
            return form.keys.isEmpty || isMessage ? takes(isMessage ? "message" : text, form, place) : false
        }
        if first < last, scripts.partner(first) == last {
            let parts = scripts.parts(first, most: 1000)
            guard scripts[first] == "{" else { return takesAny(parts, form, place, depth) }
            let names = parts.map { scripts.text($0.lowerBound) ?? scripts[$0.lowerBound] }
            guard let member = form.keys.lazy.compactMap(names.lastIndex).first else {
                return isMessage && takes("message", form, place)
            }
            var form = form
            form.keys = []
            let isShort = parts[member].count == 1
            return takes(isShort ? parts[member] : parts[member].dropFirst(2), form, place, depth: depth + 1)
        }
        var word = first
        while scripts[word + 1] == ".", word + 1 < last { word += 2 }
        // The result of these functions is taken to be their first argument.
        let passing = ["stringify", "encodeURIComponent", "String", "freeze", "assign"]
        if passing.contains(scripts[word]), scripts.partner(word + 1) == last {
            return takesAny(scripts.parts(word + 1, most: 1), form, place, depth)
        }
        return word == last && scripts.isWord(word) && takesWord(first, word, form, place, depth)
    }

    private mutating func takesAny(_ parts: [Range<Int>], _ form: Form, _ place: Int, _ depth: Int) -> Bool {
        var isAny = false
        for part in parts { isAny = takes(part, form, place, depth: depth + 1) || isAny }
        return isAny
    }

    /// Adds the values of `name` or `object.name`, which is a parameter of the enclosing function or a variable.
    private mutating func takesWord(
        _ first: Int, _ last: Int, _ form: Form, _ place: Int, _ depth: Int
    ) -> Bool {
        let isMember = first < last
        if last <= first + 2, !isMember || form.keys.isEmpty, let (open, index) = scripts.parameter(first) {
            var own = form
            if isMember { own.keys = [scripts[last]] }
            guard let name = scripts.function(open) else {
                // The parameter takes the value of each element: `['a', 'b'].forEach(name => …)`
                let call = scripts[open - 1] == "function" ? open - 2 : open - 1
                guard scripts[call] == "(", ["forEach", "map"].contains(scripts[call - 1]) else {
                    return false
                }
                return takes(scripts.operand(before: call - 2), own, place, depth: depth + 1)
            }
            (own.name, own.object, own.index) = (scripts[name], "", index)
            wait(own, name, from: place)
            return true
        }
        let all = scripts.values(of: scripts[last])
        steps += all.count
        guard all.count < 100 else { return false }
        let marks = all.filter {
            $0 != last + 1 && (isMember || scripts[$0] != ":" && scripts[$0 - 2] != ".")
        }
        let near = marks.filter { scripts.file($0) == scripts.file(first) }
        let isOne = Set((near.isEmpty ? marks : near).map { scripts[$0 + 1] }).count == 1
        let latest = isMember ? nil : near.last { $0 < first }
        guard let mark = latest ?? (isOne ? near.first ?? marks.first : nil) else { return false }
        return takes(scripts.expression(mark + 1), form, place, depth: depth + 1)
    }
}
