#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONText {
    /// Writes a value whose type has a form in JSON; `false`, without writing, for any other type.
    func write<Value: Encodable>(scalar value: Value) throws -> Bool {
        if Value.self == String.self { return done(write(identity(value, as: String.self))) }
        if Value.self == Int.self { return done(write(identity(value, as: Int.self))) }
        if Value.self == Double.self { return done(try write(identity(value, as: Double.self))) }
        if Value.self == Bool.self { return done(write(identity(value, as: Bool.self))) }
        if Value.self == [String].self {
            return done(write(identity(value, as: [String].self)) { write($0) })
        }
        if Value.self == JSON.self { return done(write(identity(value, as: JSON.self))) }
        if Value.self == Date.self {
            if let text = Timestamp.text(of: identity(value, as: Date.self)) { return done(write(text)) }
            throw failure("the date lies outside the years 0000 to 9999", value)
        }
        if Value.self == Decimal.self {
            return done(try write(JSON.Number(identity(value, as: Decimal.self)), value))
        }
        if Value.self == Data.self {
            return done(write(identity(value, as: Data.self).base64EncodedString()))
        }
        if Value.self == URL.self { return done(write(identity(value, as: URL.self).absoluteString)) }
        if Value.self == Float.self {
            return done(try write(JSON.Number(identity(value, as: Float.self)), value))
        }
        if Value.self == Int64.self { return done(write(Int(identity(value, as: Int64.self)))) }
        if Value.self == Int32.self { return done(write(Int(identity(value, as: Int32.self)))) }
        if Value.self == Int16.self { return done(write(Int(identity(value, as: Int16.self)))) }
        if Value.self == Int8.self { return done(write(Int(identity(value, as: Int8.self)))) }
        if Value.self == UInt.self { return done(write(whole: identity(value, as: UInt.self))) }
        if Value.self == UInt64.self { return done(write(whole: identity(value, as: UInt64.self))) }
        if Value.self == UInt32.self { return done(write(Int(identity(value, as: UInt32.self)))) }
        if Value.self == UInt16.self { return done(write(Int(identity(value, as: UInt16.self)))) }
        if Value.self == UInt8.self { return done(write(Int(identity(value, as: UInt8.self)))) }
        if Value.self == [Int].self { return done(write(identity(value, as: [Int].self)) { write($0) }) }
        return false
    }

    @inline(__always)
    private func done(_ written: Void) -> Bool { true }

    private func write(whole value: some BinaryInteger) { write(.number(JSON.Number(value))) }

    private func write(_ value: Double) throws {
        // Whole numbers below 2^53 are written without a fraction; not zero, since `-0` must keep its sign.
        if let whole = Int(exactly: value), whole.magnitude < 1 << 53, whole != 0 { return write(whole) }
        try write(JSON.Number(value), value)
    }

    private func write(_ number: JSON.Number?, _ value: Any) throws {
        guard let number else {
            throw failure("\(value) is not a number in JSON; encode null or a text instead", value)
        }
        write(.number(number))
    }
}

// Decodes the types that have a form in JSON. Text of a query or a form is parsed: "2" can be decoded as a number.
extension JSONTapeDecoder {
    @inline(__always)
    func string() throws -> String {
        let entry = entry
        if entry.kind == .string { return tape.string(entry) }
        if case .string(let text) = try single(String.self) { return text }
        throw mismatch("a string", String.self)
    }

