// The values of expressions, and the functions whose parameters they are.
extension Scripts {
    indirect enum Value: Hashable {
        case text(String)
        /// A constant that is declared elsewhere: `PAY`, `NAMES.pay`.
        case name([String])
        /// A parameter of a function of the page, or a member of that parameter.
        case given(Function, Int, key: String?)
        case object([String: Value])
        case list([Value])
        /// Computed at run time.
        case unknown
        /// There is no expression, as in `call()`.
        case nothing

        /// A member of an object, of each element of a list, or of a parameter.
        func member(_ name: String) -> Self {
            switch self {
            case .object(let members): members[name] ?? .unknown
            case .given(let function, let index, nil): .given(function, index, key: name)
            case .list(let values): .list(values.map { $0.member(name) })
            default: .unknown
            }
        }

        /// The names of an object's members.
        var keys: Self {
            if case .object(let members) = self {
                .list(members.keys.sorted().map(Self.text))
            } else {
                .unknown
            }
        }
    }

    /// A function of the page; `owner` is the object that has it: empty if it is unknown, nil for a plain function.
    struct Function: Hashable {
        let name: String
        let owner: String?
        let file: Int
    }

    static let keywords: Set<String> = [
        "if", "for", "while", "switch", "catch", "with", "return", "await", "typeof", "new", "in", "of",
        "else", "do", "case",
        "function", "async", "var", "let", "const", "class", "default", "import", "static", "public",
        "private", "readonly",
    ]
    static let globals: Set<String> = [
        "window", "self", "globalThis", "top", "exports", "prototype", "globalProperties",
    ]

    func value(_ range: Range<Int>, depth: Int = 0) -> Value {
        guard let first = range.first, depth < 5 else { return range.isEmpty ? .nothing : .unknown }
        // Without a type assertion of TypeScript's: `'pay' as const`.
        let end =
            range.dropFirst().prefix(12).first { word($0) == "as" || word($0) == "satisfies" }
            ?? range.upperBound
        let isWhole = tokens[first].partner == end - 1
        switch tokens[first].kind {
        case .text where tokens[first].holes == 0:
            return first + 1 == end ? .text(tokens[first].string) : .unknown
        case .text:
            guard tokens[first].string == String(Self.hole), let close = partner(first + 1), close + 1 == end
            else { return .unknown }
            return value(first + 2..<close, depth: depth + 1)
        case .mark where isWhole && isMark("[", first):
            return .list(parts(first, most: 1000).map { value($0, depth: depth + 1) })
        case .mark where isWhole && isMark("{", first):
            let members = parts(first, most: 1000).compactMap { part -> (String, Value)? in
                let isPair = isMark(":", part.lowerBound + 1)
                guard tokens[part.lowerBound].kind != .mark, isPair || part.count == 1 else { return nil }
                return (
                    tokens[part.lowerBound].string, value(isPair ? part.dropFirst(2) : part, depth: depth + 1)
                )
            }
            return .object(Dictionary(members) { $1 })
        case .mark: return .unknown
        case .word: break
        }
        var (words, place) = ([tokens[first].string], first + 1)
        while place + 1 < end, isMark(".", place), let word = word(place + 1) {
            (words, place) = (words + [word], place + 2)
        }
        if place < end {
            // Calls whose result is taken for their argument.
            let name = words.suffix(2).joined(separator: ".")
            guard tokens[place].partner == end - 1, let part = parts(place, most: 1).first,
                [
                    "JSON.stringify", "encodeURIComponent", "String", "Object.freeze", "Object.assign",
                    "Object.keys",
                ].contains(name)
            else { return .unknown }
            return name == "Object.keys" ? value(part, depth: depth + 1).keys : value(part, depth: depth + 1)
        }
        guard words.count < 3, let given = parameter(words[0], at: first) else {
            return .name(words.suffix(2))
        }
        return words.count == 1 ? given : given.member(words[1])
    }

    // MARK: Functions

