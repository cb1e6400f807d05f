/// What a line of the log is: a terminal shows each kind in its own colour.
package enum LineKind: Sendable, Hashable {
    /// Any other message; no colour.
    case plain
    /// A call of native's; green.
    case call
    /// A call that nobody answered, or that failed; red.
    case failedCall
    /// A request that is not for native; faint.
    case passed
    /// A warning; yellow.
    case warning
    /// An error; red.
    case error
    /// What a person is asked or shown; bold and cyan.
    case question
    /// A picture made of characters; white on black whatever the terminal's colours.
    case picture

    /// The `level` in a line of JSON.
    var level: String {
        switch self {
        case .plain, .question, .picture, .call, .failedCall, .passed: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// The escape code before a line (ECMA-48, 8.3.117); nil for no colour.
    var color: String? {
        switch self {
        case .plain: nil
        case .call: "\u{1B}[32m"
        case .failedCall, .error: "\u{1B}[31m"
        case .passed: "\u{1B}[2m"
        case .warning: "\u{1B}[33m"
        case .question: "\u{1B}[1;36m"
        case .picture: "\u{1B}[97;40m"
        }
    }
}
