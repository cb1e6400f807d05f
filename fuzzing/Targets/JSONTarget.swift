import Foundation

@testable import Drawbridge
@testable import DrawbridgeJSON

/// JSON texts, beside Foundation's reading of them.
enum JSONTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        do throws(JSON.ParseError) {
            let value = try JSON(parsing: bytes)
            checkWriting(of: value)
            // Foundation reads numbers as what a machine has, and gives up on others.
            guard let object = foundation(bytes) else {
                return check(hasUnusualNumber(value), "Foundation refuses what is taken: \(value)")
            }
            check(isSame(value, object), "Foundation reads \(value) as \(object)")
        } catch {
            check((0...bytes.count).contains(error.offset), "\(error) is at \(error.offset)")
            check(error.line >= 1 && error.column >= 1, "\(error)")
            check(
                foundation(bytes) == nil || isRefusedOnPurpose(bytes, error), "Foundation takes it: \(error)")
        }
    }

    private static func checkWriting(of value: JSON) {
        guard let again = try? JSON(parsing: value.bytes) else {
            fatalError("\(value) is written as what is no JSON")
        }
        check(again == value && again.hashValue == value.hashValue, "\(value) is read again as \(again)")
        check(again.bytes == value.bytes, "\(value) is written again as \(again)")
    }

    private static func foundation(_ bytes: [UInt8]) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    }

    /// Foundation takes other encodings, repeated names, and a comma before the end.
    private static func isRefusedOnPurpose(_ bytes: [UInt8], _ error: JSON.ParseError) -> Bool {
        let reasons = [
            "after ','", "expected the name", "nested deeper", "not UTF-8", "two members",
        ]
        return bytes.contains(0) || reasons.contains { error.message.contains($0) }
    }

    private static func hasUnusualNumber(_ value: JSON) -> Bool {
        switch value {
        case .number(let number): number.literal.utf8.count > 15 || number.doubleValue == nil
        case .array(let elements): elements.contains(where: hasUnusualNumber)
        case .object(let members): members.contains { hasUnusualNumber($0.value) }
        default: false
        }
    }

    private static func isSame(_ value: JSON, _ object: Any) -> Bool {
        switch value {
        case .null: object is NSNull
        case .bool(let bool): object as? Bool == bool
        case .string(let string): (object as? String).map { Array($0.utf8) } == Array(string.utf8)
        // How a number is rounded is NumberTarget's.
        case .number: object is NSNumber
        case .array(let elements):
            (object as? [Any]).map { others in
                others.count == elements.count && zip(elements, others).allSatisfy { isSame($0, $1) }
            } ?? false
        case .object(let members):
            // Foundation takes names for one that are canonically equivalent.
            (object as? [String: Any]).map { others in
                others.count <= members.count && members.allSatisfy { others[$0.key] != nil }
            } ?? false
        }
    }
}
