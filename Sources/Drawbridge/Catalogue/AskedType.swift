/// A decoder that notes what a type asks for when it decodes itself.
final class AskedType: Decoder {
    let probe: TypeProbe
    /// Nil until something was asked, and where what was asked does not tell the shape.
    private(set) var shape: ValueShape?
    private var hasAsked = false
    private var isStrange = false
    private(set) var steps = 0
    /// Which of the values asked for is refused, counted from 0; nil for none.
    private let refused: Int?

    init(_ probe: TypeProbe, refusing refused: Int? = nil) {
        self.probe = probe
        self.refused = refused
    }

    /// Counts a value that is asked for; throws where it is the one to refuse.
    func step(_ type: any Any.Type) throws {
        defer { steps += 1 }
        if steps == refused {
            throw DecodingError.typeMismatch(type, .init(codingPath: [], debugDescription: "it does not fit"))
        }
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Notes that the type asks for something that made-up values cannot answer.
    func strange() -> TypeProbe.Unknown {
        isStrange = true
        shape = nil
        return TypeProbe.Unknown()
    }

    /// Begins the only container that a type may ask for.
    private func begin(_ new: ValueShape?) throws {
        guard !hasAsked else { throw strange() }
        hasAsked = true
        shape = new
    }

    func isSingle(_ new: ValueShape) throws {
        guard !isStrange, shape == nil else { throw strange() }
        shape = new
    }

    func member(_ name: String, _ member: ValueShape, isRequired: Bool) throws {
        let isNew = shape?.members?.known.contains { JSON.Bytewise($0.name) == JSON.Bytewise(name) } == false
        guard !isStrange, isNew else { throw strange() }
        shape?.members?.known.append((name, member))
        if isRequired { shape?.members?.required.insert(JSON.Bytewise(name)) }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        var object = ValueShape()
        object.members = ValueShape.Members()
        try begin(object)
        return KeyedDecodingContainer(AskedMembers(asked: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw strange() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        try begin(nil)
        return AskedValue(asked: self)
    }
}

private struct AskedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let asked: AskedType

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        _ = asked.strange()
        return []
    }

    func contains(_ key: Key) -> Bool {
        _ = asked.strange()
        return false
    }

    func decodeNil(forKey key: Key) throws -> Bool { throw asked.strange() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try asked.step(type)
        let found = try asked.probe.probe(type)
        try asked.member(key.stringValue, found.shape, isRequired: true)
        return found.value
    }

    private func leftOut<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
        try asked.step(type)
        try asked.member(key.stringValue, try asked.probe.leftOut(type).orNull, isRequired: false)
        return nil
    }

    // The protocol has defaults for these, which would ask `contains`.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try leftOut(type, key)
    }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try leftOut(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try leftOut(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try leftOut(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try leftOut(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try leftOut(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try leftOut(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try leftOut(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try leftOut(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try leftOut(type, key) }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try leftOut(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try leftOut(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try leftOut(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try leftOut(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try leftOut(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try leftOut(type, key) }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try leftOut(type, key) }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try asked.step(type)
        try asked.member(key.stringValue, ValueShape(.integer), isRequired: true)
        return 0
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try asked.step(type)
        try asked.member(key.stringValue, ValueShape(.integer), isRequired: true)
        return 0
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { throw asked.strange() }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw asked.strange()
    }

    func superDecoder() throws -> any Decoder { throw asked.strange() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw asked.strange() }
}

/// The one value that a type asks for, such as the raw value of an identifier.
private struct AskedValue: SingleValueDecodingContainer {
    let asked: AskedType

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool {
        _ = asked.strange()
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try asked.step(type)
        let found = try asked.probe.probe(type)
        try asked.isSingle(found.shape)
        return found.value
    }

    func decode(_ type: Int128.Type) throws -> Int128 {
        try asked.step(type)
        try asked.isSingle(ValueShape(.integer))
        return 0
    }

    func decode(_ type: UInt128.Type) throws -> UInt128 {
        try asked.step(type)
        try asked.isSingle(ValueShape(.integer))
        return 0
    }
}

extension TypeProbe {
    func asked<Value: Decodable>(_ type: Value.Type) throws -> Found<Value> {
        let asked = AskedType(self)
        let value = try Value(from: asked)
        guard let shape = asked.shape else { throw Unknown() }
        // A type that goes on after a refused value takes more than it has asked for here.
        for place in 0..<asked.steps {
            let refusing = AskedType(self, refusing: place)
            guard (try? Value(from: refusing)) == nil, refusing.steps == place + 1 else { throw Unknown() }
        }
        return Found(value: value, shape: shape)
    }
}
