/// How far the source of a reply is trusted, which decides what the reply may contain.
package enum ReplyTrust: Sendable, Equatable {
    /// From a found file that no flag names, or an API call: no `$forward`, and no response that could be a page.
    case little
    /// From a flag or from Swift code: everything is allowed, except `file`, which needs a folder.
    case written
    /// From a file that a flag names: everything is allowed; names of other files in it are relative to its folder.
    case named(folder: String)
}

package struct AnswerFile: Sendable, Hashable {
    package let text: String
    /// The folder of the file of mocks, which the name must not leave.
    package let folder: String
    package let names: [String]

    /// Nil for a name that leads out of the folder or contains a hidden file or folder.
    init?(_ text: String, in folder: String) {
        let names = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard
            names.allSatisfy({ !$0.hasPrefix(".") && !$0.isEmpty && !$0.contains("\\") && !$0.contains("\0") }
            )
        else { return nil }
        (self.text, self.folder, self.names) = (text, folder, names)
    }
}

/// Does the input and output of replies: calls to other programs (`$forward`) and files (`$response`).
package protocol ReplySupplier: Sendable {
    /// Sends a call to a program and waits for its answer.
    ///
    /// - Parameter call: the request's body, `{"name": …, "input": …, "page": …}`.
    /// - Returns: the answer, as JSON text.
    /// - Throws: an ``HTTPError`` with the reason why there is no answer.
    func ask(_ call: [UInt8], at target: ForwardTarget, for request: Request) async throws -> [UInt8]

    /// Opens a file, whose content is read anew for each response.
    ///
    /// - Parameter request: the request, which may ask for a range of bytes; nil for the whole file.
    /// - Returns: a response with the bytes and the media type; nil if there is no such file.
    func open(_ file: AnswerFile, for request: Request?) throws -> Response?
}

/// The http or https URL of a program that answers a call (`$forward`).
package struct ForwardTarget: Sendable, Hashable {
    /// The URL as written in the mock.
    package let text: String
    package let origin: String
    package let isLoopback: Bool

    /// Parses a URL; nil if it is not allowed.
    ///
    /// It must be ASCII, and have a valid host, no user name, query, fragment or template, and no port 0. The call's
    /// name and input are not part of it: they are sent in the request's body.
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
