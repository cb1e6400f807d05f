/// The tokens (words, strings, punctuation) of a folder's pages and scripts, one file behind the other.
struct Scripts {
    struct Token {
        /// A word, a mark, or a string behind a `'`.
        let string: String
        let line: Int
        let file: Int
        /// The matching bracket, and the bracket or the arrow of a function that opens around this token; -1 for none.
        var partner = -1
        var around = -1
    }

    /// The mark between two scripts.
    static let end = "\0"
    private static let ends: Set = [",", ";", ")", "]", "}", end, ""]

    private(set) var tokens: [Token] = []
    private(set) var paths: [String] = []
    /// The places of each word, and the marks behind it where it is given a value: `a = 1`, `a: 1`, `a of list`.
    private(set) var (places, values) = ([String: [Int]](), [String: [Int]]())
    /// The files that declare a name themselves.
    private(set) var owned: [String: Set<Int>] = [:]
    /// The names that are imported, and those that are looked for: `window.Shop`.
    private(set) var (imported, lookedFor) = (Set<String>(), Set<String>())

    /// Reads a script, or a page with its scripts.
    mutating func add(_ bytes: [UInt8], path: String, isPage: Bool) {
        let start = tokens.count
        tokens += Lexer(bytes, file: paths.count, isPage: isPage).tokens
        paths.append(path)
        var open: [Int] = []
        for place in start..<tokens.count { match(place, &open) }
        for place in start..<tokens.count where isWord(place) { note(self[place], place) }
    }

    /// Matches brackets; the body of an arrow's function ends as an expression does.
    private mutating func match(_ place: Int, _ open: inout [Int]) {
        let closes = [",", ";", ")", "]", "}", "const", "let", "var"].contains(self[place])
        while closes, let last = open.last, self[last] == "=>" { open.removeLast() }
        if self[place] == Self.end { open = [] }
        let opening = [")": "(", "]": "[", "}": "{"][self[place]]
        // A bracket without a counterpart has no partner.
        if let index = open.suffix(4).lastIndex(where: { self[$0] == opening }) {
            (tokens[open[index]].partner, tokens[place].partner) = (place, open[index])
            open.removeSubrange(index...)
        }
        tokens[place].around = open.last ?? -1
        if ["(", "[", "{", "=>"].contains(self[place]) { open.append(place) }
    }

    private mutating func note(_ name: String, _ place: Int) {
        let around = tokens[place].around
        places[name, default: []].append(place)
        let mark = self[place + 1] == ":" && self[place + 3] == "=" ? place + 3 : place + 1
        let isGiven = ["=", ":", "of"].contains(self[mark]) && self[mark + 1] != "="
        if isGiven { values[name, default: []].append(mark) }
        let isListed = self[around] == "{" && [",", "}"].contains(self[place + 1])
        let before = isWord(place - 1) ? self[place - 1] : isListed ? self[around - 1] : ""
        let isDeclared =
            ["var", "let", "const", "class", "enum", "function"].contains(before)
            && self[place - 2] != "declare"
        let isGlobal = self[place + 1] == "=" && receiver(place) == nil && around < 0
        // `Shop = Shop || {}` may keep an object of the app's.
        let isKept = self[place + 1] == "=" && (self[place + 2] == name || self[place + 4] == name)
        if ["import", "as"].contains(before) {
            imported.insert(name)
        } else if isDeclared || isGlobal, !isKept {
            owned[name, default: []].insert(tokens[place].file)
        } else if before == "typeof" || self[place - 1] == "." && self[place - 2] == "window" {
            lookedFor.insert(name)
        }
    }

    subscript(place: Int) -> String { tokens.indices.contains(place) ? tokens[place].string : "" }

    func isWord(_ place: Int) -> Bool {
        self[place].first.map { $0.isLetter || $0 == "_" || $0 == "$" } ?? false
    }

    func text(_ place: Int) -> String? { self[place].hasPrefix("'") ? String(self[place].dropFirst()) : nil }

    func partner(_ place: Int) -> Int? {
        tokens.indices.contains(place) && tokens[place].partner >= 0 ? tokens[place].partner : nil
    }

    // MARK: Expressions

    /// The expression that begins at a place, of 100 tokens at most; a pair of brackets counts as one.
    func expression(_ start: Int, until mark: String = ",") -> Range<Int> {
        var end = start
        for _ in 0..<100 where !Self.ends.contains(self[end]) && self[end] != mark {
            end = max(end, partner(end) ?? 0) + 1
        }
        return start..<end
    }

    /// Where the path begins that ends with a word: `a.b.c`.
    func head(_ place: Int) -> Int {
        var head = place
        for _ in 0..<20 where self[head - 1] == "." { head -= 2 }
        return head
    }

    /// The operand in front of a mark: `a.b`, `(a)`.
    func operand(before mark: Int) -> Range<Int> {
        let last = max(0, mark - 1)
        return max(0, min(partner(last) ?? head(last), last))..<max(0, mark)
    }

