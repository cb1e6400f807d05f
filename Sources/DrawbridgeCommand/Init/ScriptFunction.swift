/// A function of a script, as far as whoever calls it is concerned.
struct ScriptFunction {
    /// Nil where it has none to be called by.
    var name: String?
    /// Whether it is called by way of an object: `shop.pay()`.
    var isMember = false
    /// The object, where that is known.
    var owner: String?
    var parameters: [String?]
    var body: Range<Int>
    /// The place of its name, if that stands before the parameters.
    var nameAt: Int?

    /// All of a script, whichever way they are written.
    static func all(in tokens: [ScriptToken], _ brackets: ScriptBrackets) -> [ScriptFunction] {
        var reader = Reader(tokens: tokens, brackets: brackets)
        // From the last to the first: where the body of an arrow ends is known when one around it is read.
        return tokens.indices.reversed().compactMap { place in
            switch tokens[place].kind {
            case .word("function"): reader.function(at: place)
            case .word: reader.method(at: place)
            case .mark("=>"): reader.arrow(at: place)
            default: nil
            }
        }
    }

    private struct Reader {
        let tokens: [ScriptToken]
        let brackets: ScriptBrackets
        /// Where the bodies of arrows end that are expressions.
        private var ends: [Int: Int] = [:]

        init(tokens: [ScriptToken], brackets: ScriptBrackets) {
            self.tokens = tokens
            self.brackets = brackets
        }

        /// `function name(a, b) {…}`, or `name = function (a, b) {…}`.
        func function(at place: Int) -> ScriptFunction? {
            var open = place + 1
            if tokens.isMark("*", at: open) { open += 1 }
            let name = tokens.word(at: open)
            if name != nil { open += 1 }
            guard tokens.isMark("(", at: open), let body = body(behind: open) else { return nil }
            var function = ScriptFunction(name: name, parameters: parameters(open), body: body)
            if name == nil { assign(before: place, to: &function) } else { function.nameAt = open - 1 }
            return function
        }

        /// `name(a, b) {…}` in an object or a class.
        func method(at place: Int) -> ScriptFunction? {
            guard tokens.isMark("(", at: place + 1), let name = tokens[place].word,
                !Self.statements.contains(name), !tokens.isMark(".", at: place - 1),
                !["function", "new"].contains(tokens.word(at: place - 1)), !tokens.isMark("*", at: place - 1),
                let body = body(behind: place + 1)
            else { return nil }
            return ScriptFunction(
                name: name, isMember: true, owner: brackets.owner(of: place, in: tokens),
                parameters: parameters(place + 1), body: body, nameAt: place)
        }

        private static let statements: Set<String> = [
            "if", "for", "while", "switch", "catch", "with", "function", "return", "await", "typeof",
        ]

        /// `name = (a, b) => …`, or with one parameter and no parentheses.
        mutating func arrow(at place: Int) -> ScriptFunction? {
            let before = place - 1
            let body = arrowBody(place + 1)
            ends[place] = body.upperBound
            guard tokens.indices.contains(before) else { return nil }
            var function = ScriptFunction(parameters: [], body: body)
            if let word = tokens.word(at: before) {
                function.parameters = [word]
                assign(before: before, to: &function)
            } else if tokens.isMark(")", at: before), let open = brackets.partner(of: before) {
                function.parameters = parameters(open)
                assign(before: open, to: &function)
            } else {
                return nil
            }
            return function
        }

        /// The name that a function gets which stands behind `name =` or `name:`.
        private func assign(before place: Int, to function: inout ScriptFunction) {
            let sign = tokens.word(at: place - 1) == "async" ? place - 2 : place - 1
            guard sign > 0 else { return }
            if tokens[sign].isMark("=") {
                function.name = tokens.word(at: sign - 1)
                guard tokens.isMark(".", at: sign - 2), let owner = tokens.word(at: sign - 3) else { return }
                guard !["window", "self", "globalThis", "exports"].contains(owner) else { return }
                function.isMember = true
                function.owner = ["this", "prototype"].contains(owner) ? nil : owner
            } else if tokens[sign].isMark(":") {
                function.name = tokens[sign - 1].word ?? tokens[sign - 1].text
                function.isMember = true
                function.owner = brackets.owner(of: sign, in: tokens)
            }
        }

        private func parameters(_ open: Int) -> [String?] {
            brackets.parts(open, in: tokens, most: 12).map { range in
                // TypeScript may have words before the name.
                let modifiers = ["public", "private", "protected", "readonly"]
                return tokens[range].first { !modifiers.contains($0.word ?? "") }?.word
            }
        }

        /// The braces behind the parameters, and behind a type of TypeScript.
        private func body(behind open: Int) -> Range<Int>? {
            guard let close = brackets.partner(of: open), close > open else { return nil }
            var place = close + 1
            if tokens.isMark(":", at: place) {
                while place < min(tokens.count, close + 16), !tokens[place].isMark("{") {
                    if tokens[place].isMark(";") || tokens[place].isMark(",") || tokens[place].isMark(")") {
                        return nil
                    }
                    place += 1
                }
            }
            guard tokens.isMark("{", at: place), let end = brackets.partner(of: place), end > place else {
                return nil
            }
            return place..<end
        }

        /// Braces, or one expression.
        private func arrowBody(_ start: Int) -> Range<Int> {
            if tokens.isMark("{", at: start), let end = brackets.partner(of: start), end > start {
                return start..<end
            }
            var place = start
            while place < tokens.count {
                switch tokens[place].kind {
                case .mark(","), .mark(";"), .mark(")"), .mark("]"), .mark("}"), .end: return start..<place
                default: place = ends[place] ?? max(place, brackets.partner(of: place) ?? place) + 1
                }
            }
            return start..<min(place, tokens.count)
        }
    }
}
