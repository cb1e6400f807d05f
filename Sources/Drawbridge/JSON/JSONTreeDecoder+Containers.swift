// One generic `decode` stands for all that each protocol asks for, except where the protocol brings its own: for
// 128-bit integers those refuse, and the optional ones are in a file beside this.

extension JSONTreeDecoder {
    /// Decodes the members of an object.
    struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: JSONTreeDecoder
        let members: JSON.Object

        var codingPath: [any CodingKey] { decoder.codingPath }

        var allKeys: [Key] { members.compactMap { Key(stringValue: $0.key) } }

        func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

        func decodeNil(forKey key: Key) throws -> Bool {
            try member(key).isNull
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try required(type, key)
        }

        func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try required(type, key) }

        func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try required(type, key) }

        /// The member, which must be there.
        private func required<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
            let name = key.stringValue
            guard let value = members[name] else {
                throw missing(key, expected: JSONScalar.expectation(of: type))
            }
            return try decoder.decode(type, from: value, isText: decoder.isText(name), at: key)
        }

        /// The member, unless it is missing, null, or a text left empty.
        func optional<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
            let name = key.stringValue
            guard let value = members[name], !value.isNull else { return nil }
            let isText = decoder.isText(name)
            if isText, JSONScalar(value: value, isText: true).isLeftOut(of: type) { return nil }
            return try decoder.decode(type, from: value, isText: isText, at: key)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> {
            try child(key, expected: "an object").container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try child(key, expected: "an array").unkeyedContainer()
        }

        func superDecoder() -> any Decoder {
            JSONTreeDecoder(members["super"] ?? .null, parent: decoder, key: JSON.PathKey.parent)
        }

        func superDecoder(forKey key: Key) throws -> any Decoder {
            try child(key, expected: nil)
        }

        private func child(_ key: Key, expected: String?) throws -> JSONTreeDecoder {
            let value = try member(key, expected: expected)
            return JSONTreeDecoder(value, isText: decoder.isText(key.stringValue), parent: decoder, key: key)
        }

        private func member(_ key: Key, expected: String? = nil) throws -> JSON {
            guard let value = members[key.stringValue] else { throw missing(key, expected: expected) }
            return value
        }

        private func missing(_ key: Key, expected: String?) -> DecodingError {
            let description = expected.map { "expected \($0)" } ?? ""
            return .keyNotFound(key, .init(codingPath: codingPath, debugDescription: description))
        }
    }

    /// Decodes the elements of an array, one after the other.
    struct UnkeyedContainer: UnkeyedDecodingContainer {
        let decoder: JSONTreeDecoder
        let elements: [JSON]
        private(set) var currentIndex = 0

        init(decoder: JSONTreeDecoder, elements: [JSON]) {
            self.decoder = decoder
            self.elements = elements
        }

        var codingPath: [any CodingKey] { decoder.codingPath }

        var count: Int? { elements.count }

        var isAtEnd: Bool { currentIndex >= elements.count }

        mutating func decodeNil() throws -> Bool {
            guard try element().isNull else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next(type) }

        mutating func decode(_ type: Int128.Type) throws -> Int128 { try next(type) }

        mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next(type) }

        private mutating func next<Value: Decodable>(_ type: Value.Type) throws -> Value {
            let isText = decoder.hasTextElements
            let value = try decoder.decode(
                type, from: element(), isText: isText, at: JSON.PathKey(intValue: currentIndex))
            currentIndex += 1
            return value
        }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) throws -> KeyedDecodingContainer<NestedKey> {
            let container = try child().container(keyedBy: type)
            currentIndex += 1
            return container
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            let container = try child().unkeyedContainer()
            currentIndex += 1
            return container
        }

        mutating func superDecoder() throws -> any Decoder {
            let child = try child()
            currentIndex += 1
            return child
        }

        private func child() throws -> JSONTreeDecoder {
            let key = JSON.PathKey(intValue: currentIndex)
            return JSONTreeDecoder(try element(), isText: decoder.hasTextElements, parent: decoder, key: key)
        }

        private func element() throws -> JSON {
            guard isAtEnd else { return elements[currentIndex] }
            let path = codingPath + [JSON.PathKey(intValue: currentIndex)]
            let description = "expected another element, but the array ends here"
            let context = DecodingError.Context(codingPath: path, debugDescription: description)
            throw DecodingError.valueNotFound(JSON.self, context)
        }
    }

    /// Decodes a value that stands for the whole.
    struct SingleContainer: SingleValueDecodingContainer {
        let decoder: JSONTreeDecoder

        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool { decoder.value.isNull }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }

        func decode(_ type: Int128.Type) throws -> Int128 { try decoder.decode(type) }

        func decode(_ type: UInt128.Type) throws -> UInt128 { try decoder.decode(type) }
    }
}
