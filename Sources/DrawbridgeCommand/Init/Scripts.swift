/// The tokens (words, strings, punctuation) of a folder's pages and scripts, one file behind the other.
struct Scripts {
    struct Token {
        /// A word, a mark, or a string behind a `'`.
        let string: String
        let line: Int
        /// The matching bracket, and the bracket that opens around this token; -1 for none.
        var partner = -1
        var around = -1
    }

    /// The mark between two scripts.
    static let end = "\0"
    static let keywords: Set = [
        "if", "for", "while", "switch", "catch", "return", "await", "typeof", "new", "in", "of", "else",
        "case",
        "function", "async", "var", "let", "const", "class", "enum", "default", "import", "static", "public",
        "private", "readonly",
    ]

    private(set) var tokens: [Token] = []
    private(set) var files: [(path: String, tokens: Range<Int>)] = []
    /// The places of each word, and those of them where it is given a value.
    private(set) var (places, assigned) = ([String: [Int]](), [String: [Int]]())
    /// The files that declare a name themselves, and those that import it.
    private(set) var (owned, imported) = ([String: Set<Int>](), [String: Set<Int>]())

    /// Reads a script, or a page with its scripts.
    mutating func add(_ bytes: [UInt8], path: String, isPage: Bool) {
        let start = tokens.count
        tokens = Lexer(bytes, after: tokens, isPage: isPage).tokens
        for place in start..<tokens.count where isWord(place) {
            let (name, around) = (self[place], tokens[place].around)
            places[name, default: []].append(place)
            if assignment(place) != nil { assigned[name, default: []].append(place) }
            let isListed = self[around] == "{" && [",", "}"].contains(self[place + 1])
            let before = isWord(place - 1) ? self[place - 1] : isListed ? self[around - 1] : ""
            let isDeclared = ["var", "let", "const", "class", "enum", "function"].contains(before)
            let isGlobal = self[place + 1] == "=" && receiver(place) == nil && around < 0
            // `Shop = Shop || {}` may keep an object of the app's.
            let isKept = self[place + 1] == "=" && (self[place + 2] == name || self[place + 4] == name)
            if ["import", "as"].contains(before) {
                imported[name, default: []].insert(files.count)
            } else if isDeclared && self[place - 2] != "declare" || isGlobal, !isKept {
                owned[name, default: []].insert(files.count)
            }
        }
        files.append((path, start..<tokens.count))
    }

    subscript(place: Int) -> String { tokens.indices.contains(place) ? tokens[place].string : "" }

    func isWord(_ place: Int) -> Bool {
        self[place].first.map { $0.isLetter || $0 == "_" || $0 == "$" } ?? false
    }

    func text(_ place: Int) -> String? { self[place].hasPrefix("'") ? String(self[place].dropFirst()) : nil }

    func partner(_ place: Int) -> Int? {
        tokens.indices.contains(place) && tokens[place].partner >= 0 ? tokens[place].partner : nil
    }

    /// The file in which a place is.
    func file(_ place: Int) -> Int {
        files.partition { $0.tokens.upperBound > place }
    }

    /// The places before of the word at a place.
    func places(before place: Int) -> ArraySlice<Int> {
        let all = places[self[place]] ?? []
        return all.prefix(all.partition { $0 >= place })
    }

    /// The mark by which a word at a place is given a value: `a = 1`, `a: 1`, `a: T = 1`, `a of list`.
    func assignment(_ place: Int) -> Int? {
        let mark = self[place + 1] == ":" && self[place + 3] == "=" ? place + 3 : place + 1
        return ["=", ":", "of", "in"].contains(self[mark]) && self[mark + 1] != "=" ? mark : nil
    }

    /// The arguments of a call, or the members of an object, whose bracket opens at a place.
    func parts(_ open: Int, most: Int = 8) -> [Range<Int>] {
        guard let close = partner(open), close > open + 1 else { return [] }
        var (parts, start) = ([Range<Int>](), open + 1)
        while start < close, parts.count < most {
            parts.append(start..<min(end(start), close))
            start = end(start) + 1
        }
        return parts
    }

    /// Where the expression at a place ends, after 100 tokens at most; a pair of brackets counts as one.
    func end(_ start: Int) -> Int {
        var end = start
        for _ in 0..<100 where end < tokens.count && ![",", ";", ")", "]", "}", Self.end].contains(self[end])
        {
            end = max(end, tokens[end].partner) + 1
        }
        return min(end, tokens.count)
    }

