@testable import Drawbridge
@testable import DrawbridgeJSON

/// What handlers decode of JSON, and encode again.
enum DecodingTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        guard let value = try? JSON(parsing: bytes) else { return }
        decode(value, textMembers: [])
        decode(value, textMembers: Everything.names)
    }

    private static func decode(_ value: JSON, textMembers: Set<String>) {
        let decoded: Everything
        do {
            decoded = try value.decode(Everything.self, textMembers: textMembers)
        } catch let error as DecodingError {
            return check(!error.explanation.isEmpty, "\(error) is not explained")
        } catch {
            fatalError("\(value) is refused with \(error)")
        }
        // Dates out of the years 0 to 9999 are read, and not written.
        guard let written = try? JSON.encode(decoded) else { return }
        guard let again = try? JSON(parsing: written).decode(Everything.self) else {
            fatalError("\(String(decoding: written, as: UTF8.self)) is not read as it was written")
        }
        check((try? JSON.encode(again)) == written, "\(decoded) is not \(again)")
    }
}

extension JSON {
    /// Decodes it as a request is whose query or form has these members: they are text.
    func decode<Value: Decodable>(_ type: Value.Type, textMembers: Set<String>) throws -> Value {
        guard let members = objectValue else { return try decode(type) }
        var others = members
        var texts: [(name: String, values: [String])] = []
        for (name, value) in members where textMembers.contains(name) {
            let values = value.stringValue.map { [$0] } ?? value.arrayValue?.compactMap(\.stringValue) ?? []
            guard !values.isEmpty else { continue }
            texts.append((name, values))
            others[name] = nil
        }
        let tape = try JSONTape(.object(others))
        for (name, values) in texts { tape.add(values, named: name) }
        return try tape.decode(type)
    }
}
