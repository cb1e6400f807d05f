extension JSON {
    /// Makes a value of any decodable type out of this one.
    ///
    /// Kinds are not mixed up: a text is no number and a number no text, but `1.0` is a whole number. `Date` reads
    /// ISO 8601 text or milliseconds since 1970, `Data` base64 text, `Decimal` every digit. Members that the type
    /// does not ask for are ignored.
    ///
    /// ```swift
    /// let query: JSON = ["page": "2", "tag": "red"]
    /// let search = try query.decode(Search.self, textMembers: ["page", "tag"])  // page: Int, tag: [String]
    /// ```
    /// - Parameters:
    ///   - type: The type to make.
    ///   - textMembers: The members of the outermost object that arrived as text, from a query or a form. Their
    ///     text is read as the number, truth value or date that is asked for, and a single text as an array of
    ///     one.
    /// - Returns: The value.
    /// - Throws: `DecodingError` with the path to what does not fit.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, textMembers: Set<String> = []
    ) throws -> Value {
        try JSONTreeDecoder(self, textMembers: textMembers).decode(type)
    }
}

/// Gives one JSON value to a type that decodes itself.
final class JSONTreeDecoder: Decoder {
    let value: JSON
    private let isText: Bool
    private let textMembers: Set<String>
    private let parent: JSONTreeDecoder?
    private let key: (any CodingKey)?
    private let depth: Int

    /// How many values may decode themselves inside each other.
    ///
    /// Each takes stack, and only a type that contains itself comes this far. Half a megabyte of stack carries more
    /// than twice as many in an optimised build.
    private static let maximumDepth = 256

    init(
        _ value: JSON, isText: Bool = false, textMembers: Set<String> = [],
        parent: JSONTreeDecoder? = nil, key: (any CodingKey)? = nil
    ) {
        self.value = value
        self.isText = isText
        self.textMembers = textMembers
        self.parent = parent
        self.key = key
        depth = parent.map { $0.depth + 1 } ?? 0
    }

    var codingPath: [any CodingKey] {
        let path = parent?.codingPath ?? []
        return key.map { path + [$0] } ?? path
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else {
            throw failure(JSONScalar.Mismatch("expected an object, got \(value.kind)", value), type, at: nil)
        }
        return KeyedDecodingContainer(KeyedContainer(decoder: self, members: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        switch value {
        case .array(let elements): return UnkeyedContainer(decoder: self, elements: elements)
        case .string where isText: return UnkeyedContainer(decoder: self, elements: [value])
        default:
            let mismatch = JSONScalar.Mismatch("expected an array, got \(value.kind)", value)
            throw failure(mismatch, [JSON].self, at: nil)
        }
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        SingleContainer(decoder: self)
    }

    /// Whether a member arrived as text.
    func isText(_ member: String) -> Bool {
        !textMembers.isEmpty && textMembers.contains(member)
    }

    /// Whether the elements of this array arrived as text.
    var hasTextElements: Bool { isText }

    // MARK: - Values

    /// Makes a value of `json`, which stands at `key` in this decoder's place.
    func decode<Value: Decodable>(
        _ type: Value.Type, from json: JSON, isText: Bool, at key: @autoclosure () -> any CodingKey
    ) throws -> Value {
        do {
            return try JSONScalar(value: json, isText: isText).read(type) {
                guard depth < Self.maximumDepth else { throw JSONScalar.Mismatch.tooDeep }
                return try Value(from: JSONTreeDecoder(json, isText: isText, parent: self, key: key()))
            }
        } catch let mismatch as JSONScalar.Mismatch {
            throw failure(mismatch, type, at: key())
        }
    }

    /// Makes a value of the decoder's own.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do {
            return try JSONScalar(value: value, isText: isText).read(type) { try Value(from: self) }
        } catch let mismatch as JSONScalar.Mismatch {
            throw failure(mismatch, type, at: nil)
        }
    }

    /// The error for a value that does not fit.
    func failure(
        _ mismatch: JSONScalar.Mismatch, _ type: any Any.Type, at key: (any CodingKey)?
    ) -> DecodingError {
        let path = key.map { codingPath + [$0] } ?? codingPath
        let context = DecodingError.Context(codingPath: path, debugDescription: mismatch.message)
        return switch mismatch.cause {
        case .null: .valueNotFound(type, context)
        case .kind: .typeMismatch(type, context)
        case .content: .dataCorrupted(context)
        }
    }
}
