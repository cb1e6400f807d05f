// What expressions may be.
extension PageCalls {
    enum Value {
        /// A text; it is a guess where another file declares it.
        case text(String, isGuess: Bool)
        /// An argument of the page's function whose name is at a place, or one of the members of that.
        case given(Int, index: Int, keys: [String])
    }

    /// What an expression, or a member of it, may be; nothing where only a run tells.
    ///
    /// The key `*` stands for the names of all members.
    mutating func values(of range: Range<Int>, keys: [String] = [], depth: Int = 0, isGuess: Bool = false)
        -> [Value]
    {
        steps += 1
        // Without a type assertion of TypeScript's: `'pay' as const`.
        let end =
            range.dropFirst().prefix(12).first { ["as", "satisfies"].contains(scripts[$0]) }
            ?? range.upperBound
        let pieces = scripts.pieces(range.lowerBound..<end)
        guard !range.isEmpty, depth < 6, steps < Self.mostSteps, pieces.count == 1 else { return [] }
        let (first, last) = (pieces[0].lowerBound, pieces[0].upperBound - 1)
        func inner(_ range: Range<Int>, _ keys: [String]) -> [Value] {
            values(of: range, keys: keys, depth: depth + 1, isGuess: isGuess)
        }
        // A message that has no member for its name gets the mock `message`.
        let other: [Value] = keys.count > 1 ? [.text("message", isGuess: isGuess)] : []
        if let text = scripts.text(first) {
            return first < last ? [] : keys.isEmpty ? [.text(text, isGuess: isGuess)] : other
        }
        if first < last, scripts.partner(first) == last {
            if scripts[first] == "(" { return inner(first + 1..<last, keys) }
            let parts = scripts.parts(first, most: 1000)
            if scripts[first] == "[" { return parts.flatMap { inner($0, keys) } }
            let names = parts.map { scripts.text($0.lowerBound) ?? scripts[$0.lowerBound] }
            if keys == ["*"] { return names.map { .text($0, isGuess: isGuess) } }
            guard let member = keys.lazy.compactMap(names.lastIndex).first else { return other }
            return inner(parts[member].count == 1 ? parts[member] : parts[member].dropFirst(2), [])
        }
        var place = first
        while place + 1 < last, scripts[place + 1] == ".", scripts.isWord(place + 2) { place += 2 }
        if place == last { return scripts.isWord(place) ? named(first, place, keys, depth, isGuess) : [] }
        // Calls whose result is taken for their argument.
        let passing = ["stringify", "encodeURIComponent", "String", "freeze", "assign", "keys"]
        guard passing.contains(scripts[place]), scripts.partner(place + 1) == last else { return [] }
        return scripts.parts(place + 1).first.map { inner($0, scripts[place] == "keys" ? ["*"] : keys) } ?? []
    }

    /// What `name` or `object.name` may be: what the nearest place before gives it, or else the only one that does.
    private mutating func named(_ first: Int, _ last: Int, _ keys: [String], _ depth: Int, _ isGuess: Bool)
        -> [Value]
    {
        let file = scripts.file(first)
        func assigned(_ mark: Int) -> [Value] {
            let range = mark + 1..<max(mark + 1, scripts.end(mark + 1))
            let isGuess = isGuess || scripts.file(mark) != file
            return values(
                of: range, keys: scripts[mark] == "in" ? ["*"] : keys, depth: depth + 1, isGuess: isGuess)
        }
        for place in scripts.places(before: first).suffix(30).reversed() where scripts.file(place) == file {
            steps += 1
            guard last <= first + 2, let (open, index, member) = scripts.parameter(place, of: first) else {
                if first == last, scripts.receiver(place) == nil, let mark = scripts.assignment(place),
                    scripts[mark] != ":"
                {
                    return assigned(mark)
                }
                continue
            }
            let path = [member, last > first ? scripts[last] : nil].compactMap(\.self)
            guard path.isEmpty || path.count == 1 && keys.isEmpty else { return [] }
            switch scripts.function(open) {
            case .name(let name)?: return [.given(name, index: index, keys: keys + path)]
            case .list(let list)?:
                return values(of: list, keys: keys + path, depth: depth + 1, isGuess: isGuess)
            case nil: return []
            }
        }
        var marks = (scripts.assigned[scripts[last]] ?? []).prefix(20).compactMap(scripts.assignment)
        steps += marks.count
        marks.removeAll {
            first == last ? scripts[$0] == ":" || scripts.receiver($0 - 1) != nil : $0 == last + 1
        }
        let own = marks.filter {
            last > first ? scripts.isMember($0 - 1, of: scripts[last - 2]) : scripts.file($0) == file
        }
        if !own.isEmpty { marks = own }
        guard let mark = marks.first, marks.allSatisfy({ scripts.shown($0) == scripts.shown(mark) }) else {
            return []
        }
        return assigned(mark)
    }
}

extension Scripts {
    enum FunctionName {
        case name(Int)
        /// It has none, and is called for the elements of a list.
        case list(Range<Int>)
    }

    /// The parameter that is declared at a place, if another place is in its function.
    ///
    /// - Returns: the bracket of its list, its index, and the member that it is of the argument.
    fileprivate func parameter(_ place: Int, of use: Int) -> (open: Int, index: Int, member: String?)? {
        if self[place + 1] == "=>" { return isInBody(place + 1, use) ? (place, 0, nil) : nil }
        let around = tokens[place].around
        let isMember = self[around] == "{" && self[place + 1] != ":"
        let open = isMember ? tokens[around].around : around
        guard !["if", "for", "while", "switch", "catch"].contains(self[open - 1]), let body = body(of: open),
            isInBody(body, use)
        else { return nil }
        let first = isMember ? around : place
        let index = parts(open).firstIndex {
            $0.first { $0 == around || isWord($0) && !Self.keywords.contains(self[$0]) } == first
        }
        return index.map {
            (open, $0, isMember ? self[place - 1] == ":" ? self[place - 2] : self[place] : nil)
        }
    }

    private func isInBody(_ body: Int, _ place: Int) -> Bool {
        let first = self[body] == "=>" ? body + 1 : body
        return place < (self[first] == "{" ? partner(first) ?? first : end(first))
    }

    /// The name of the function whose parameters begin at a place.
    fileprivate func function(_ open: Int) -> FunctionName? {
        var place = open - 1
        if isWord(place), self[open] == "(", !Self.keywords.contains(self[place]) { return .name(place) }
        for _ in 0..<3 where ["function", "async", "*"].contains(self[place]) { place -= 1 }
        if self[place] == "(", ["forEach", "map"].contains(self[place - 1]), self[place - 2] == "." {
            return .list(start(place - 3)..<place - 2)
        }
        guard ["=", ":"].contains(self[place]) else { return nil }
        let isTyped = self[place] == "=" && self[place - 2] == ":"
        return .name(isTyped ? place - 3 : place - 1)
    }
}
