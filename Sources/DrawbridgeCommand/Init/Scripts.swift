import HTTPGrammar

/// The tokens of a folder's pages and scripts, file after file: words, string literals (`text`), punctuation (`mark`).
struct Scripts {
    struct Token {
        /// The number of a word or punctuation mark; a string literal has the complement of its number (negative).
        var word: Int32
        let line: Int32
        let file: Int32
        /// The index of the matching bracket, and of the bracket or `=>` that encloses this token; -1 for none.
        var partner: Int32 = -1
        var around: Int32 = -1
    }

    private(set) var tokens: [Token] = []
    private(set) var paths: [String] = []
    private var words = Vocabulary()
    /// The places of each word, and of the `=`, `:` or `of` that gives it a value: `a = 1`, `a: 1`, `a of list`.
    private var (places, marks) = ([[Int32]](), [Int32: [Int]]())
    /// The files that declare each name, the names that files import, and names that are tested: `if (window.Shop)`.
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

    /// Matches brackets; the body of an arrow function ends at a closing bracket, a comma, a semicolon, or `const`.
    private mutating func match(_ place: Int, _ open: inout [Int]) {
        let (mark, word) = (mark(place), tokens[place].word)
        let isStatement = Vocabulary.variables.contains(word)
        guard mark != nil || isStatement else { return tokens[place].around = Int32(open.last ?? -1) }
        let opening: Unicode.Scalar? = mark == ")" ? "(" : mark == "]" ? "[" : mark == "}" ? "{" : nil
        if opening != nil || mark == "," || mark == ";" || isStatement {
            while let last = open.last, tokens[last].word == Vocabulary.arrow { open.removeLast() }
        }
        if word == Vocabulary.end { open = [] }
        // A closing bracket whose counterpart is not among the last four open ones has no partner.
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
        // Whether the name is in a list in braces: `import { a, b }`, `const { a, b } =`
        let isListed = (next == "," || next == "}") && mark(around) == "{"
        let before = isWord(place - 1) ? self[place - 1] : isListed ? self[around - 1] : ""
        let isMember = mark(place - 1) == "."
        let isAssigned = next == "=" && mark(place + 2) != "="
        guard isMember || isAssigned || !before.isEmpty else { return }
        let name = self[place]
        // `Shop = window.Shop || {}` keeps the app's object if there is one, so it does not declare `Shop`.
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
        // A lowercase name after `typeof` is more often a library's object than an app's.
        let isAsked = before == "typeof" && name.first?.isUppercase == true
        if isAsked || isTested && receiver(place) == nil { lookedFor.insert(name) }
    }

    /// Replaces a file's variable for an object by the object's name: `const app = window.ShopApp; app.pay()`.
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

    /// The word or punctuation mark at a place; `'` for a string literal, and empty outside of the tokens.
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

    /// The places of each `=`, `:` or `of` that gives a word a value.
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

    /// The place of `a` in `a.b.c`, if `c` is at the given place.
    func head(_ place: Int) -> Int {
        var head = place
        for _ in 0..<20 where self[head - 1] == "." { head -= 2 }
        return head
    }

    /// The operand before an operator: `a.b`, `(a)`.
    func operand(before mark: Int) -> Range<Int> {
        let last = max(0, mark - 1)
        return max(0, min(partner(last) ?? head(last), last))..<max(0, mark)
    }

    /// The arguments of a call, elements of an array or members of an object, whose bracket opens at a place.
    func parts(_ open: Int, most: Int = 8) -> [Range<Int>] {
        guard let close = partner(open) else { return [] }
        var (parts, start) = ([Range<Int>](), open + 1)
        while start < close, parts.count < most {
            parts.append(expression(start).clamped(to: start..<close))
            start = expression(start).upperBound + 1
        }
        return parts
    }

    /// The code of an expression for a comment in drawbridge.json: its first 12 tokens.
    func shown(_ place: Int) -> String {
        let all = expression(place)
        let words = all.prefix(12).map { place in
            text(place).map { "'\($0.prefix(20))'" } ?? (self[place] == "," ? ", " : self[place])
        }
        return words.joined() + (all.count > 12 ? "…" : "")
    }

    // MARK: Names

    /// The object before the word's dot: `a` in `a.b`; nil for a global, as in `window.b`; empty in `f().b`.
    func receiver(_ place: Int) -> String? {
        guard self[place - 1] == "." else { return nil }
        guard isWord(place - 2) else { return self[place - 3] == "any" ? nil : "" }
        let isGlobal = ["window", "self", "globalThis", "top", "exports"].contains(self[place - 2])
        return isGlobal ? nil : self[place - 2]
    }

    /// The opening parenthesis of a call whose function is at a place: `ask('a')`, `ask<A>('a')`; nil if it is no call.
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

    /// The place of an alias for the function at a place: `ask = bridge.call`, `{call: ask} = bridge`, `call as ask`.
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

    /// The opening parenthesis of the parameters of the function whose body opens at a place; in `a => …` it is `a`.
    private func parameters(_ body: Int) -> Int? {
        if self[body] == "=>", isWord(body - 1), self[body - 2] != ":" { return body - 1 }
        // In TypeScript, a return type may be between the parameters and the body.
        guard ["=>", "{"].contains(self[body]),
            let close = (body - 12..<body).last(where: { self[$0] == ")" }), let open = partner(close),
            close + 1 == body || self[close + 1] == ":" && close + 2 < body
        else { return nil }
        return ["if", "for", "while", "switch", "catch"].contains(self[open - 1]) ? nil : open
    }

    /// Finds the parameter that the name at a place means: where its function's parameters open, and its index.
    func parameter(_ place: Int) -> (open: Int, index: Int)? {
        var around = place
        for _ in 0..<20 {
            around = self.around(around)
            guard around >= 0 else { return nil }
            guard let open = parameters(around) else { continue }
            if self[open] == self[place] { return (open, 0) }
            // A type or default value may follow a parameter's name, and `private` may precede it.
            let index = parts(open).firstIndex { $0.prefix(2).contains { self[$0] == self[place] } }
            if let index { return (open, index) }
        }
        return nil
    }

    /// The place of the name of the function whose parameters open at a place; nil if the function is anonymous.
    func function(_ open: Int) -> Int? {
        var place = open - 1
        // In TypeScript, type parameters may be between the name and the parameters: `ask<A>(name)`.
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
