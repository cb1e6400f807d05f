#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads one JSON value as a type that JSON has a form for.
///
/// A value that arrived as text, from a query or a form, is read by what its text says.
struct JSONScalar {
    let value: JSON
    let isText: Bool

    /// Why a value does not fit: what was expected and what is there.
    struct Mismatch: Error {
        enum Cause { case null, kind, content }

        let message: String
        let cause: Cause

        init(_ message: String, _ value: JSON, cause: Cause = .kind) {
            self.message = message
            self.cause = value.isNull ? .null : cause
        }

        /// Values stand too deep inside each other for a type that contains itself.
        static let tooDeep = Mismatch(
            "the values here stand too deep inside each other to be decoded", [:], cause: .content)
    }

    /// The value as `type`; a type that JSON has no form for is left to `decode`.
    ///
    /// An optional result would read nicer, but costs a look-up of the optional type at every value.
    func read<Value>(_ type: Value.Type, otherwise decode: () throws -> Value) throws -> Value {
        if type == String.self { return identity(try string(), as: type) }
        if type == Int.self { return identity(try integer(Int.self), as: type) }
        if type == Double.self { return identity(try double(), as: type) }
        if type == Bool.self { return identity(try bool(), as: type) }
        if type == JSON.self { return identity(value, as: type) }
        if type == Date.self { return identity(try date(), as: type) }
        if type == Decimal.self { return identity(try decimal(), as: type) }
        if type == Data.self { return identity(try data(), as: type) }
        if type == URL.self { return identity(try url(), as: type) }
        if type == Float.self { return identity(try float(), as: type) }
        if type == Int64.self { return identity(try integer(Int64.self), as: type) }
        if type == Int32.self { return identity(try integer(Int32.self), as: type) }
        if type == Int16.self { return identity(try integer(Int16.self), as: type) }
        if type == Int8.self { return identity(try integer(Int8.self), as: type) }
        if type == Int128.self { return identity(try integer(Int128.self), as: type) }
        if type == UInt.self { return identity(try integer(UInt.self), as: type) }
        if type == UInt64.self { return identity(try integer(UInt64.self), as: type) }
        if type == UInt32.self { return identity(try integer(UInt32.self), as: type) }
        if type == UInt16.self { return identity(try integer(UInt16.self), as: type) }
        if type == UInt8.self { return identity(try integer(UInt8.self), as: type) }
        if type == UInt128.self { return identity(try integer(UInt128.self), as: type) }
        return try decode()
    }

    /// What a value of `type` looks like in JSON, for messages; `nil` for a type that decodes itself.
    static func expectation(of type: any Any.Type) -> String? {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any FixedWidthInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type, is Decimal.Type: "a number"
        case is Date.Type: Self.date
        case is Data.Type: Self.data
        case is URL.Type: Self.url
        case let raw as any RawRepresentable.Type: expectation(ofRaw: raw)
        default: nil
        }
    }

    private static func expectation<Raw: RawRepresentable>(ofRaw type: Raw.Type) -> String? {
        expectation(of: Raw.RawValue.self)
    }

    /// Whether this is an empty text where a number, a truth value or a date may be left out.
    func isLeftOut(of type: any Any.Type) -> Bool {
        guard isText, case .string("") = value else { return false }
        let expectation = Self.expectation(of: type)
        return expectation != nil && expectation != "a string"
    }

    private static let date = "a date such as 2026-11-20T23:29:24Z"
    private static let data = "base64 text"
    private static let url = "a URL"
}

// MARK: - Readings

extension JSONScalar {
    private func string() throws(Mismatch) -> String {
        guard case .string(let text) = try single() else { throw mismatch("a string") }
        return text
    }

    private func bool() throws(Mismatch) -> Bool {
        switch try single() {
        case .bool(let bool): return bool
        case .string("true") where isText, .string("1") where isText: return true
        case .string("false") where isText, .string("0") where isText: return false
        default: throw mismatch("true or false")
        }
    }

