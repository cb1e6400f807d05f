#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSON {
    /// Decodes a value of any `Decodable` type.
    ///
    /// Kinds are not converted: a string is not a number, but `1.0` is a whole number. `Date` is read from ISO 8601
    /// text or milliseconds since 1970, `Data` from base64 text, `Decimal` with every digit. Members that the type does
    /// not ask for are ignored.
    ///
    /// - Throws: `DecodingError` with the path to what does not fit.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONTape(self).decode(type)
    }
}

extension JSONTape {
    package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONTapeDecoder(self).decode(type)
    }
}

/// The decoder of the value at one place of a tape.
///
/// It is small enough for an `any Decoder` without an allocation, because it computes its coding path only when an
/// error needs it.
struct JSONTapeDecoder: Decoder {
    let tape: JSONTape
    private let position: UInt32
    private let depth: UInt32

    /// The limit of nested calls of `init(from:)`.
    ///
    /// Each call takes stack, and only recursive types reach the limit. In an optimised build, half a megabyte of stack
    /// is enough for more than twice as many.
    private static let maximumDepth = 256

    init(_ tape: JSONTape) {
        self.init(tape, 0, depth: 0)
    }

    private init(_ tape: JSONTape, _ place: Int, depth: UInt32) {
        self.tape = tape
        position = UInt32(truncatingIfNeeded: place)
        self.depth = depth
    }

    var place: Int { Int(position) }

    var entry: JSONTape.Entry {
        @inline(__always) get { tape[place] }
    }

    var value: JSON { JSON(tape, at: place) }

    /// The value for error messages, in which arrays and objects are shown empty.
    var shown: JSON {
        switch entry.kind {
        case .array: []
        case .object: [:]
        default: value
        }
    }

    var codingPath: [any CodingKey] { tape.path(to: place) }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard entry.kind == .object else { throw failure("expected an object, got \(shown.kind)", type) }
        return KeyedDecodingContainer(KeyedContainer(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try elements()
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    @inline(__always)
    func inner(at place: Int) -> JSONTapeDecoder {
        JSONTapeDecoder(tape, place, depth: depth + 1)
    }

    @inline(__always)
    func member(_ name: String) -> JSONTapeDecoder? {
        tape.member(name, of: place).map { inner(at: $0) }
    }

    /// The elements of an array; a single text of a query or a form is treated as an array of one.
    func elements() throws -> UnkeyedContainer {
        let entry = entry
        if entry.kind == .array { return UnkeyedContainer(decoder: self, first: place + 1) }
        guard entry.kind == .string, entry.isText else {
            throw failure("expected an array, got \(shown.kind)", [JSON].self)
        }
        return UnkeyedContainer(decoder: self, first: place)
    }

    /// Decodes a type that has a form in JSON directly, and any other with its `init(from:)`.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == String.self { return identity(try string(), as: type) }
        if type == Int.self { return identity(try integer(Int.self), as: type) }
        if type == Double.self { return identity(try double(), as: type) }
        if type == Bool.self { return identity(try bool(), as: type) }
        if type == [String].self {
            return identity(try tape.texts(at: place) ?? array { try $0.string() }, as: type)
        }
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
        if type == UInt.self { return identity(try integer(UInt.self), as: type) }
        if type == UInt64.self { return identity(try integer(UInt64.self), as: type) }
        if type == UInt32.self { return identity(try integer(UInt32.self), as: type) }
        if type == UInt16.self { return identity(try integer(UInt16.self), as: type) }
        if type == UInt8.self { return identity(try integer(UInt8.self), as: type) }
        if type == [Int].self { return identity(try array { try $0.integer(Int.self) }, as: type) }
        if type == [Double].self { return identity(try array { try $0.double() }, as: type) }
        guard depth <= Self.maximumDepth else {
            throw failure(
                "the values here are nested too deeply to be decoded", type, .content)
        }
        do {
            return try Value(from: self)
        } catch DecodingError.dataCorrupted(let context)
            where type is any RawRepresentable.Type && context.debugDescription.hasPrefix("Cannot initialize")
        {
            // The standard library's own sentence has the Swift type in it, and not the values that would fit.
            guard let choices = Self.choices(of: type) else {
                throw failure("\(shown.quoted) is not one of the possible values", type, .content)
            }
            throw failure("expected \(choices), got \(shown.quoted)", type, .content)
        }
    }

    @inline(__always)
    private func array<Element>(of read: (JSONTapeDecoder) throws -> Element) throws -> [Element] {
        var elements = try elements()
        var array: [Element] = []
        array.reserveCapacity(elements.size)
        while !elements.isAtEnd { array.append(try elements.next(read)) }
        return array
    }

    /// Whether a value has the wrong JSON type, or the right one with unsuitable content.
    enum Cause { case kind, content }

    func failure(_ problem: String, _ type: any Any.Type, _ cause: Cause = .kind) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: problem)
        if entry.kind == .null { return .valueNotFound(type, context) }
        return switch cause {
        case .kind: .typeMismatch(type, context)
        case .content: .dataCorrupted(context)
        }
    }
}
