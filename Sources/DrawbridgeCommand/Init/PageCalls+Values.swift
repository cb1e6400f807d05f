// What expressions may be.
extension PageCalls {
    /// Takes what an expression, or its member with one of the keys, may be for the names of calls.
    ///
    /// - Returns: whether there is any; otherwise only a run tells.
    mutating func takes(_ range: Range<Int>, _ sink: Sink, _ place: Int, depth: Int = 0) -> Bool {
        steps += 1
        // Without a type assertion of TypeScript's: `'pay' as const`.
        let end = range.prefix(12).first { ["as", "satisfies"].contains(scripts[$0]) } ?? range.upperBound
        let (first, last) = (range.lowerBound, end - 1)
        guard first <= last, depth < 6, steps < Self.mostSteps else { return false }
        // A message that has no member for its name gets the mock `message`.
        let isMessage = sink.keys.count > 1
        if first == last, let text = scripts.text(first) {
            return sink.keys.isEmpty || isMessage ? found(isMessage ? "message" : text, sink, place) : false
        }
        if first < last, scripts.partner(first) == last {
            let parts = scripts.parts(first, most: 1000)
            guard scripts[first] == "{" else { return takesAny(parts, sink, place, depth) }
            let names = parts.map { scripts.text($0.lowerBound) ?? scripts[$0.lowerBound] }
            guard let member = sink.keys.lazy.compactMap(names.lastIndex).first else {
                return isMessage && found("message", sink, place)
            }
            var sink = sink
            sink.keys = []
            let isShort = parts[member].count == 1
            return takes(isShort ? parts[member] : parts[member].dropFirst(2), sink, place, depth: depth + 1)
        }
        var word = first
        while scripts[word + 1] == ".", word + 1 < last { word += 2 }
        // Calls whose result is taken for their first argument.
        let passing = ["stringify", "encodeURIComponent", "String", "freeze", "assign"]
        if passing.contains(scripts[word]), scripts.partner(word + 1) == last {
            return takesAny(scripts.parts(word + 1, most: 1), sink, place, depth)
        }
        return word == last && scripts.isWord(word) && takesName(first, word, sink, place, depth)
    }

    private mutating func takesAny(_ parts: [Range<Int>], _ sink: Sink, _ place: Int, _ depth: Int) -> Bool {
        var isAny = false
        for part in parts { isAny = takes(part, sink, place, depth: depth + 1) || isAny }
        return isAny
    }

    /// Takes `name` or `object.name`: a parameter of the function around it, or what the folder gives it once.
    private mutating func takesName(
        _ first: Int, _ last: Int, _ sink: Sink, _ place: Int, _ depth: Int
    ) -> Bool {
        let isMember = first < last
        if last <= first + 2, !isMember || sink.keys.isEmpty, let (open, index) = scripts.parameter(first) {
            var own = sink
            if isMember { own.keys = [scripts[last]] }
            guard let name = scripts.function(open) else {
                // `['a', 'b'].forEach(name => …)`
                let call = scripts[open - 1] == "function" ? open - 2 : open - 1
                guard scripts[call] == "(", ["forEach", "map"].contains(scripts[call - 1]) else {
                    return false
                }
                return takes(scripts.operand(before: call - 2), own, place, depth: depth + 1)
            }
            (own.name, own.object, own.place, own.index) = (scripts[name], "", name, index)
            wait(own, from: place)
            return true
        }
        let all = scripts.values[scripts[last]] ?? []
        steps += all.count
        guard all.count < 100 else { return false }
        let marks = all.filter {
            $0 != last + 1 && (isMember || scripts[$0] != ":" && scripts[$0 - 2] != ".")
        }
        let near = marks.filter { scripts.tokens[$0].file == scripts.tokens[first].file }
        let isOne = Set((near.isEmpty ? marks : near).map { scripts[$0 + 1] }).count == 1
        let latest = isMember ? nil : near.last { $0 < first }
        guard let mark = latest ?? (isOne ? near.first ?? marks.first : nil) else { return false }
        return takes(scripts.expression(mark + 1), sink, place, depth: depth + 1)
    }
}
