#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSON {
    /// A JSON number, kept as the digits with which it was written.
    ///
    /// `12345678901234567890123` and `0.10` are written again as they were read. The digits are converted only when a
    /// property such as ``intValue`` is read. Numbers are equal if their digits are: `1` is not `1.0`.
    public struct Number: Sendable, Hashable {
        /// The number in JSON's notation, such as `-12.5e3`.
        public let literal: String

        /// Makes a number of JSON's notation; `nil` if `literal` is not a JSON number (RFC 8259, section 6).
        public init?(literal: String) {
            let isWhole = literal.utf8.span.withUnsafeBufferPointer { bytes in
                var parser = JSONParser(bytes, maximumDepth: 0)
                return parser.scanNumber() == nil && parser.isAtEnd
            }
            guard isWhole else { return nil }
            self.literal = literal
        }

        /// Makes a number with the decimal digits of an integer, also beyond 64 bits.
        public init(_ value: some BinaryInteger) {
            literal = value.description
        }

        /// Makes the shortest number that reads back as `value`, or `nil` for infinities and NaN.
        package init?(_ value: some BinaryFloatingPoint & CustomStringConvertible) {
            guard value.isFinite else { return nil }
            literal = Self.withoutZeroFraction(value.description)
        }

        /// Makes a number with every digit of `value`, or `nil` for NaN.
        package init?(_ value: Decimal) {
            guard !value.isNaN else { return nil }
            literal = value.description
        }

        init(verified literal: String) {
            self.literal = literal
        }

        fileprivate static func withoutZeroFraction(_ text: String) -> String {
            text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
    }

    /// Makes a number of an integer, a `Double` or a `Decimal`: `["price": .number(price)]`.
    ///
    /// Infinities and NaN become `null`, as in JavaScript.
    public static func number(_ value: some Numeric & CustomStringConvertible) -> JSON {
        Number(literal: Number.withoutZeroFraction(value.description)).map(JSON.number) ?? .null
    }
}

extension JSON.Number {
    /// The number as an `Int`, or `nil` when it has a fraction or does not fit.
    public var intValue: Int? { value(as: Int.self) }

    /// The nearest `Double`, or `nil` when the number is too large for one.
    public var doubleValue: Double? { Double(literal).flatMap { $0.isFinite ? $0 : nil } }

    /// The number as a `Decimal`, or `nil` when that cannot hold every digit.
    package var decimalValue: Decimal? {
        let wanted = parts
        guard wanted.digits.count <= 39, let decimal = Decimal(string: literal) else { return nil }
        guard let made = JSON.Number(decimal)?.parts, made == wanted else { return nil }
        return decimal
    }

    /// The number as an integer of this type, or `nil` when it has a fraction or does not fit.
    ///
    /// `5.0` and `5e2` are whole numbers too.
    package func value<Integer: FixedWidthInteger>(as type: Integer.Type) -> Integer? {
        if let value = Integer(literal) { return value }
        let parts = parts
        guard parts.exponent >= 0, parts.exponent <= Integer.bitWidth else { return nil }
        guard parts.digits.count <= Integer.bitWidth else { return nil }
        let zeros = String(repeating: "0", count: parts.exponent)
        let digits = String(decoding: parts.digits, as: UTF8.self)
        return Integer((parts.isNegative ? "-0" : "0") + digits + zeros)
    }

    /// Whether both have the same value, in any notation: `1` and `1.0` do.
    package func hasSameValue(as other: Self) -> Bool { parts == other.parts }

    /// The number in a notation that is the same for equal values: `1` and `1.0` both become `1e0`.
    package var canonical: Self {
        let parts = parts
        guard !parts.digits.isEmpty else { return Self(verified: "0") }
        let digits = String(decoding: parts.digits, as: UTF8.self)
        return Self(verified: "\(parts.isNegative ? "-" : "")\(digits)e\(parts.exponent)")
    }

    package var isWhole: Bool { parts.exponent >= 0 }

    /// The number as `digits × 10^exponent`, without leading and trailing zeros in `digits`.
    private struct Parts: Equatable {
        var isNegative = false
        var digits: [UInt8] = []
        var exponent = 0
    }

    /// The parts of the literal; an exponent beyond ±10^15 is clamped to that.
    private var parts: Parts {
        var parts = Parts()
        let mantissa = literal.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        var isFraction = false
        for byte in mantissa {
            switch byte {
            case UInt8(ascii: "-"): parts.isNegative = true
            case UInt8(ascii: "."): isFraction = true
            default:
                if isFraction { parts.exponent -= 1 }
                if byte != UInt8(ascii: "0") || !parts.digits.isEmpty { parts.digits.append(byte) }
            }
        }
        while parts.digits.last == UInt8(ascii: "0") {
            parts.digits.removeLast()
            parts.exponent += 1
        }
        guard !parts.digits.isEmpty else { return Parts() }
        if mantissa.endIndex < literal.endIndex {
            let written = literal[mantissa.endIndex...].dropFirst()
            let limit = 1_000_000_000_000_000
            let exponent = Int(written) ?? (written.hasPrefix("-") ? -limit : limit)
            parts.exponent += min(max(exponent, -limit), limit)
        }
        return parts
    }
}

extension UInt8 {
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}
