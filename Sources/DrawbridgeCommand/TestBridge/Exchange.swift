import Drawbridge

/// One thing that a page and native are expected to say to each other.
struct Exchange: Sendable {
    enum Kind: Sendable {
        /// The page calls native with this; nil for whatever it likes.
        case pageCalls(with: JSON?)
        /// Native calls the page, which answers so; nil for whatever it likes.
        case nativeCalls(with: JSON, answer: JSON?, bridge: Page.Bridge?)
        /// Native tells the page of an event.
        case nativeTells(with: JSON)
        /// The page has something without asking for it, such as what it was started with.
        case pageHears
    }

    let kind: Kind
    /// What is called, or the event.
    let name: String
    /// All that the page hears of it, in order; nil for whatever it likes.
    let hears: [JSON]?

    /// The exchange in words.
    var title: String {
        switch kind {
        case .pageCalls: "the page calls \(name)"
        case .nativeCalls: "native calls \(name)"
        case .nativeTells: "native tells \(name)"
        case .pageHears: "the page hears \(name)"
        }
    }
}

/// What was other than expected.
struct Misfit: Sendable {
    /// What it is about, as a verb: `sent`.
    let verb: String
    let found: String
    let wanted: String

    init(_ verb: String, _ found: JSON, wanted: JSON) {
        self.init(verb, "\(found)", wanted: "\(wanted)")
    }

    init(_ verb: String, _ found: String, wanted: String) {
        (self.verb, self.found, self.wanted) = (verb, found, wanted)
    }

    /// Both values, one below the other.
    var lines: [String] {
        let width = 9
        return [(verb, found), ("wanted", wanted)].map { word, text in
            "      \(word)\(String(repeating: " ", count: max(1, width - word.count)))\(text.prefix(2000))"
        }
    }
}
