#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds out what a `Decodable` type takes: it decodes made-up values, and this notes what it asks for.
///
/// The values are `""`, `0` and `false`, which any page can send. An `init(from:)` that Swift synthesises asks for each
/// member once, and fails at the first that does not fit. Where a type does anything else, such as asking whether a
/// member is there, or trying a second kind where the first does not fit, its shape counts as unknown: a part of the
/// truth would be taken for the whole.
struct TypeProbe {
    /// The shape of what a type takes; nil where that cannot be found out.
    static func shape<Value: Decodable>(of type: Value.Type) -> ValueShape? {
        try? TypeProbe().probe(type).shape
    }

    /// The error where the shape cannot be found out.
    struct Unknown: Error {}

    struct Found<Value> {
        let value: Value
        let shape: ValueShape
    }

    private var around: [ObjectIdentifier] = []
    private static let deepest = 20
    /// What was found out about types, so that each is probed once.
    private let known = Known()

    private final class Known {
        var types: [ObjectIdentifier: (value: Any, shape: ValueShape)] = [:]
    }

    private init() {}

    func probe<Value: Decodable>(_ type: Value.Type) throws -> Found<Value> {
        let other = try Self.plain(type) ?? (type as? any ProbedContainer.Type)?.probed(by: self)
        if let (value, shape) = other ?? Self.case(of: type) ?? known.types[ObjectIdentifier(type)] {
            guard let value = value as? Value else { throw Unknown() }
            return Found(value: value, shape: shape)
        }
        guard !isWithin(type), around.count < Self.deepest else { throw Unknown() }
        var inner = self
        inner.around.append(ObjectIdentifier(type))
        let found = try inner.asked(type)
        known.types[ObjectIdentifier(type)] = (found.value, found.shape)
        return found
    }

    func isWithin(_ type: any Any.Type) -> Bool { around.contains(ObjectIdentifier(type)) }

    /// The shape where no value is needed, so that a type may contain itself, or be an enumeration without known cases.
    func leftOut<Value: Decodable>(_ type: Value.Type) throws -> ValueShape {
        if isWithin(type) { return .any }
        do {
            return try probe(type).shape
        } catch {
            if let raw = type as? any RawRepresentable.Type, let shape = Self.shape(ofRaw: raw) {
                return shape
            }
            throw error
        }
    }

    private static func shape<Raw: RawRepresentable>(ofRaw type: Raw.Type) -> ValueShape? {
        plain(Raw.RawValue.self)?.shape
    }

    /// Types that JSON has a form for.
    private static func plain(_ type: any Any.Type) -> (value: Any, shape: ValueShape)? {
        func text(_ value: Any, _ format: String? = nil) -> (Any, ValueShape) {
            var shape = ValueShape(.string)
            shape.format = format
            return (value, shape)
        }
        switch type {
        case is String.Type: return text("")
        case is Bool.Type: return (false, ValueShape(.boolean))
        case let type as any FixedWidthInteger.Type: return (zero(type), ValueShape(.integer))
        case is Double.Type: return (0.0, ValueShape(.number))
        case is Float.Type: return (Float(0), ValueShape(.number))
        case is Decimal.Type: return (Decimal(0), ValueShape(.number))
        case is Date.Type:
            // A date may be milliseconds too.
            let (date, shape) = text(Date(timeIntervalSince1970: 0))
            return (date, shape.merged(ValueShape(.number)))
        case is Data.Type: return text(Data())
        case is UUID.Type: return text(UUID(), "uuid")
        case is URL.Type: return URL(string: "about:blank").map { text($0, "uri-reference") }
        case is JSON.Type: return (JSON.null, .any)
        case is Nothing.Type: return (Nothing(), .any)
        default: return nil
        }
    }

    private static func zero<Value: FixedWidthInteger>(_ type: Value.Type) -> Any { Value.zero }

    /// An enumeration that lists its cases, which are texts or whole numbers.
    private static func `case`(of type: any Any.Type) -> (value: Any, shape: ValueShape)? {
        guard let type = type as? any (CaseIterable & RawRepresentable).Type else { return nil }
        return cases(type)
    }

    private static func cases<Value: CaseIterable & RawRepresentable>(
        _ type: Value.Type
    ) -> (value: Any, shape: ValueShape)? {
        guard let first = Value.allCases.first, var shape = plain(Value.RawValue.self)?.shape else {
            return nil
        }
        let cases = Value.allCases.compactMap { value in
            (value.rawValue as? String).map(JSON.string)
                ?? (value.rawValue as? any FixedWidthInteger).map { .number(.init($0)) }
        }
        guard cases.count == Value.allCases.count else { return nil }
        shape.cases = cases
        return (first, shape)
    }
}

/// Containers of the standard library, whose elements are probed.
private protocol ProbedContainer {
    static func probed(by probe: TypeProbe) throws -> (value: Any, shape: ValueShape)
}

extension Optional: ProbedContainer where Wrapped: Decodable {
    fileprivate static func probed(by probe: TypeProbe) throws -> (value: Any, shape: ValueShape) {
        (Self.none as Any, try probe.leftOut(Wrapped.self).orNull)
    }
}

extension Array: ProbedContainer where Element: Decodable {
    fileprivate static func probed(by probe: TypeProbe) throws -> (value: Any, shape: ValueShape) {
        var shape = ValueShape()
        shape.elements = [try probe.leftOut(Element.self)]
        return (Self(), shape)
    }
}

extension Set: ProbedContainer where Element: Decodable {
    fileprivate static func probed(by probe: TypeProbe) throws -> (value: Any, shape: ValueShape) {
        var shape = ValueShape()
        shape.elements = [try probe.leftOut(Element.self)]
        return (Self(), shape)
    }
}

extension Dictionary: ProbedContainer where Key: Decodable, Value: Decodable {
    fileprivate static func probed(by probe: TypeProbe) throws -> (value: Any, shape: ValueShape) {
        // With keys of other types, a dictionary may be an array in JSON.
        guard Key.self == String.self else { throw TypeProbe.Unknown() }
        var shape = ValueShape()
        shape.members = .init(others: [try probe.leftOut(Value.self)])
        return (Self(), shape)
    }
}
