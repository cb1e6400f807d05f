/// Host and port of a `Host` header or a target, the host in lower case and without a trailing dot.
@usableFromInline package struct Authority: Equatable, Sendable {
    /// A name, an IPv4 address, or an IPv6 address without its brackets.
    package let host: String
    package let port: Int?
    package let isIPv6: Bool
    /// True for loopback names and addresses, and for `__jsbridge__`.
    ///
    /// Nobody can make a browser resolve one of these to another machine.
    package let isLocal: Bool

    /// The host name to which an app's pages send calls of native.
    package static let bridge = "__jsbridge__"

    /// Nil for what is not an authority: user names, bad ports, spaces, lists.
    package init?(_ text: String?) {
        guard var text, let parts = text.withUTF8(Self.parts) else { return nil }
        self = parts
    }

    private init(host: String, port: Int?, isIPv6: Bool) {
        (self.host, self.port, self.isIPv6) = (host, port, isIPv6)
        isLocal = Self.isLoopback(host, isIPv6) || host == Self.bridge
    }

    package func text(withPort port: Int) -> String { "\(isIPv6 ? "[\(host)]" : host):\(port)" }

    private static func parts(_ bytes: UnsafeBufferPointer<UInt8>) -> Authority? {
        guard let parts = HostAndPort(bytes) else { return nil }
        var host = bytes[parts.host]
        if parts.isIPv6 {
            guard host.contains(UInt8(ascii: ":")) else { return nil }
        } else if host.last == UInt8(ascii: ".") {
            host.removeLast()
            guard !host.isEmpty else { return nil }
        }
        let hasUpperCase = host.contains { $0 & 0xE0 == 0x40 }
        let text = String(decoding: host, as: UTF8.self)
        return Authority(
            host: hasUpperCase ? text.lowercased() : text, port: parts.port, isIPv6: parts.isIPv6)
    }

    /// True for loopback names and addresses, which no other machine can have.
    package var isLoopback: Bool { Self.isLoopback(host, isIPv6) }

    private static func isLoopback(_ host: String, _ isIPv6: Bool) -> Bool {
        if isIPv6 { return host == "::1" || host == "::ffff:127.0.0.1" }
        if host == "localhost" || host == "127.0.0.1" || host.hasSuffix(".localhost") { return true }
        guard host.hasPrefix("127.") else { return false }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { UInt8($0).map(String.init) == String($0) }
    }
}
