/// What a line of the log is: a terminal shows each kind in its own colour.
package enum LineKind: Sendable, Hashable {
    /// What happened.
    case plain
    /// What somebody should look at; yellow.
    case warning
    /// What failed; red.
    case error
    /// What a person is asked or shown; bold and cyan.
    case question

    /// The level that stands in a line of JSON.
    var level: String {
        switch self {
        case .plain, .question: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// The escape codes around a line: ECMA-48, 8.3.117.
    var codes: (begin: String, end: String) {
        switch self {
        case .plain: ("", "")
        case .warning: ("\u{1B}[33m", "\u{1B}[m")
        case .error: ("\u{1B}[31m", "\u{1B}[m")
        case .question: ("\u{1B}[1;36m", "\u{1B}[m")
        }
    }
}
