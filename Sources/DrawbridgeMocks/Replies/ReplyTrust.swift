package import DrawbridgeMessages

/// What replies may contain, by where they come from.
package enum ReplyTrust: Sendable, Equatable {
    /// From a file that nobody has named, or set at run time: they may send nothing elsewhere, and cannot be a web page.
    case little
    /// From a flag or from code.
    case written
    /// From a file that somebody has named; names of other files count from its folder.
    case named(folder: String)
}

package struct AnswerFile: Sendable, Hashable {
    /// As it was written.
    package let text: String
    /// The folder that it must be in.
    package let folder: String
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

/// Supplies what replies take from outside: the answers of other programs, and files.
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
    func open(_ file: AnswerFile, for request: Request?) throws -> Response?
}

/// The http or https URL of a program that answers a call (`$forward`).
package struct ForwardTarget: Sendable, Hashable {
    /// As it was written.
    package let text: String
    package let origin: String
    package let isLoopback: Bool

    /// Reads a URL; nil for any other text.
    ///
    /// It has no user name, query, fragment or template, no character to be encoded, no port 0, and a valid host.
    /// What is called, and with what, is in the body of the request.
    init?(_ text: String) {
        guard text.hasPrefix("http://") || text.hasPrefix("https://"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !text.contains("#"), !text.contains("{{"), !text.contains("?"),
            let mark = text.firstRange(of: "://")
        else { return nil }
        let rest = text[mark.upperBound...].prefix { $0 != "/" }
        guard let authority = Authority(String(rest)), authority.port != 0,
            ![Authority.bridge, "unix"].contains(authority.host),
            let origin = WebOrigin.of(String(text[..<mark.upperBound] + rest))
        else { return nil }
        self.text = text
        self.origin = origin
        isLoopback = authority.isLocal
    }
}
