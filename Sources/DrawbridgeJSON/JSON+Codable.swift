extension JSON: Codable {
    /// Encodes the value; other formats get a number as the first of `Int`, `UInt64`, `Decimal`, `Double` that holds
    /// it.
    ///
    /// - Throws: the encoder's error.
    public func encode(to encoder: any Encoder) throws {
        if let own = encoder as? JSONTextEncoder { return try own.take(self) }
        switch self {
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let members):
            var container = encoder.container(keyedBy: PathKey.self)
            for (key, value) in members { try container.encode(value, forKey: PathKey(stringValue: key)) }
        case .null: try Optional<Bool>.none.encode(to: encoder)
        case .bool(let bool): try bool.encode(to: encoder)
        case .string(let string): try string.encode(to: encoder)
        case .number(let number):
            let values: [(any Encodable)?] = [
                number.intValue, number.value(as: UInt64.self), number.decimalValue, number.doubleValue,
            ]
            var container = encoder.singleValueContainer()
            guard let value = values.lazy.compactMap(\.self).first else {
                let problem = "\(excerpt) does not fit a number of this encoder"
                let context = EncodingError.Context(
                    codingPath: container.codingPath, debugDescription: problem)
                throw EncodingError.invalidValue(number, context)
            }
            try container.encode(value)
        }
    }

    /// Decodes a value; from a format other than JSON, by trying object, array and the scalar types in turn.
    ///
    /// - Throws: a `DecodingError` if the value is of none of them.
    public init(from decoder: any Decoder) throws {
        if let own = decoder as? JSONTapeDecoder {
            self = own.value
        } else if let container = try? decoder.container(keyedBy: PathKey.self) {
            let members = try container.allKeys.map { key in
                (key.stringValue, try container.decode(JSON.self, forKey: key))
            }
            self = .object(Object(members))
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSON] = []
            while !container.isAtEnd { elements.append(try container.decode(JSON.self)) }
            self = .array(elements)
        } else {
            self = try JSON(fromSingle: decoder.singleValueContainer())
        }
    }

    private init(fromSingle container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let value = try? container.decode(Int.self) {
            self = .number(Number(value))
        } else if let value = try? container.decode(UInt64.self) {
            self = .number(Number(value))
        } else if let value = try? container.decode(Double.self), let number = Number(value) {
            self = .number(number)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    struct PathKey: CodingKey {
        let stringValue: String
        let intValue: Int?

        init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }

        init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }

        /// The key of a member that `superEncoder()` writes and `superDecoder()` reads.
        static let parent = PathKey(stringValue: "super")
    }
}

/// Casts `value` to `Result`, which must be its type; the compiler cannot know that in generic code.
///
/// The caller has compared the types; `as!` would look them up again for every value.
@inline(__always)
package func identity<Source, Result>(_ value: Source, as target: Result.Type) -> Result {
    precondition(Source.self == Result.self)
    return unsafeBitCast(value, to: Result.self)
}
