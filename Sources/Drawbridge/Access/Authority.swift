/// Host and port of a `Host` header or a target, the host in lower case and without a trailing dot.
package struct Authority: Equatable, Sendable {
    /// A name, an IPv4 address, or an IPv6 address without its brackets.
    package let host: String
    package let port: Int?
    package let isIPv6: Bool

    /// Nil for what is no authority: user names, bad ports, spaces, lists.
    package init?(_ text: String?) {
        guard let bytes = text?.utf8, let first = bytes.first else { return nil }
        let name: Substring.UTF8View
        var rest: Substring.UTF8View
        isIPv6 = first == UInt8(ascii: "[")
        if isIPv6 {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            name = bytes[..<close].dropFirst()
            rest = bytes[close...].dropFirst()
            guard name.contains(UInt8(ascii: ":")), name.allSatisfy(Self.isAddressByte) else { return nil }
        } else {
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            let dotted = bytes[..<colon]
            name = dotted.last == UInt8(ascii: ".") ? dotted.dropLast() : dotted
            rest = bytes[colon...]
            guard !name.isEmpty, name.allSatisfy(Self.isHostByte) else { return nil }
        }
        if let colon = rest.popFirst(), colon != UInt8(ascii: ":") { return nil }
        if rest.isEmpty {
            port = nil
        } else {
            guard rest.allSatisfy(Self.isDigit), let number = UInt16(Substring(rest)) else { return nil }
            port = Int(number)
        }
        host = Substring(name).lowercased()
    }

    /// True for names and addresses that no other machine can stand behind.
    package var isLoopback: Bool {
        if isIPv6 { return host == "::1" || host == "::ffff:127.0.0.1" }
        if host == "localhost" || host == "127.0.0.1" || host.hasSuffix(".localhost") { return true }
        guard host.hasPrefix("127.") else { return false }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8($0) != nil }
    }

    /// The same of an address as sockets show it: an IPv6 one has no brackets there.
    package static func isLoopback(address: String) -> Bool {
        Authority(address.contains(":") ? "[\(address)]" : address)?.isLoopback == true
    }

    /// True for the names by which nobody but this machine can be meant, and that no browser can be made to resolve.
    package var isLocal: Bool { isLoopback || host == JSBridgeRule.name }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// The characters of an IPv6 address.
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        Character(Unicode.Scalar(byte)).isHexDigit || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
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
