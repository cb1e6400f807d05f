import Drawbridge

// What the words of scripts mean, as far as a few words around them tell.
extension Scripts {
    /// Whether a function is called by the name at a place.
    func isCall(_ place: Int) -> Bool {
        isMark("(", place + 1) && partner(place + 1) != nil && !isFunction(place)
            && word(place - 1) != "function" && word(place - 1) != "new"
    }

    /// Whether a name is a global one, and not a member of another object.
    func isGlobal(_ place: Int) -> Bool {
        !isMark(".", place - 1) || word(place - 2).map(Self.globals.contains) ?? false
    }

    /// The code from one place to another, shortened.
    func shown(_ place: Int, to end: Int) -> String {
        let words = tokens[place..<max(place, min(end, tokens.count))].prefix(12).map {
            $0.kind == .text ? "'\($0.string.prefix(20))'" : $0.string
        }
        let isOpen = words.contains("(") && (isMark("(", end - 1) || isMark(",", end) || isMark(")", end))
        return words.joined() + (end - place > 12 ? "…" : "") + (isOpen ? ")" : "")
    }

    /// Whether the code at a place uses the bridge, and does not only test whether it is there.
    func speaks(_ hint: BridgeHint, _ place: Int) -> Bool {
        if hint.hasAppsFunctions, isMark("[", place + 1), let close = partner(place + 1) {
            return isMark("(", close + 1)
        }
        guard isMark(".", place + 1), let member = word(place + 2), hint.isSpoken(by: member) else {
            return false
        }
        return !hint.hasAppsFunctions || isCall(place + 2)
    }

    /// An alias that is made at a place: `ask = bridge.call`, `{call: ask} = bridge`, `{call}`, `call as ask`.
    func alias(_ place: Int) -> Function? {
        guard let name = word(place), !isMark("(", place + 1) else { return nil }
        if let other = word(place + 2) {
            let isDestructured =
                isMark(":", place + 1) && partner(tokens[place].around).map { isMark("=", $0 + 1) } ?? false
            if word(place + 1) == "as" || isDestructured {
                return Function(name: other, owner: nil, file: file(place))
            }
        }
        var start = place
        for _ in 0..<20 where isMark(".", start - 1) { start -= 2 }
        let isWhole = !isMark(".", place + 1) && !isMark("[", place + 1) || word(place + 2) == "bind"
        if isMark("=", start - 1) || isMark(":", start - 1), isWhole, start > 1,
            tokens[start - 2].kind != .mark
        {
            return function(start - 2)
        }
        guard start == place, isMark(",", place + 1) || isMark("}", place + 1), let owner = owner(of: place)
        else { return nil }
        return Function(name: name, owner: owner, file: file(place))
    }

    /// The object or class in whose braces a place is: `Shop` in `Shop = {…}`; empty for one without a name.
    func owner(of place: Int) -> String? {
        guard tokens.indices.contains(place), case var open = tokens[place].around, isMark("{", open) else {
            return nil
        }
        if isMark("(", open - 1), word(open - 2) == "freeze" { open -= 4 }
        if isMark("=", open - 1) || isMark(":", open - 1) {
            return word(isMark("=", open - 1) && isMark(":", open - 3) ? open - 4 : open - 2)
        }
        if word(open - 1) == "default" || word(open - 1) == "return" { return "" }
        return (1...5).first { ["class", "enum"].contains(word(open - $0 - 1)) }.flatMap { word(open - $0) }
    }

    /// Whether a file, or any file, declares a name itself, or imports it.
    func declares(_ name: String, in file: Int? = nil) -> (itself: Bool, imported: Bool) {
        var (itself, imported) = (false, false)
        for place in (places[name] ?? []).prefix(5000) where file == nil || self.file(place) == file {
            let around = tokens[place].around
            let isInBraces = isMark("{", around) && (isMark(",", place + 1) || isMark("}", place + 1))
            let before = word(place - 1) ?? (isInBraces ? word(around - 1) : nil) ?? ""
            if before == "import"
                || before == "as" && word(place - 2) != "as" && (isInBraces || isMark("*", place - 2))
            {
                imported = true
            } else if ["var", "let", "const", "class", "enum", "function"].contains(before),
                word(place - 2) != "declare"
            {
                itself = itself || !isItself(place)
            } else if isMark("=", place + 1), !isItself(place) {
                itself =
                    itself
                    || (isMark(".", place - 1)
                        ? word(place - 2).map(Self.globals.contains) ?? false : around < 0)
            }
            if itself && imported { break }
        }
        return (itself, imported)
    }

    /// `Shop = Shop || {}` or `Shop = window.Shop || {}`, which may keep an object of the app's.
    private func isItself(_ place: Int) -> Bool {
        let name = word(place)
        return isMark("=", place + 1)
            && (word(place + 2) == name || isMark(".", place + 3) && word(place + 4) == name)
    }

    /// The value of a name in a file, and whether it is a guess; nil where several are possible.
    func resolved(_ value: Value, in file: Int, depth: Int = 0) -> (value: Value, isGuess: Bool)? {
        guard case .name(let words) = value, depth < 4, let name = words.last else {
            return value == .unknown ? nil : (value, false)
        }
        var (own, others) = (Set<Value>(), Set<Value>())
        for place in (places[name] ?? []).prefix(5000) {
            var start = place + 2
            if isMark(":", place + 1), isMark("=", place + 3) { start = place + 4 }
            let isLoop = word(place + 1) == "of" || word(place + 1) == "in"
            guard isLoop || isMark("=", place + 1) || isMark(":", place + 1) else { continue }
            let object = isMark(".", place - 1) ? word(place - 2) : owner(of: place)
            let isExact =
                words.count == 1
                ? (isLoop || isMark("=", start - 1))
                    && (!isMark(".", place - 1) || Self.globals.contains(object ?? "")) : object == words[0]
            guard isExact || words.count == 2 && (object ?? "").isEmpty else { continue }
            var found = self.value(start..<max(start, end(start)), depth: depth + 1)
            if word(place + 1) == "in" { found = found.keys }
            if found == .unknown || found == value { continue }
            if isExact, self.file(place) == file { own.insert(found) } else { others.insert(found) }
        }
        let all = own.isEmpty ? others : own
        guard all.count == 1, let only = all.first, let last = resolved(only, in: file, depth: depth + 1)
        else { return nil }
        return (last.value, last.isGuess || own.isEmpty)
    }
}
