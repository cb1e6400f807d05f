import HTTPGrammar

/// The words, texts and marks of a folder's pages and scripts, one file behind the other.
struct Scripts {
    struct Token {
        /// The number of a word or a mark; that of a text is its complement, which is less than zero.
        var word: Int32
        let line: Int32
        let file: Int32
        /// The matching bracket, and the bracket or the arrow of a function that opens around this token; -1 for none.
        var partner: Int32 = -1
        var around: Int32 = -1
    }

    private(set) var tokens: [Token] = []
    private(set) var paths: [String] = []
    private var words = Vocabulary()
    /// The places of each word, and the marks behind it where it is given a value: `a = 1`, `a: 1`, `a of list`.
    private var (places, marks) = ([[Int32]](), [Int32: [Int]]())
    /// The files that declare a name, the names that one imports, and those that are looked for: `if (window.Shop)`.
    private(set) var (declared, imported, lookedFor) = ([String: Set<Int>](), Set<String>(), Set<String>())

    mutating func add(_ bytes: [UInt8], path: String, isPage: Bool) {
        let start = tokens.count
        tokens += Lexer(bytes, file: paths.count, isPage: isPage, words: &words).tokens
        paths.append(path)
        places += Array(repeating: [], count: words.count - places.count)
        var open: [Int] = []
        for place in start..<tokens.count {
            match(place, &open)
            if tokens[place].word >= Vocabulary.first {
                places[Int(tokens[place].word)].append(Int32(place))
                if let mark = value(at: place) { marks[tokens[place].word, default: []].append(mark) }
                note(place)
            }
        }
    }

    private func mark(_ place: Int) -> Unicode.Scalar? {
        guard tokens.indices.contains(place), 0..<Vocabulary.first ~= tokens[place].word else { return nil }
        return Unicode.Scalar(UInt8(tokens[place].word))
    }

    /// Matches brackets; the body of an arrow's function ends as an expression does, or where `const` begins another line.
    private mutating func match(_ place: Int, _ open: inout [Int]) {
        let (mark, word) = (mark(place), tokens[place].word)
        let isStatement = Vocabulary.variables.contains(word)
        guard mark != nil || isStatement else { return tokens[place].around = Int32(open.last ?? -1) }
        let opening: Unicode.Scalar? = mark == ")" ? "(" : mark == "]" ? "[" : mark == "}" ? "{" : nil
        if opening != nil || mark == "," || mark == ";" || isStatement {
            while let last = open.last, tokens[last].word == Vocabulary.arrow { open.removeLast() }
        }
        if word == Vocabulary.end { open = [] }
        // A bracket without a counterpart has no partner.
        if let opening, let index = open.suffix(4).lastIndex(where: { self.mark($0) == opening }) {
            (tokens[open[index]].partner, tokens[place].partner) = (Int32(place), Int32(open[index]))
            open.removeSubrange(index...)
        }
        tokens[place].around = Int32(open.last ?? -1)
        if mark == "(" || mark == "[" || mark == "{" || word == Vocabulary.arrow { open.append(place) }
    }

    private static let declaring: Set = ["var", "let", "const", "class", "enum", "function"]

    private mutating func note(_ place: Int) {
        let (around, next) = (around(place), mark(place + 1))
        // `import { a, b }`, `const { a, b } =`
        let isListed = (next == "," || next == "}") && mark(around) == "{"
        let before = isWord(place - 1) ? self[place - 1] : isListed ? self[around - 1] : ""
        let isMember = mark(place - 1) == "."
        let isAssigned = next == "=" && mark(place + 2) != "="
        guard isMember || isAssigned || !before.isEmpty else { return }
        let name = self[place]
        // `Shop = window.Shop || {}` may keep an object of the app's.
        let isKept = next == "=" && (self[place + 2] == name || self[place + 4] == name)
        let isImported = before == "import" || before == "as"
        let isDeclared = isImported || !before.isEmpty && Self.declaring.contains(before)
        let isOfPage = isDeclared && self[place - 2] != "declare"
        if isOfPage, isListed || isImported {
            imported.insert(name)
        } else if isOfPage || isAssigned, !isKept {
            declared[name, default: []].insert(file(place))
        }
        let isTested = isMember && !isAssigned && next.map { ")&|?=".unicodeScalars.contains($0) } == true
        // Of small letters, what `typeof` is asked of is a library's more often than an app's.
        let isAsked = before == "typeof" && name.first?.isUppercase == true
        if isAsked || isTested && receiver(place) == nil { lookedFor.insert(name) }
    }

