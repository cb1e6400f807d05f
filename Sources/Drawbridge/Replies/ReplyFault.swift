/// What is wrong in a text of replies, and where.
package struct ReplyFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, counted from 1.
    package let line: Int
    /// The byte of that line, counted from 1.
    package let column: Int
    /// The way to the value, such as `replies.pay.$cases[1]`; empty for the whole text.
    package let key: String
    /// What is wrong and what to do about it.
    package let message: String

    /// All of it, such as `line 2, column 9, replies.pay: …`.
    package var description: String {
        "line \(line), column \(column)" + (key.isEmpty ? "" : ", \(key)") + ": \(message)"
    }

    init(_ error: JSON.ParseError) {
        line = error.line
        column = error.column
        key = ""
        let isComment = ["found '/'", "found '#'"].contains(where: error.message.contains)
        message = error.message + (isComment ? "; a comment begins with // and ends with its line" : "")
    }

    package init(_ message: String, at value: LocatedJSON) {
        (line, column) = value.beginning
        key = value.path
        self.message = message
    }
}
