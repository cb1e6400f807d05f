/// The http or https URL of a program that answers a call (`$forward`).
package struct ForwardTarget: Sendable, Hashable {
    /// As it was written.
    package let text: String
    /// Its scheme, host and port.
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