    /// Calls an object by its own name wherever a file has another for it: `const app = window.ShopApp; app.pay()`.
    mutating func rename(to isObject: (String) -> Bool) {
        var seen: Set<[Int32]> = []
        for place in places(where: isObject) where ![".", "[", "("].contains(self[place + 1]) {
            guard receiver(place) == nil, let alias = alias(place), self[alias] != self[place] else {
                continue
            }
            let (name, object, file) = (tokens[alias].word, tokens[place].word, tokens[place].file)
            guard self[alias].count > 1, seen.insert([name, file]).inserted else { continue }
            let own = places[Int(name)].filter { tokens[Int($0)].file == file }
            guard own.count(where: { value(at: Int($0)) != nil }) == 1 else { continue }
            let renamed = own.filter { $0 > alias && mark(Int($0) - 1) != "." }
            for other in renamed { tokens[Int(other)].word = object }
            places[Int(object)] += renamed
            places[Int(name)].removeAll { tokens[Int($0)].word == object }
        }
    }

    func isDeclared(_ name: String) -> Bool { declared[name] != nil || imported.contains(name) }

    // MARK: Tokens

    /// The word or mark at a place; a text is a `'` here.
    subscript(place: Int) -> String {
        guard tokens.indices.contains(place) else { return "" }
        return tokens[place].word < 0 ? "'" : words[tokens[place].word]
    }

    func isWord(_ place: Int) -> Bool {
        tokens.indices.contains(place) && tokens[place].word >= Vocabulary.first
            && words[tokens[place].word].utf8.first?.isDigit == false
    }

    func text(_ place: Int) -> String? {
        tokens.indices.contains(place) && tokens[place].word < 0 ? words[~tokens[place].word] : nil
    }

    func partner(_ place: Int) -> Int? {
        tokens.indices.contains(place) && tokens[place].partner >= 0 ? Int(tokens[place].partner) : nil
    }

    private func around(_ place: Int) -> Int { Int(tokens[place].around) }

    func file(_ place: Int) -> Int { Int(tokens[place].file) }

    func places(of word: String) -> [Int] {
        words.number(of: word).map { places[Int($0)].map(Int.init) } ?? []
    }

    func places(where fits: (String) -> Bool) -> [Int] {
        places.indices.filter { !places[$0].isEmpty && fits(words[Int32($0)]) }.flatMap {
            places[$0].map(Int.init)
        }.sorted()
    }

    /// The marks behind a word where it is given a value.
    func values(of word: String) -> [Int] { words.number(of: word).flatMap { marks[$0] } ?? [] }

    private func value(at place: Int) -> Int? {
        let place = mark(place + 1) == ":" && mark(place + 3) == "=" ? place + 3 : place + 1
        let isMark = mark(place) == "=" || mark(place) == ":" || self[place] == "of"
        return isMark && mark(place + 1) != "=" ? place : nil
    }

    // MARK: Expressions

    /// The expression that begins at a place, of 100 tokens at most; a pair of brackets counts as one.
    func expression(_ start: Int, until mark: String = ",") -> Range<Int> {
        var end = start
        for _ in 0..<100 where !isEnd(end) && self[end] != mark { end = max(end, partner(end) ?? 0) + 1 }
        return start..<end
    }

    private func isEnd(_ place: Int) -> Bool {
        switch mark(place) {
        case ",", ";", ")", "]", "}", "\0": true
        default: !tokens.indices.contains(place)
        }
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
        var (parts, start) = ([Range<Int>](), open + 1)
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

    /// Where the arguments of a call open whose function is at a place, behind types of TypeScript: `ask<A>('a')`.
    func arguments(_ place: Int) -> Int? {
        var open = place + 1
        if self[open] == "<" {
            open =
                (place..<place + 20).first { self[$0] == ">" && self[$0 + 1] == "(" }.map { $0 + 1 } ?? open
        }
        if self[open] == ".", ["call", "apply"].contains(self[open + 1]) { open += 2 }
        guard isWord(place), self[open] == "(", let close = partner(open) else { return nil }
        let mark = (close + 1..<close + 14).first { ["{", ";", ",", ")", "}"].contains(self[$0]) }
        let isDeclared = ["function", "new"].contains(self[place - 1]) || mark.flatMap(parameters) == open
        return self[place - 1] == "." || !isDeclared ? open : nil
    }

    /// Where another name of the function at a place is: `ask = bridge.call`, `{call: ask} = bridge`, `call as ask`.
    func alias(_ place: Int) -> Int? {
        let close = partner(around(place)) ?? 0
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
            around = self.around(around)
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
