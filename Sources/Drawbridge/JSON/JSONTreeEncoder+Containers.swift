// One generic `encode` stands for all that each protocol asks for, except where the protocol brings its own: for
// 128-bit integers those refuse.

extension JSONTreeEncoder {
    /// Encodes the members of an object.
    struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: JSONTreeEncoder

        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil(forKey key: Key) {
            encoder.set(.null, for: key.stringValue)
        }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            encoder.set(try encoder.tree(of: value, at: key), for: key.stringValue)
        }

        func encode(_ value: Int128, forKey key: Key) { set(JSON.Number(value), key) }

        func encode(_ value: UInt128, forKey key: Key) { set(JSON.Number(value), key) }

        private func set(_ number: JSON.Number, _ key: Key) {
            encoder.set(.number(number), for: key.stringValue)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            encoder.member(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.member(key).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { encoder.member(JSON.PathKey.parent) }

        func superEncoder(forKey key: Key) -> any Encoder { encoder.member(key) }
    }

    /// Encodes the elements of an array.
    struct UnkeyedContainer: UnkeyedEncodingContainer {
        let encoder: JSONTreeEncoder

        var codingPath: [any CodingKey] { encoder.codingPath }

        var count: Int { encoder.count }

        func encodeNil() { encoder.append(.null) }

        func encode<Value: Encodable>(_ value: Value) throws {
            encoder.append(try encoder.tree(of: value, at: JSON.PathKey(intValue: encoder.count)))
        }

        func encode(_ value: Int128) { encoder.append(.number(JSON.Number(value))) }

        func encode(_ value: UInt128) { encoder.append(.number(JSON.Number(value))) }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> {
            encoder.element().container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.element().unkeyedContainer() }

        func superEncoder() -> any Encoder { encoder.element() }
    }

    /// Encodes a value that stands for the whole.
    struct SingleContainer: SingleValueEncodingContainer {
        let encoder: JSONTreeEncoder

        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil() { encoder.take(.null) }

        func encode<Value: Encodable>(_ value: Value) throws {
            if let scalar = try encoder.scalar(value, at: nil) {
                encoder.take(scalar)
            } else {
                try value.encode(to: encoder)
            }
        }

        func encode(_ value: Int128) { encoder.take(.number(JSON.Number(value))) }

        func encode(_ value: UInt128) { encoder.take(.number(JSON.Number(value))) }
    }
}
