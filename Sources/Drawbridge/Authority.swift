/// Host and port of a `Host` header or a target, the host in lower case and without a trailing dot.
package struct Authority: Equatable, Sendable {
    /// A name, an IPv4 address, or an IPv6 address without its brackets.
    package let host: String
    package let port: Int?
    package let isIPv6: Bool

    /// Nil for what is no authority: user names, bad ports, spaces, lists.
    package init?(_ text: String?) {
        guard let text, !text.isEmpty else { return nil }
        var name = text[...]
        var portText: Substring?
        if text.first == "[" {
            guard let close = text.firstIndex(of: "]") else { return nil }
            name = text[text.index(after: text.startIndex)..<close]
            let rest = text[text.index(after: close)...]
            if !rest.isEmpty {
                guard rest.first == ":" else { return nil }
                portText = rest.dropFirst()
            }
            guard name.contains(":"), name.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
                return nil
            }
            isIPv6 = true
        } else {
            if let colon = text.firstIndex(of: ":") {
                name = text[..<colon]
                portText = text[text.index(after: colon)...]
            }
            if name.last == "." { name = name.dropLast() }
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isHostByte) else { return nil }
            isIPv6 = false
        }
        if let portText, !portText.isEmpty {
            guard portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(portText) else {
                return nil
            }
            self.port = Int(port)
        } else {
            port = nil
        }
        host = name.lowercased()
    }

    /// True for names and addresses that no other machine can stand behind.
    package var isLoopback: Bool {
        if isIPv6 { return host == "::1" || host == "::ffff:127.0.0.1" }
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8($0) != nil }
    }

    /// The characters of a registered name: unreserved, sub-delims and percent (RFC 3986, section 3.2.2), no comma.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~!$&'()*+;=%".utf8.contains(byte)
        }
    }
}
