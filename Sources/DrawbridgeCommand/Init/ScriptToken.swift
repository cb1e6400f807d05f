/// A part of a script: comments are left out, and texts are told from everything else.
struct ScriptToken {
    enum Kind: Equatable {
        /// A name or a keyword.
        case word(String)
        /// A text in quotes or backticks; each `${…}` in it is a ``hole``, and follows as a group in parentheses.
        case text(String)
        case number
        /// `(`, `=>`, `+=` …; `?.` is `.`.
        case mark(String)
        /// Where another script of the same page begins.
        case end
    }

    /// What stands in a text for something that only runs tell.
    static let hole: Character = "\u{FFFC}"

    var kind: Kind
    let line: Int
    /// How many holes a text in backticks has.
    var holes = 0

    var word: String? {
        if case .word(let word) = kind { word } else { nil }
    }

    var text: String? {
        if case .text(let text) = kind { text } else { nil }
    }

    func isMark(_ mark: String) -> Bool { kind == .mark(mark) }
}

extension [ScriptToken] {
    /// Whether a mark stands at a place, which may lie outside.
    func isMark(_ mark: String, at place: Int) -> Bool {
        indices.contains(place) && self[place].isMark(mark)
    }

    /// The name or keyword at a place, which may lie outside.
    func word(at place: Int) -> String? { indices.contains(place) ? self[place].word : nil }
}
