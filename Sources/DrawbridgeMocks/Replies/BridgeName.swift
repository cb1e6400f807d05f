import HTTPGrammar

/// The rule for names of bridges, and the names that are taken.
package enum BridgeName {
    /// Whether a text is such a name: 1 to 32 letters and digits of ASCII, `-` and `_`.
    package static func isOne(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isWord || $0 == UInt8(ascii: "-") }
    }

    /// The names of the bridges that the page runtime has itself.
    package static let own: Set = [
        "wvjb", "wvjb4", "message", "function", "queue", "reply", "ownLibrary", "inject", "shortcut",
        "iframe",
        "command", "script",
    ]
}
