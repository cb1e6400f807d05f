// One generic `encode` satisfies all requirements of a protocol, and is inlined into each of them.

extension JSONTextEncoder {
    struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let text: JSONText
        let place: Int

        var codingPath: [any CodingKey] { text.path(to: place) }

        func encodeNil(forKey key: Key) throws {
            try text.append(JSON.null, named: key.stringValue, at: place)
        }

        @inline(__always)
        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            try text.append(value, named: key.stringValue, at: place)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            text.reserveMember(key, at: place).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            text.reserveMember(key, at: place).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { text.reserveMember(JSON.PathKey.parent, at: place) }

        func superEncoder(forKey key: Key) -> any Encoder { text.reserveMember(key, at: place) }
    }

    struct UnkeyedContainer: UnkeyedEncodingContainer {
        let text: JSONText
        let place: Int

        var codingPath: [any CodingKey] { text.path(to: place) }

        var count: Int { text.count(at: place) }

        func encodeNil() throws { try text.appendElement(JSON.null, at: place) }

        func encode<Value: Encodable>(_ value: Value) throws { try text.appendElement(value, at: place) }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> {
            text.reserveElement(at: place).container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            text.reserveElement(at: place).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { text.reserveElement(at: place) }
    }
}

extension JSONTextEncoder: SingleValueEncodingContainer {
    func encodeNil() throws { try text.appendSingle(JSON.null, at: place) }

    func encode<Value: Encodable>(_ value: Value) throws { try text.appendSingle(value, at: place) }
}
