#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSON {
    /// Makes a value of anything encodable.
    ///
    /// `Date` becomes ISO 8601 text in UTC with milliseconds, `Data` base64 text, `URL` text; `Decimal`, 128-bit
    /// integers and `JSON` keep every digit. Something that encodes nothing becomes an empty object.
    /// - Parameter value: What to encode.
    /// - Throws: `EncodingError`, for infinities and NaN among others, with the path to the value.
    public init(encoding value: some Encodable) throws {
        self = try JSONTreeEncoder().tree(of: value, at: nil)
    }

    /// The JSON text of anything encodable.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        try JSON(encoding: value).bytes
    }
}

/// Collects what one value encodes: an object, an array or a single value.
///
/// Nested values are finished before they are stored. Only the encoders that `nestedContainer` and
/// `superEncoder` hand out live on beside their place and are called in at the end.
final class JSONTreeEncoder: Encoder {
    private enum Shape: String {
        case undecided = "nothing"
        case value = "a single value"
        case array = "an array"
        case object = "an object"
    }

    private let parent: JSONTreeEncoder?
    /// The way to an encoder that its parent keeps: each would keep the other for ever.
    private let path: [any CodingKey]
    private let key: (any CodingKey)?
    private var shape = Shape.undecided
    private var value = JSON.null
    private var elements: [JSON] = []
    private var members = JSON.Object()
    private var unfinished: [Int: JSONTreeEncoder] = [:]
    private var fault: EncodingError?

    init(parent: JSONTreeEncoder? = nil, path: [any CodingKey] = [], key: (any CodingKey)? = nil) {
        self.parent = parent
        self.path = path
        self.key = key
    }

    var codingPath: [any CodingKey] {
        let path = parent?.codingPath ?? path
        return key.map { path + [$0] } ?? path
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        become(.object)
        return KeyedEncodingContainer(KeyedContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        become(.array)
        return UnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleContainer(encoder: self)
    }

    // MARK: - Storing

    var count: Int { elements.count }

    func set(_ value: JSON, for key: String) {
        let position = members.set(value, for: key)
        if !unfinished.isEmpty { unfinished[position] = nil }
    }

    func append(_ value: JSON) {
        elements.append(value)
    }

    /// Takes a whole value; an object or array extends what is there of its kind.
    func take(_ value: JSON) {
        switch value {
        case .object(let added) where shape != .undecided:
            become(.object)
            for (key, value) in added { set(value, for: key) }
        case .array(let added) where shape != .undecided:
            become(.array)
            elements += added
        default:
            become(.value)
            self.value = value
        }
    }

    /// The encoder of a member that is finished later, the same one when the member is asked for again.
    func member(_ key: any CodingKey) -> JSONTreeEncoder {
        let known = members.position(of: key.stringValue)
        if let known, let encoder = unfinished[known] { return encoder }
        let encoder = JSONTreeEncoder(path: codingPath, key: key)
        unfinished[known ?? members.set(.null, for: key.stringValue)] = encoder
        return encoder
    }

    /// The encoder of an element that is finished later.
    func element() -> JSONTreeEncoder {
        let encoder = JSONTreeEncoder(path: codingPath, key: JSON.PathKey(intValue: count))
        unfinished[count] = encoder
        elements.append(.null)
        return encoder
    }

    /// Settles on a shape; a second one is a fault that is thrown in the end, as containers cannot throw.
    private func become(_ new: Shape) {
        if shape == .undecided {
            shape = new
        } else if shape != new || new == .value {
            let problem = "encodes \(new.rawValue) after \(shape.rawValue) in the same place"
            let context = EncodingError.Context(codingPath: codingPath, debugDescription: problem)
            fault = fault ?? .invalidValue(value, context)
        }
    }

    /// The finished value.
    func finish() throws -> JSON {
        if let fault { throw fault }
        for (position, encoder) in unfinished {
            let value = try encoder.finish()
            if shape == .array {
                elements[position] = value
            } else {
                members.replaceValue(at: position, with: value)
            }
        }
        switch shape {
        case .value: return value
        case .array: return .array(elements)
        case .object, .undecided: return .object(members)
        }
    }

    // MARK: - Values

    /// The tree of a value that stands at `key` in this encoder's place.
    func tree<Value: Encodable>(of value: Value, at key: @autoclosure () -> (any CodingKey)?) throws -> JSON {
        if let scalar = try scalar(value, at: key()) { return scalar }
        let child = JSONTreeEncoder(parent: self, key: key())
        try value.encode(to: child)
        return try child.finish()
    }

    /// The tree of a value that JSON has a form for, or `nil` for one that encodes itself.
    func scalar<Value>(_ value: Value, at key: @autoclosure () -> (any CodingKey)?) throws -> JSON? {
        func number(_ number: JSON.Number?) throws -> JSON {
            if let number { return .number(number) }
            throw failure("\(value) is not a number in JSON; encode null or a text instead", value, key())
        }
        func whole<Integer: FixedWidthInteger>(_ type: Integer.Type) -> JSON {
            .number(JSON.Number(identity(value, as: type)))
        }
        if Value.self == String.self { return .string(identity(value, as: String.self)) }
        if Value.self == Int.self { return whole(Int.self) }
        if Value.self == Double.self { return try number(JSON.Number(identity(value, as: Double.self))) }
        if Value.self == Bool.self { return .bool(identity(value, as: Bool.self)) }
        if Value.self == JSON.self { return identity(value, as: JSON.self) }
        if Value.self == Date.self {
            if let text = Timestamp.text(of: identity(value, as: Date.self)) { return .string(text) }
            throw failure("the date lies outside the years 0000 to 9999", value, key())
        }
        if Value.self == Decimal.self { return try number(JSON.Number(identity(value, as: Decimal.self))) }
        if Value.self == Data.self { return .string(identity(value, as: Data.self).base64EncodedString()) }
        if Value.self == URL.self { return .string(identity(value, as: URL.self).absoluteString) }
        if Value.self == Float.self { return try number(JSON.Number(identity(value, as: Float.self))) }
        if Value.self == Int64.self { return whole(Int64.self) }
        if Value.self == Int32.self { return whole(Int32.self) }
        if Value.self == Int16.self { return whole(Int16.self) }
        if Value.self == Int8.self { return whole(Int8.self) }
        if Value.self == Int128.self { return whole(Int128.self) }
        if Value.self == UInt.self { return whole(UInt.self) }
        if Value.self == UInt64.self { return whole(UInt64.self) }
        if Value.self == UInt32.self { return whole(UInt32.self) }
        if Value.self == UInt16.self { return whole(UInt16.self) }
        if Value.self == UInt8.self { return whole(UInt8.self) }
        if Value.self == UInt128.self { return whole(UInt128.self) }
        return nil
    }

    private func failure(_ problem: String, _ value: Any, _ key: (any CodingKey)?) -> EncodingError {
        let path = key.map { codingPath + [$0] } ?? codingPath
        let place = path.isEmpty ? "" : "\(path.dotted): "
        return .invalidValue(value, .init(codingPath: path, debugDescription: place + problem))
    }
}