    func bool() throws -> Bool {
        let entry = entry
        switch entry.kind {
        case .yes: return true
        case .no: return false
        default: break
        }
        switch try single(Bool.self) {
        case .string("true") where entry.isText, .string("1") where entry.isText: return true
        case .string("false") where entry.isText, .string("0") where entry.isText: return false
        default: throw mismatch("true or false", Bool.self)
        }
    }

    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        if let value = tape.own.shortInteger(entry), let integer = Integer(exactly: value) { return integer }
        let number = try number("a whole number", type)
        if let integer = number.value(as: type) { return integer }
        let digits = JSON.number(number).excerpt
        guard number.isWhole else { throw failure("expected a whole number, got \(digits)", type, .content) }
        throw failure("\(digits) does not fit \(type) (\(Integer.min)...\(Integer.max))", type, .content)
    }

    func double() throws -> Double {
        if let value = tape.own.shortDouble(entry) { return value }
        return try fitting(Double.self, "a number", \.doubleValue)
    }

    func float() throws -> Float {
        try fitting(Float.self, "a number") { Float($0.literal).flatMap { $0.isFinite ? $0 : nil } }
    }

    func decimal() throws -> Decimal {
        try fitting(Decimal.self, "a number", \.decimalValue)
    }

    func date() throws -> Date {
        let entry = entry
        switch try single(Date.self) {
        case .string(let text):
            if let date = Timestamp.date(from: text) { return date }
            guard entry.isText, let milliseconds = JSON.Number(text: text)?.doubleValue else { break }
            return Date(timeIntervalSince1970: milliseconds / 1000)
        case .number(let number):
            guard let milliseconds = number.doubleValue else { break }
            return Date(timeIntervalSince1970: milliseconds / 1000)
        default: throw mismatch(Self.date, Date.self)
        }
        throw mismatch(Self.date, Date.self, .content)
    }

    func data() throws -> Data {
        guard case .string(let text) = try single(Data.self) else { throw mismatch(Self.data, Data.self) }
        if let data = Data(base64Encoded: text) { return data }
        var standard = text.replacing("-", with: "+").replacing("_", with: "/")
        standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        if let data = Data(base64Encoded: standard) { return data }
        throw mismatch(Self.data, Data.self, .content)
    }

    func url() throws -> URL {
        guard case .string(let text) = try single(URL.self) else { throw mismatch(Self.url, URL.self) }
        if let url = URL(string: text) { return url }
        throw mismatch(Self.url, URL.self, .content)
    }

    /// The value; for the values of one name in a query or a form, the only one; throws if there are several.
    private func single(_ type: any Any.Type) throws -> JSON {
        let entry = entry
        guard entry.isText, entry.kind == .array else { return shown }
        if entry.count == 1 { return JSON(tape, at: place + 1) }
        throw failure("expected one value, but it was given \(entry.count) times", type)
    }

    private func number(_ expected: String, _ type: any Any.Type) throws -> JSON.Number {
        let isText = entry.isText
        switch try single(type) {
        case .number(let number): return number
        case .string(let text) where isText:
            if let number = JSON.Number(text: text) { return number }
            throw mismatch(expected, type, .content)
        default: throw mismatch(expected, type)
        }
    }

    private func fitting<Value>(
        _ type: Value.Type, _ expected: String, _ read: (JSON.Number) -> Value?
    ) throws -> Value {
        let number = try number(expected, type)
        if let value = read(number) { return value }
        throw failure("\(JSON.number(number).excerpt) does not fit \(type)", type, .content)
    }

    private func mismatch(_ expected: String, _ type: any Any.Type, _ cause: Cause = .kind) -> DecodingError {
        failure("expected \(expected), got \(shown.quoted)", type, cause)
    }

    /// How JSON represents a type, for error messages; `nil` for a type with its own `init(from:)`.
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

    /// The raw values of an enum that lists its cases: `one of small, large`; nil for any other type.
    static func choices(of type: any Any.Type) -> String? {
        (type as? any (CaseIterable & RawRepresentable).Type).map { choices(of: $0) }
    }

    private static func choices<Choice: CaseIterable & RawRepresentable>(of type: Choice.Type) -> String {
        "one of " + type.allCases.map { "\($0.rawValue)" }.joined(separator: ", ").cut(to: 120)
    }

    var isEmptyText: Bool { entry.isText && entry.kind == .string && entry.range.isEmpty }

    /// Whether this is empty text although the type is not a string: it then counts as missing.
    func isLeftOut(of type: any Any.Type) -> Bool {
        guard isEmptyText else { return false }
        let expectation = Self.expectation(of: type)
        return expectation != nil && expectation != "a string"
    }

    private static let date = "a date such as 2026-11-20T23:29:24Z"
    private static let data = "base64 text"
    private static let url = "a URL"
}

extension JSON.Number {
    /// Parses a number as people type it: with leading zeros, a plus sign, or without digits before the point (`.5`).
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

    var quoted: String {
        switch self {
        case .bool(let bool): "\(bool)"
        case .number: "the number \(excerpt)"
        case .string: "the string \(excerpt)"
        case .null, .array, .object: kind
        }
    }
}
