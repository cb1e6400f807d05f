#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An IPv4 or IPv6 address.
///
/// An IPv4 address that is mapped into IPv6 (`::ffff:192.0.2.1`, RFC 4291, section 2.5.5.2) counts as IPv4.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    package let isIPv6: Bool
    /// The address as a number of 128 or 32 bits.
    package let bits: UInt128

    private init(isIPv6: Bool, bits: UInt128) {
        let isMapped = isIPv6 && bits >> 32 == 0xFFFF
        self.isIPv6 = isIPv6 && !isMapped
        self.bits = isMapped ? bits & 0xFFFF_FFFF : bits
    }

    /// Reads an address as sockets show it, without brackets; a zone after `%` is ignored.
    package init?(_ text: String) {
        let plain = String(text.prefix { $0 != "%" })
        guard !plain.utf8.contains(0) else { return nil }
        var (old, new) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, plain, &old) == 1 {
            self.init(old)
        } else if inet_pton(AF_INET6, plain, &new) == 1 {
            self.init(new)
        } else {
            return nil
        }
    }

    package init(_ address: in_addr) {
        self.init(isIPv6: false, bits: UInt128(UInt32(bigEndian: address.s_addr)))
    }

    package init(_ address: in6_addr) {
        self.init(
            isIPv6: true,
            bits: withUnsafeBytes(of: address) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) })
    }

    /// Takes the 4 or 16 bytes of an address; nil for any other number of them.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.init(isIPv6: bytes.count == 16, bits: bytes.reduce(0) { $0 << 8 | UInt128($1) })
    }

    /// The IPv4 address to which a NAT64 or 6to4 address leads; any other address itself.
    ///
    /// `64:ff9b::192.0.2.1` (RFC 6052, section 2.1) and `2002:c000:201::` (RFC 3056, section 2).
    package var destination: IPAddress {
        guard isIPv6 else { return self }
        if bits >> 32 == 0x64_FF9B << 64 { return IPAddress(isIPv6: false, bits: bits & 0xFFFF_FFFF) }
        if bits >> 112 == 0x2002 { return IPAddress(isIPv6: false, bits: bits >> 80 & 0xFFFF_FFFF) }
        return self
    }

    /// True for `127.0.0.0/8` and `::1`.
    package var isLoopback: Bool { isIPv6 ? bits == 1 : bits >> 24 == 127 }

    /// The same of an address as sockets show it; two are compared first, because most clients have one of them.
    package static func isLoopback(_ text: String) -> Bool {
        text == "127.0.0.1" || text == "::1" || IPAddress(text)?.isLoopback == true
    }

    /// The numeric address, without brackets.
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        var (old, new) = (UInt32(truncatingIfNeeded: bits).bigEndian, bits.bigEndian)
        _ =
            isIPv6
            ? inet_ntop(AF_INET6, &new, &text, socklen_t(text.count))
            : inet_ntop(AF_INET, &old, &text, socklen_t(text.count))
        return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }
}