    /// Where the operand begins that ends at a place: `a.b(c)[d]`.
    func start(_ last: Int) -> Int {
        var start = last
        for _ in 0..<20 {
            if let open = partner(start), open < start { start = open }
            let isCalled =
                ["(", "["].contains(self[start]) && isWord(start - 1)
                && !Self.keywords.contains(self[start - 1])
            guard isCalled || self[start - 1] == "." else { break }
            start -= isCalled ? 1 : 2
        }
        return max(start, 0)
    }

    /// The parts of a concatenation that are not empty: `'a' + b`.
    func pieces(_ range: Range<Int>) -> [Range<Int>] {
        var (pieces, start, place) = ([Range<Int>](), range.lowerBound, range.lowerBound)
        while place <= range.upperBound {
            if place == range.upperBound || self[place] == "+" {
                if start < place, start + 1 < place || self[start] != "'" { pieces.append(start..<place) }
                start = place + 1
            }
            place = max(place, partner(place) ?? 0) + 1
        }
        return pieces.isEmpty ? [range] : pieces
    }

    /// The code of an expression, shortened.
    func shown(_ place: Int) -> String {
        let all = place..<end(place)
        let words = all.prefix(12).map { place in
            text(place).map { "'\($0.prefix(20))'" } ?? (self[place] == "," ? ", " : self[place])
        }
        return words.joined() + (all.count > 12 ? "…" : "")
    }

    /// Where the arguments begin for which the function at a place is called, behind types of TypeScript: `ask<A>('a')`.
    func arguments(_ place: Int) -> Int? {
        let types = (place..<place + 20).first {
            self[place + 1] == "<" && self[$0] == ">" && self[$0 + 1] == "("
        }
        let open = (types ?? place) + 1
        let isCall =
            isWord(place) && self[open] == "(" && partner(open) != nil
            && !["function", "new"].contains(self[place - 1])
        return isCall && (self[place - 1] == "." || body(of: open) == nil) ? open : nil
    }

    /// The object whose member a word is; nil for a global name, and empty for what an expression gives.
    func receiver(_ place: Int) -> String? {
        guard self[place - 1] == "." else { return nil }
        guard isWord(place - 2) else { return self[place - 3] == "any" ? nil : "" }
        let isGlobal = ["window", "self", "globalThis", "top", "exports", "globalProperties"].contains(
            self[place - 2])
        return isGlobal ? nil : self[place - 2]
    }

    /// Whether a place is a member of the object or class with a name: `Shop = {…}`, `class Shop {…}`.
    func isMember(_ place: Int, of name: String) -> Bool {
        let open = tokens[place].around
        return self[open] == "{" && (open - 5..<open).contains { self[$0] == name }
    }

    /// Where the body of a function begins whose parameters are in the bracket at a place; nil where none is.
    func body(of open: Int) -> Int? {
        guard self[open] == "(", let close = partner(open) else { return nil }
        // A return type, as in TypeScript, may be between.
        let isTyped = self[close + 1] == ":" && self[open - 1] != "?"
        let types = isTyped ? close + 2..<close + 16 : close + 1..<close + 2
        let body = types.first { ["{", "=>", ";", ",", ")"].contains(self[$0]) }
        return body.flatMap { ["{", "=>"].contains(self[$0]) ? $0 : nil }
    }

    /// Where another name of the function at a place is: `ask = bridge.call`, `{call: ask} = bridge`, `call as ask`.
    func alias(_ place: Int) -> Int? {
        let close = partner(tokens[place].around) ?? 0
        if self[place + 1] == "as" || self[place + 1] == ":" && self[close + 1] == "=", isWord(place + 2) {
            return place + 2
        }
        let mark = start(place) - 1
        let isWhole = ![".", "[", "("].contains(self[place + 1]) || self[place + 2] == "bind"
        return isWhole && ["=", ":"].contains(self[mark]) && isWord(mark - 1) ? mark - 1 : nil
    }
}

extension Array {
    /// The first index whose element is late, in an array whose early elements are before all late ones.
    fileprivate func partition(_ isLate: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            (low, high) = isLate(self[middle]) ? (low, middle) : (middle + 1, high)
        }
        return low
    }
}
