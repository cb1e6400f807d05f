#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads off a `Decodable` type what it takes: it decodes itself from values that are made up, and this notes what it asks
/// for.
///
/// The values are the plainest of each kind, `""`, `0` and `false`: any page can send these. What Swift has written itself
/// asks for each member once, and gives up at the first that does not fit. Where a type does anything else, such as asking
/// whether a member is there, or trying a second kind where the first does not fit, nothing is said about it: half of the
/// truth would be taken for the whole.
struct TypeProbe {
    /// What such a type takes; nil where that cannot be told.
    static func shape<Value: Decodable>(of type: Value.Type) -> ValueShape? {
        try? TypeProbe().probe(type).shape
    }

    /// It cannot be told.
    struct Unknown: Error {}

    /// A value of a type, and what the type takes.
    struct Found<Value> {
        let value: Value
        let shape: ValueShape
    }

    /// The types around this one.
    private var around: [ObjectIdentifier] = []
    private static let deepest = 20
    /// What was found out about types before.
    private let known = Known()

    private final class Known {
        var types: [ObjectIdentifier: (value: Any, shape: ValueShape)] = [:]
    }

    private init() {}

    func probe<Value: Decodable>(_ type: Value.Type) throws -> Found<Value> {
        if let (value, shape) = Self.plain(type) {
            guard let value = value as? Value else { throw Unknown() }
            return Found(value: value, shape: shape)
        }
        if let container = type as? any ProbedContainer.Type {
            let (value, shape) = try container.probed(by: self)
            guard let value = value as? Value else { throw Unknown() }
            return Found(value: value, shape: shape)
        }
        if let (value, shape) = Self.case(of: type) {
            guard let value = value as? Value else { throw Unknown() }
            return Found(value: value, shape: shape)
        }
        if let (value, shape) = known.types[ObjectIdentifier(type)] {
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

    /// Whether a type stands within itself.
    func isWithin(_ type: any Any.Type) -> Bool { around.contains(ObjectIdentifier(type)) }

    /// What may be left out, so that no value is needed: also a type within itself, and one of whose cases none is known.
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
            // Milliseconds are as good.
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

/// Types of the standard library that have others in them.
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
        // Others are written as arrays.
        guard Key.self == String.self else { throw TypeProbe.Unknown() }
        var shape = ValueShape()
        shape.members = .init(others: [try probe.leftOut(Value.self)])
        return (Self(), shape)
    }
}