    private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws(Mismatch) -> Integer {
        let number = try number("a whole number")
        if let integer = number.value(as: type) { return integer }
        let digits = JSON.number(number).excerpt
        guard number.isWhole else {
            throw Mismatch("expected a whole number, got \(digits)", value, cause: .content)
        }
        let range = "\(Integer.min)...\(Integer.max)"
        throw Mismatch("\(digits) does not fit \(type) (\(range))", value, cause: .content)
    }

    private func double() throws(Mismatch) -> Double {
        let number = try number("a number")
        if let double = number.doubleValue { return double }
        throw Mismatch("\(JSON.number(number).excerpt) does not fit Double", value, cause: .content)
    }

    private func float() throws(Mismatch) -> Float {
        let number = try number("a number")
        if let float = Float(number.literal), float.isFinite { return float }
        throw Mismatch("\(JSON.number(number).excerpt) does not fit Float", value, cause: .content)
    }

    private func decimal() throws(Mismatch) -> Decimal {
        let number = try number("a number")
        if let decimal = number.decimalValue { return decimal }
        throw Mismatch("\(JSON.number(number).excerpt) does not fit Decimal", value, cause: .content)
    }

    private func date() throws(Mismatch) -> Date {
        switch try single() {
        case .string(let text):
            if let date = Timestamp.date(from: text) { return date }
            guard isText, let milliseconds = JSON.Number(text: text)?.doubleValue else { break }
            return Date(timeIntervalSince1970: milliseconds / 1000)
        case .number(let number):
            guard let milliseconds = number.doubleValue else { break }
            return Date(timeIntervalSince1970: milliseconds / 1000)
        default: throw mismatch(Self.date)
        }
        throw mismatch(Self.date, cause: .content)
    }

    private func data() throws(Mismatch) -> Data {
        guard case .string(let text) = try single() else { throw mismatch(Self.data) }
        if let data = Data(base64Encoded: text) { return data }
        var standard = text.replacing("-", with: "+").replacing("_", with: "/")
        standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        if let data = Data(base64Encoded: standard) { return data }
        throw mismatch(Self.data, cause: .content)
    }

    private func url() throws(Mismatch) -> URL {
        guard case .string(let text) = try single() else { throw mismatch(Self.url) }
        if let url = URL(string: text) { return url }
        throw mismatch(Self.url, cause: .content)
    }

    // MARK: - Steps

    /// The value, unless it was given several times where one is expected.
    private func single() throws(Mismatch) -> JSON {
        guard isText, case .array(let values) = value else { return value }
        if values.count == 1 { return values[0] }
        throw Mismatch("expected one value, but it was given \(values.count) times", value)
    }

    private func number(_ expected: String) throws(Mismatch) -> JSON.Number {
        switch try single() {
        case .number(let number): return number
        case .string(let text) where isText:
            if let number = JSON.Number(text: text) { return number }
            throw mismatch(expected, cause: .content)
        default: throw mismatch(expected)
        }
    }

    private func mismatch(_ expected: String, cause: Mismatch.Cause = .kind) -> Mismatch {
        Mismatch("expected \(expected), got \(value.quoted)", value, cause: cause)
    }
}

extension JSON.Number {
    /// A number as people type it: zeros before it, a plus sign, or nothing before the point, as in `.5`.
    fileprivate init?(text: String) {
        let isNegative = text.hasPrefix("-")
        let unsigned = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
        guard let first = unsigned.first, first == "." || first.isWholeNumber else { return nil }
        var digits = unsigned.drop { $0 == "0" }
        if !(digits.first?.isWholeNumber ?? false) { digits = "0" + digits }
        self.init(literal: (isNegative ? "-" : "") + digits)
    }
}

extension JSON {
    /// The kind of the value, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The value for messages, cut when it is long.
    var quoted: String {
        switch self {
        case .bool(let bool): "\(bool)"
        case .number: "the number \(excerpt)"
        case .string: "the string \(excerpt)"
        case .null, .array, .object: kind
        }
    }
}