    /// Whether a function is declared with the name at a place: `name(a, b) {…}`.
    func isFunction(_ place: Int) -> Bool {
        guard let close = partner(place + 1), isMark("(", place + 1), !isMark(".", place - 1) else {
            return false
        }
        guard isMark(":", close + 1), !isMark("?", place - 1) else { return isMark("{", close + 1) }
        // A return type, as in TypeScript, is in front of the body.
        let body = (close + 2..<close + 16).first { place in
            ["{", ";", ",", ")", Self.end].contains { isMark($0, place) }
        }
        return body.map { isMark("{", $0) } ?? false
    }

    /// The parameter with this name of a function around a place; nil where there is none.
    private func parameter(_ name: String, at place: Int) -> Value? {
        var at = place
        for _ in 0..<40 {
            let outer = tokens[at].around
            var back = at - 1
            for _ in 0..<60 where back > outer && !isMark(";", back) && !isMark(",", back) {
                if isMark("=>", back), let found = parameter(name, before: back) { return found }
                back =
                    (tokens[back].partner > outer && tokens[back].partner < back
                        ? tokens[back].partner : back) - 1
            }
            guard outer >= 0 else { return nil }
            if isMark("{", outer), let found = parameter(name, before: outer) { return found }
            at = outer
        }
        return nil
    }

    /// The parameter with this name of the function whose body begins at a place.
    private func parameter(_ name: String, before body: Int) -> Value? {
        if isMark("=>", body), let only = word(body - 1) {
            return only == name ? given(before: body - 1, 0) : nil
        }
        // A return type, as in TypeScript, may be in front of the body.
        let close = (max(0, body - 12)..<body).last {
            isMark(")", $0) && ($0 == body - 1 || isMark(":", $0 + 1))
        }
        guard let open = close.flatMap(partner),
            !["if", "for", "while", "switch", "catch"].contains(word(open - 1))
        else {
            return nil
        }
        for (index, part) in parts(open).enumerated() {
            guard isMark("{", part.lowerBound) else {
                if part.lazy.compactMap(word).first(where: { !Self.keywords.contains($0) }) == name {
                    return given(before: open, index)
                }
                continue
            }
            for member in parts(part.lowerBound, most: 20) {
                let variable = isMark(":", member.lowerBound + 1) ? member.lowerBound + 2 : member.lowerBound
                if word(variable) == name {
                    return given(before: open, index).member(tokens[member.lowerBound].string)
                }
            }
        }
        return nil
    }

    /// A parameter of the function whose parameter list begins at a place.
    private func given(before open: Int, _ index: Int) -> Value {
        var place = open - 1
        if let name = word(place), isMark("(", open), !Self.keywords.contains(name) {
            let isPlain = word(place - 1) == "function" || isMark("*", place - 1)
            return .given(
                Function(name: name, owner: isPlain ? nil : owner(of: place) ?? "", file: file(place)), index,
                key: nil)
        }
        for _ in 0..<3 where ["function", "async"].contains(word(place)) || isMark("*", place) { place -= 1 }
        if isMark("(", place), ["forEach", "map"].contains(word(place - 1)), isMark(".", place - 2) {
            return elements(place - 2)
        }
        guard isMark("=", place) || isMark(":", place), place > 0, tokens[place - 1].kind != .mark else {
            return .unknown
        }
        let isTyped = isMark("=", place) && isMark(":", place - 2) && word(place - 3) != nil
        return .given(function(isTyped ? place - 3 : place - 1), index, key: nil)
    }

    /// The function that is assigned to the name at a place, by `=` or `:`.
    func function(_ place: Int) -> Function {
        var owner = owner(of: place)
        if isMark(".", place - 1), let object = word(place - 2) {
            owner =
                object == "prototype"
                ? word(place - 4) : object == "this" ? "" : Self.globals.contains(object) ? nil : object
        }
        return Function(name: tokens[place].string, owner: owner, file: file(place))
    }

    /// The values for which a function is called one by one: `['a', 'b'].forEach(name => …)`.
    private func elements(_ end: Int) -> Value {
        var start = end - 1
        if let open = partner(start), open < start { start = open }
        for _ in 0..<20 where !isMark("[", start) && (word(start - 1) != nil || isMark(".", start - 1)) {
            start -= 1
        }
        guard start >= 0 else { return .unknown }
        let value = value(start..<end)
        return resolved(value, in: file(end))?.value ?? value
    }
}
