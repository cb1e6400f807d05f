extension JSON {
    /// Encodes a value of any `Encodable` type.
    ///
    /// `Date` becomes ISO 8601 text in UTC with milliseconds, `Data` base64 text, `URL` text; `Decimal` and
    /// `JSON` keep every digit. A type that encodes nothing becomes an empty object.
    /// - Parameter value: The value to encode.
    /// - Throws: `EncodingError` with the coding path, for example for infinity and NaN.
    public init(encoding value: some Encodable) throws {
        self.init(try JSONTape(parsing: try JSON.encode(value), maximumDepth: .max))
    }

    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        try JSONText.written { try $0.append(value) }
    }
}

struct JSONTextEncoder: Encoder {
    let text: JSONText
    /// Identifies the value; writing is an error after it is finished, and while a value in it is unfinished.
    let place: Int

    var codingPath: [any CodingKey] { text.path(to: place) }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        text.open(.object, at: place)
        return KeyedEncodingContainer(KeyedContainer(text: text, place: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        text.open(.array, at: place)
        return UnkeyedContainer(text: text, place: place)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Writes a whole value; an object or array is appended to the members or elements that are already written.
    func take(_ value: JSON) throws {
        let isBegun = text.isBegun(at: place)
        switch value {
        case .object(let members) where isBegun:
            text.open(.object, at: place)
            for (key, value) in members { try text.append(value, named: key, at: place) }
        case .array(let elements) where isBegun:
            text.open(.array, at: place)
            for value in elements { try text.appendElement(value, at: place) }
        default:
            try text.appendSingle(value, at: place)
        }
    }
}