    /// The arguments of a call, or the members of an object, whose bracket opens at a place.
    func parts(_ open: Int, most: Int = 8) -> [Range<Int>] {
        guard let close = partner(open) else { return [] }
        var parts: [Range<Int>] = []
        var start = open + 1
        while start < close, parts.count < most {
            parts.append(expression(start).clamped(to: start..<close))
            start = expression(start).upperBound + 1
        }
        return parts
    }

    /// The code of an expression, shortened.
    func shown(_ place: Int) -> String {
        let all = expression(place)
        let words = all.prefix(12).map { place in
            text(place).map { "'\($0.prefix(20))'" } ?? (self[place] == "," ? ", " : self[place])
        }
        return words.joined() + (all.count > 12 ? "…" : "")
    }

    // MARK: Names

    /// The object whose member a word is; nil for a global name, and empty for what an expression gives.
    func receiver(_ place: Int) -> String? {
        guard self[place - 1] == "." else { return nil }
        guard isWord(place - 2) else { return self[place - 3] == "any" ? nil : "" }
        let isGlobal = ["window", "self", "globalThis", "top", "exports"].contains(self[place - 2])
        return isGlobal ? nil : self[place - 2]
    }

    /// Whether a place is a member of the object or class with a name: `Shop = {…}`, `class Shop {…}`.
    func isMember(_ place: Int, of name: String) -> Bool {
        let open = tokens[place].around
        return self[open] == "{" && (open - 5..<open).contains { self[$0] == name }
    }

    /// Where the arguments of a call open whose function is at a place, behind types of TypeScript: `ask<A>('a')`.
    func arguments(_ place: Int) -> Int? {
        let types = (place..<place + 20).first {
            self[place + 1] == "<" && self[$0] == ">" && self[$0 + 1] == "("
        }
        let open = (types ?? place) + 1
        guard isWord(place), self[open] == "(", let close = partner(open) else { return nil }
        let mark = (close + 1..<close + 14).first { ["{", ";", ",", ")", "}"].contains(self[$0]) }
        let isDeclared = ["function", "new"].contains(self[place - 1]) || mark.flatMap(parameters) == open
        return self[place - 1] == "." || !isDeclared ? open : nil
    }

    /// Where another name of the function at a place is: `ask = bridge.call`, `{call: ask} = bridge`, `call as ask`.
    func alias(_ place: Int) -> Int? {
        let close = partner(tokens[place].around) ?? 0
        if self[place + 1] == "as" || self[place + 1] == ":" && self[close + 1] == "=", isWord(place + 2) {
            return place + 2
        }
        let mark = head(place) - 1
        let isWhole = ![".", "[", "("].contains(self[place + 1]) || self[place + 2] == "bind"
        return isWhole && ["=", ":"].contains(self[mark]) && isWord(mark - 1) ? mark - 1 : nil
    }

    // MARK: Functions

    /// The bracket of the parameters, or the only one, of the function whose body opens at a place.
    private func parameters(_ body: Int) -> Int? {
        if self[body] == "=>", isWord(body - 1), self[body - 2] != ":" { return body - 1 }
        // A return type, as in TypeScript, may be between.
        guard ["=>", "{"].contains(self[body]),
            let close = (body - 12..<body).last(where: { self[$0] == ")" }), let open = partner(close),
            close + 1 == body || self[close + 1] == ":" && close + 2 < body
        else { return nil }
        return ["if", "for", "while", "switch", "catch"].contains(self[open - 1]) ? nil : open
    }

    /// Where the parameters are of the function around a place that has one of the name there, and its index.
    func parameter(_ place: Int) -> (open: Int, index: Int)? {
        var around = place
        for _ in 0..<20 {
            around = tokens[around].around
            guard around >= 0 else { return nil }
            guard let open = parameters(around) else { continue }
            if self[open] == self[place] { return (open, 0) }
            // A type, or a value to begin with, may be behind a name, and `private` before it.
            let index = parts(open).firstIndex { $0.prefix(2).contains { self[$0] == self[place] } }
            if let index { return (open, index) }
        }
        return nil
    }

    /// Where the name is of the function whose parameters are at a place; nil where it has none.
    func function(_ open: Int) -> Int? {
        var place = open - 1
        // Types of TypeScript may be between: `ask<A>(name)`.
        if self[place] == ">", let types = (place - 6..<place).last(where: { self[$0] == "<" }) {
            place = types - 1
        }
        let isName = !["function", "async", "return", "default", "await"].contains(self[place])
        if self[open] == "(", isWord(place), isName { return place }
        for _ in 0..<3 where ["function", "async", "*"].contains(self[place]) { place -= 1 }
        guard ["=", ":"].contains(self[place]) else { return nil }
        let name = self[place] == "=" && self[place - 2] == ":" ? place - 3 : place - 1
        return isWord(name) ? name : nil
    }
}
