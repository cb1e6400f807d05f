// One generic `decode` satisfies all requirements of a protocol, and is inlined into each of them.

extension JSONTapeDecoder {
    struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: JSONTapeDecoder

        var codingPath: [any CodingKey] { decoder.codingPath }

        var allKeys: [Key] {
            let tape = decoder.tape
            return tape.values(in: decoder.place).compactMap { Key(stringValue: tape.string(tape[$0 - 1])) }
        }

        func contains(_ key: Key) -> Bool { decoder.member(key.stringValue) != nil }

        func decodeNil(forKey key: Key) throws -> Bool {
            let member = try member(key)
            return member.entry.kind == .null || member.isEmptyText
        }

        @inline(__always)
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try member(key, type).decode(type)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> {
            try member(key, expected: "an object").container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try member(key, expected: "an array").unkeyedContainer()
        }

        func superDecoder() -> any Decoder {
            decoder.member(JSON.PathKey.parent.stringValue)
                ?? decoder.inner(at: decoder.tape.missingParent(of: decoder.place))
        }

        func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }

        @inline(__always)
        private func member(_ key: Key, _ type: any Any.Type) throws -> JSONTapeDecoder {
            if let member = decoder.member(key.stringValue) { return member }
            let expected = JSONTapeDecoder.choices(of: type) ?? JSONTapeDecoder.expectation(of: type)
            return try member(key, expected: expected)
        }

        private func member(_ key: Key, expected: String? = nil) throws -> JSONTapeDecoder {
            if let member = decoder.member(key.stringValue) { return member }
            let problem = expected.map { "expected \($0)" } ?? ""
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: problem))
        }
    }

    struct UnkeyedContainer: UnkeyedDecodingContainer {
        private let decoder: JSONTapeDecoder
        private var place: UInt32
        private var index: UInt32 = 0

        init(decoder: JSONTapeDecoder, first: Int) {
            self.decoder = decoder
            place = UInt32(truncatingIfNeeded: first)
        }

        var codingPath: [any CodingKey] { decoder.codingPath }

        var size: Int { decoder.entry.kind == .array ? decoder.entry.count : 1 }

        var count: Int? { size }

        var currentIndex: Int { Int(index) }

        var isAtEnd: Bool { currentIndex >= size }

        mutating func decodeNil() throws -> Bool {
            guard try element().entry.kind == .null else { return false }
            return try next { _ in true }
        }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try next { try $0.decode(type) }
        }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) throws -> KeyedDecodingContainer<NestedKey> {
            try next { try $0.container(keyedBy: type) }
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try next { try $0.unkeyedContainer() }
        }

        mutating func superDecoder() throws -> any Decoder { try next { $0 } }

        /// Decodes the next element and advances; does not advance after an error.
        @inline(__always)
        mutating func next<Result>(_ read: (JSONTapeDecoder) throws -> Result) throws -> Result {
            let result = try read(try element())
            place = UInt32(truncatingIfNeeded: decoder.tape.own.next(after: Int(place)))
            index += 1
            return result
        }

        private func element() throws -> JSONTapeDecoder {
            guard isAtEnd else { return decoder.inner(at: Int(place)) }
            let path = codingPath + [JSON.PathKey(intValue: currentIndex)]
            let description = "expected another element, but the array ends here"
            let context = DecodingError.Context(codingPath: path, debugDescription: description)
            throw DecodingError.valueNotFound(JSON.self, context)
        }
    }
}

extension JSONTapeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { entry.kind == .null }
}

// These need one lookup where the protocol's defaults need three. Also, a default treats empty text as missing, since
// `decodeNil(forKey:)` does; these return it if a string is wanted.

extension JSONTapeDecoder.KeyedContainer {
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try given(key, as: type)?.decode(type)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try given(key, as: type)?.string()
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try given(key)?.bool() }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try given(key)?.double() }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try given(key)?.integer(type) }

    /// The member; nil if it is missing, null, or empty text of a form for anything but a string.
    @inline(__always)
    private func given(_ key: Key, as type: any Any.Type = Int.self) -> JSONTapeDecoder? {
        guard let member = decoder.member(key.stringValue), member.entry.kind != .null else { return nil }
        return member.isLeftOut(of: type) ? nil : member
    }
}
