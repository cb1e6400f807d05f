/// A program that is asked what a call is answered: an http or https URL.
package struct ForwardTarget: Sendable, Hashable {
    /// As it was written.
    package let text: String
    /// Its scheme, host and port.
    package let origin: String
    /// Whether it is named as this machine.
    package let isLoopback: Bool

    /// Reads a URL; nil for what is none that can be asked.
    ///
    /// It has no user name, query, fragment or template, no character that is to be encoded, and neither port 0 nor a host
    /// that is none. What a call is about stands in its body.
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
