/// A text of a script as far as it stands there: `'/user/' + id + '?a=1'` is a text with a hole.
struct Phrase {
    var text = ""
    /// What stands in each hole, where that is one name.
    var holes: [String?] = []
    /// Behind its last part.
    var end: Int

    /// Reads a text, and all that is added to it, from its first part on.
    init?(_ script: Script, at start: Int) {
        end = start
        guard script.tokens.indices.contains(start) else { return nil }
        add(script)
        while script.tokens.isMark("+", at: end), end + 1 < script.tokens.count {
            let plus = end
            end += 1
            add(script)
            guard end > plus + 1 else {
                end = plus
                return
            }
        }
    }

    private mutating func add(_ script: Script) {
        let token = script.tokens[end]
        guard let text = token.text else { return addHole(script) }
        self.text += text
        end += 1
        for _ in 0..<token.holes {
            guard script.tokens.isMark("(", at: end), let close = script.partner(of: end) else { return }
            holes.append(Self.name(script, end + 1..<close))
            end = close + 1
        }
    }

    /// A value that only runs tell: names, calls and members of one another.
    private mutating func addHole(_ script: Script) {
        let start = end
        var isDue = true
        scan: while end < script.tokens.count {
            switch script.tokens[end].kind {
            case .word where isDue, .number where isDue: isDue = false
            case .mark(".") where !isDue: isDue = true
            case .mark("("), .mark("["):
                guard let close = script.partner(of: end) else { break scan }
                end = close
                isDue = false
            default: break scan
            }
            end += 1
        }
        guard end > start else { return }
        text.append(ScriptToken.hole)
        holes.append(Self.name(script, start..<end))
    }

    /// The one name in a range, also within the functions that write a text or a part of a URL.
    private static func name(_ script: Script, _ range: Range<Int>) -> String? {
        let tokens = script.tokens
        if range.count == 1 { return tokens[range.lowerBound].word }
        if range.count == 3, tokens[range.lowerBound + 1].isMark("."),
            let owner = tokens[range.lowerBound].word,
            let member = tokens[range.lowerBound + 2].word
        {
            return "\(owner).\(member)"
        }
        let writers = ["encodeURIComponent", "encodeURI", "String"]
        guard range.count == 4, writers.contains(tokens[range.lowerBound].word ?? "") else { return nil }
        return tokens[range.lowerBound + 2].word
    }

    /// A part of it, with what stands in the holes of that part.
    func part(_ range: Range<String.Index>) -> (text: String, holes: [String?]) {
        let before = text[..<range.lowerBound].count { $0 == ScriptToken.hole }
        let part = String(text[range])
        return (part, Array(holes.dropFirst(before).prefix(part.count { $0 == ScriptToken.hole })))
    }
}
