/// A script with its brackets and functions told apart.
struct Script {
    let tokens: [ScriptToken]
    let functions: [ScriptFunction]
    private let brackets: ScriptBrackets
    /// For each part the innermost function in whose body it is; -1 for none.
    private var scopes: [Int]
    /// For each function the one around it; -1 for none.
    private var parents: [Int]

    init(_ tokens: [ScriptToken]) {
        self.tokens = tokens
        brackets = ScriptBrackets(tokens)
        functions = ScriptFunction.all(in: tokens, brackets)
        scopes = [Int](repeating: -1, count: tokens.count)
        parents = [Int](repeating: -1, count: functions.count)
        let order = functions.indices.sorted {
            let (a, b) = (functions[$0].body, functions[$1].body)
            return (a.lowerBound, b.upperBound) < (b.lowerBound, a.upperBound)
        }
        var next = order[...]
        var open: [Int] = []
        for place in tokens.indices {
            while let last = open.last, functions[last].body.upperBound <= place { open.removeLast() }
            while let first = next.first, functions[first].body.lowerBound <= place {
                parents[first] = open.last ?? -1
                open.append(first)
                next.removeFirst()
            }
            scopes[place] = open.last ?? -1
        }
    }

    /// The function around a place that has a parameter of this name, and which one it is.
    func parameter(_ name: String, at place: Int) -> (function: ScriptFunction, index: Int)? {
        var scope = scopes[place]
        for _ in 0..<200 where scope >= 0 {
            if let index = functions[scope].parameters.firstIndex(of: name) {
                return (functions[scope], index)
            }
            scope = parents[scope]
        }
        return nil
    }

    /// The place of the other bracket; nil where there is none.
    func partner(of place: Int) -> Int? { brackets.partner(of: place) }

    /// The places of the arguments of a call, or of the members of an object, whose bracket opens at a place.
    func parts(_ open: Int, most: Int = 6) -> [Range<Int>] { brackets.parts(open, in: tokens, most: most) }

    /// The name of the object in whose braces a place is: `Shop` in `Shop = {…}` and `Shop: {…}`.
    func owner(of place: Int) -> String? { brackets.owner(of: place, in: tokens) }
}

/// Which brackets belong together.
struct ScriptBrackets {
    private var partners: [Int]
    /// For each part the innermost bracket that is open there; -1 for none.
    private var around: [Int]

    init(_ tokens: [ScriptToken]) {
        partners = [Int](repeating: -1, count: tokens.count)
        around = partners
        var open: [Int] = []
        for (place, token) in tokens.enumerated() {
            switch token.kind {
            case .mark(")"), .mark("]"), .mark("}"):
                guard let start = open.popLast() else { continue }
                (partners[start], partners[place]) = (place, start)
                around[place] = open.last ?? -1
            case .end: open = []
            default:
                around[place] = open.last ?? -1
                if [.mark("("), .mark("["), .mark("{")].contains(token.kind) { open.append(place) }
            }
        }
    }

    func partner(of place: Int) -> Int? {
        partners.indices.contains(place) && partners[place] >= 0 ? partners[place] : nil
    }

    func parts(_ open: Int, in tokens: [ScriptToken], most: Int) -> [Range<Int>] {
        guard let close = partner(of: open), close > open else { return [] }
        var ranges: [Range<Int>] = []
        var place = open + 1
        var start = place
        while place < close {
            if tokens[place].isMark(",") {
                ranges.append(start..<place)
                start = place + 1
                if ranges.count == most { return ranges }
            }
            // What is in brackets is one step.
            place = max(place, partner(of: place) ?? place) + 1
        }
        if start < close { ranges.append(start..<close) }
        return ranges
    }

    func owner(of place: Int, in tokens: [ScriptToken]) -> String? {
        let open = around[place]
        guard open >= 0, tokens[open].isMark("{") else { return nil }
        guard tokens.isMark("=", at: open - 1) || tokens.isMark(":", at: open - 1) else { return nil }
        return tokens.word(at: open - 2)
    }
}
