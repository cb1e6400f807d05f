import HTTPTypes

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension HTTPField.Name {
    package static let host = Self("Host")!
    package static let keepAlive = Self("Keep-Alive")!
}

extension UInt8 {
    /// A character of a field value (RFC 9110, section 5.5).
    @inlinable package var isFieldByte: Bool { self >= 0x20 && self != 0x7F || self == 0x09 }

    /// A character that is allowed in a request target (RFC 9112, section 3.2): printable ASCII without space and `#`.
    @inlinable package var isTargetByte: Bool { self > 0x20 && self < 0x7F && self != UInt8(ascii: "#") }

    /// A space or a tab (RFC 9110, section 5.6.3).
    @inlinable package var isBlank: Bool { self == 0x20 || self == 0x09 }

    @inlinable package var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    @inlinable package var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    @inlinable package var isAlphanumeric: Bool { isDigit || isLetter }

    @inlinable package var isWord: Bool { isAlphanumeric || self == UInt8(ascii: "_") }

    /// Lower case for an ASCII letter; any other byte is unchanged.
    @inlinable package var lowercased: UInt8 { isLetter ? self | 0x20 : self }

    @inlinable package var hexadecimalValue: UInt8? {
        if isDigit { return self - UInt8(ascii: "0") }
        let value = lowercased &- UInt8(ascii: "a")
        return value < 6 ? value + 10 : nil
    }
}

/// A number as people write it; not what Swift takes too: `+1`, `-0`, `0x1`, `1e3`, `nan`, `.5`, digits of other scripts.
package protocol PlainNumber: LosslessStringConvertible, SendableMetatype {}
extension Int: PlainNumber {}
extension Double: PlainNumber {}

extension PlainNumber {
    package init?(plain text: some StringProtocol) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }) else { return nil }
        self.init(String(text))
    }
}

extension BidirectionalCollection where Element == UInt8 {
    /// The bytes without spaces and tabs at both ends, which do not belong to a field value (RFC 9110, section 5.5).
    @inlinable package var trimmed: SubSequence {
        let start = firstIndex { !$0.isBlank } ?? endIndex
        let end = self[start...].lastIndex { !$0.isBlank }.map(index(after:)) ?? start
        return self[start..<end]
    }
}

/// A set of ASCII characters as 128 bits, so that `contains` is a shift.
package struct ASCIISet {
    /// The characters of a token (RFC 9110, section 5.6.2).
    package static let token = ASCIISet(digits + letterText + "!#$%&'*+-.^_`|~")
    /// The characters of a registered name (RFC 3986, section 3.2.2), without the comma, which separates list members.
    package static let host = ASCIISet(digits + letterText + "-._~!$&'()*+;=%")
    /// The characters of a host name in DNS (RFC 1123, section 2.1), and the underscore, which many names have.
    package static let name = ASCIISet(digits + letterText + "-._")
    /// The characters of an IPv4 or IPv6 address, without its brackets.
    package static let address = ASCIISet(digits + "abcdefABCDEF:.")

    private static let digits = "0123456789"
    package static let letters = ASCIISet(letterText)
    private static let letterText = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    @usableFromInline var low: UInt64 = 0
    @usableFromInline var high: UInt64 = 0

    private init(_ characters: String) {
        for byte in characters.utf8 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
    }

    @inlinable package func contains(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }
}

func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Bool { memcmp(a, b, count) == 0 }

extension UnsafeRawBufferPointer {
    package func isText(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount, let baseAddress else { return false }
        return areEqual(baseAddress, text.utf8Start, count)
    }
}

extension Unicode.Scalar {
    /// False for characters that change how a log line looks: control (C0, C1), line separators, invisible formatting.
    package var isHarmless: Bool {
        if isASCII { return value >= 0x20 && value != 0x7F }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return false
        // The zero-width joiners are needed by some languages and by emoji, and do not move other text.
        case .format: return value == 0x200C || value == 0x200D
        default: return true
        }
    }
}

/// Host and port of an authority (RFC 3986, section 3.2), without user information.
package struct HostAndPort {
    /// The position of the host in the bytes, without the brackets of an IPv6 address.
    package let host: Range<Int>
    package let port: Int?
    package let isIPv6: Bool

    /// Nil if the bytes are not exactly a host with an optional port.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        isIPv6 = bytes.first == UInt8(ascii: "[")
        let fitting = isIPv6 ? ASCIISet.address : ASCIISet.host
        let start = isIPv6 ? 1 : 0
        var position = start
        while position < bytes.count, fitting.contains(bytes[position]) { position += 1 }
        guard position > start else { return nil }
        host = start..<position
        if isIPv6 {
            guard position < bytes.count, bytes[position] == UInt8(ascii: "]") else { return nil }
            position += 1
        }
        var port: Int?
        if position < bytes.count {
            guard bytes[position] == UInt8(ascii: ":") else { return nil }
            for byte in bytes[(position + 1)...] {
                guard byte.isDigit else { return nil }
                let number = (port ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
                guard number <= UInt16.max else { return nil }
                port = number
            }
        }
        self.port = port
    }
}
