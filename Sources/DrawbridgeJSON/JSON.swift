/// Any JSON value (RFC 8259).
///
/// Numbers keep their digits and objects keep the order of their members, so a value that is parsed and written again
/// does not change. Strings are equal if their UTF-8 bytes are.
///
/// ```swift
/// let reply: JSON = ["user": "ada", "scores": [1, 2.5]]
/// reply["scores"]?[1]?.numberValue?.doubleValue  // 2.5
/// ```
public enum JSON: Sendable {
    /// The value `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number of any size and precision.
    case number(Number)
    /// A string, which is compared by its UTF-8 bytes.
    case string(String)
    /// The elements, in their order.
    case array([JSON])
    /// The members, in their order, with unique names.
    case object(Object)

    /// The member with this name, or `nil` when there is none or the value is not an object.
    public subscript(key: String) -> JSON? {
        objectValue?[key]
    }

    /// The element at this position, or `nil` when there is none or the value is not an array.
    public subscript(index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// True for `null`; a missing member is a Swift `nil` instead.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The Boolean, or `nil` when the value is of another kind.
    public var boolValue: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The number, or `nil` when the value is of another kind.
    public var numberValue: Number? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The string, or `nil` when the value is of another kind.
    public var stringValue: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The elements, or `nil` when the value is not an array.
    public var arrayValue: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, or `nil` when the value is not an object.
    public var objectValue: Object? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension JSON: Hashable {
    /// Whether both are the same value: strings are compared by bytes, numbers by digits (`1` is not `1.0`), objects
    /// regardless of the order of members.
    public static func == (lhs: JSON, rhs: JSON) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.bool(let lhs), .bool(let rhs)): lhs == rhs
        case (.number(let lhs), .number(let rhs)): lhs == rhs
        case (.string(let lhs), .string(let rhs)): Bytewise(lhs) == Bytewise(rhs)
        case (.array(let lhs), .array(let rhs)): lhs == rhs
        case (.object(let lhs), .object(let rhs)): lhs == rhs
        default: false
        }
    }

    /// Feeds the value to `hasher`, in agreement with `==`.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let bool): hasher.combine(bool)
        case .number(let number): hasher.combine(number)
        case .string(let string): hasher.combine(Bytewise(string))
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(members)
        }
    }
}

extension JSON: CustomStringConvertible {
    /// The JSON text of the value.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension JSON: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a Boolean of `true` or `false`: `["ready": true]`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Makes a number of an integer literal: `["count": 1]`.
    public init(integerLiteral value: Int) { self = .number(Number(value)) }

    /// Makes a number of a literal with a fraction; a literal too large for `Double` becomes `null`.
    public init(floatLiteral value: Double) { self = Number(value).map(JSON.number) ?? .null }

    /// Makes a string of a string literal: `["name": "Ann"]`.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Makes an array of an array literal: `[1, "two"]`.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }

    /// Makes an object; if a name is repeated, its last value is kept.
    public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(Object(elements)) }
}
