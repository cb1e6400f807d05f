import Drawbridge

/// A message between a page and native that is expected, with its answer.
struct Exchange: Sendable {
    enum Kind: Sendable {
        /// The page calls native with this input; nil for any.
        case pageCalls(with: JSON?)
        /// Native calls the page, which gives this answer; nil for any.
        case nativeCalls(with: JSON, answer: JSON?, bridge: Page.Bridge?)
        case nativeTells(with: JSON)
        /// The page hears something unasked, such as data that it was started with.
        case pageHears
    }

    let kind: Kind
    let name: String
    /// All values that the page hears of it, in order; nil for any.
    let hears: [JSON]?

    var title: String {
        switch kind {
        case .pageCalls: "the page calls \(name)"
        case .nativeCalls: "native calls \(name)"
        case .nativeTells: "native tells \(name)"
        case .pageHears: "the page hears \(name)"
        }
    }
}

/// A difference from what was expected.
struct Misfit: Sendable {
    /// What differs, as a verb: `sent`.
    let verb: String
    let found: String
    let wanted: String

    init(_ verb: String, _ found: some CustomStringConvertible, wanted: some CustomStringConvertible) {
        (self.verb, self.found, self.wanted) = (verb, "\(found)", "\(wanted)")
    }

    var lines: [String] {
        let width = 9
        return [(verb, found), ("wanted", wanted)].map { word, text in
            "      \(word)\(String(repeating: " ", count: max(1, width - word.count)))\(text.prefix(2000))"
        }
    }
}
