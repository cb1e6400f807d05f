import TestSupport

@testable import Drawbridge
@testable import DrawbridgeJSON

extension String {
    private static let alphabet: [Unicode.Scalar] = [
        "a", "b", "Z", "0", " ", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", "é", "\u{301}", "日", "\u{2028}",
        "😀", "\u{10FFFF}",
    ]

    /// A text of awkward scalars.
    static func random(upTo length: Int, using random: inout SeededRandom) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...length, using: &random) {
            text.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
        }
        return String(text)
    }
}

extension JSON {
    /// A tree of awkward values.
    static func random(depth: Int, using random: inout SeededRandom) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .number(Number(Int(truncatingIfNeeded: random.next())))
        case 3: return Number(Double(bitPattern: random.next())).map(JSON.number) ?? 0.5
        case 4, 5: return .string(.random(upTo: 20, using: &random))
        case 6, 7:
            var object = Object()
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                object[.random(upTo: 4, using: &random)] = .random(depth: depth - 2, using: &random)
            }
            return .object(object)
        default:
            return .array(
                (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    .random(depth: depth - 1, using: &random)
                })
        }
    }

    /// The same value with each number written in one way.
    var canonical: JSON {
        switch self {
        case .number(let number):
            if let value = number.value(as: Int128.self) { return .number(Number(value)) }
            return number.doubleValue.flatMap { Number($0) }.map(JSON.number) ?? self
        case .array(let elements): return .array(elements.map(\.canonical))
        case .object(let members): return .object(Object(members.map { ($0.key, $0.value.canonical) }))
        default: return self
        }
    }
}

extension JSON {
    /// Decodes it as a request is whose query or form has these members: they are text.
    func decode<Value: Decodable>(_ type: Value.Type, textMembers: Set<String>) throws -> Value {
        guard let members = objectValue else { return try decode(type) }
        let texts = members.compactMap { name, value -> (name: String, values: [String])? in
            guard textMembers.contains(name) else { return nil }
            let values = value.stringValue.map { [$0] } ?? value.arrayValue?.compactMap(\.stringValue) ?? []
            return values.isEmpty ? nil : (name, values)
        }
        var others = members
        for (name, _) in texts { others[name] = nil }
        let tape = try JSONTape(.object(others))
        for (name, values) in texts { tape.add(values, named: name) }
        return try tape.decode(type)
    }
}
