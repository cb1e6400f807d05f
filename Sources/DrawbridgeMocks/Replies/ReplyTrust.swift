/// What replies may say, by who has written them.
package enum ReplyTrust: Sendable, Equatable {
    /// They stand in a file that nobody has named, or are set while the gateway runs: nothing is sent elsewhere, and no page
    /// made of them.
    case little
    /// Somebody has written them into a flag or into code.
    case written
    /// Somebody has named their file; names of other files count from its folder.
    case named(folder: String)
}

/// A file that is answered with.
package struct AnswerFile: Sendable, Hashable {
    /// As it was written.
    package let text: String
    /// The folder that it does not leave.
    package let folder: String
    /// The folders below that, and the file.
    package let names: [String]

    /// Nil for what leads out of the folder, or is hidden.
    init?(_ text: String, in folder: String) {
        let names = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard
            names.allSatisfy({ !$0.hasPrefix(".") && !$0.isEmpty && !$0.contains("\\") && !$0.contains("\0") }
            )
        else { return nil }
        (self.text, self.folder, self.names) = (text, folder, names)
    }
}

/// Gives what replies take from outside: what programs say, and what is in files.
package protocol ReplySupplier: Sendable {
    /// Asks a program.
    ///
    /// - Parameter call: `{"name": …, "input": …, "page": …}`.
    /// - Returns: the value, as JSON text.
    /// - Throws: an ``HTTPError`` that says why there is none.
    func ask(_ call: [UInt8], at target: ForwardTarget, for request: Request) async throws -> [UInt8]

    /// Opens a file as it is now.
    ///
    /// - Parameter request: which may ask for a part of it; nil for all of it.
    /// - Returns: an answer with its bytes and its media type; nil where there is none.
    /// - Throws: why it cannot be read.
    func open(_ file: AnswerFile, for request: Request?) throws -> Response?
}
