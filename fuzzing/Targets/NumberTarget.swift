import Foundation

@testable import Drawbridge
@testable import DrawbridgeJSON

/// Numbers: as JSON writes them, and as people type them into a query.
enum NumberTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes.prefix(400), as: UTF8.self)
        if let number = JSON.Number(literal: text) { checkLiteral(number) }
        checkTyped(text)
    }

    private static func checkLiteral(_ number: JSON.Number) {
        let double = strtod(number.literal, nil)
        check(number.doubleValue == (double.isFinite ? double : nil), "\(number) is no \(double)")
        if let int = number.intValue {
            check(
                number.isWhole && abs(double - Double(int)) <= abs(double) * 1e-15, "\(number) is no \(int)")
            check(number.value(as: Int128.self) == Int128(int), "\(number) is no 128 bits")
        } else if number.isWhole {
            check(abs(double) >= 0x1p63, "\(number) is an Int")
        }
        if let byte = number.value(as: UInt8.self) {
            check(number.intValue == Int(byte), "\(number) is no \(byte)")
        }
        if let decimal = number.decimalValue {
            check(JSON.Number(decimal)?.decimalValue == decimal, "\(number) is no \(decimal)")
        }
        if let shortest = number.doubleValue.flatMap(JSON.Number.init(_:)) {
            check(JSON.Number(literal: shortest.literal) != nil, "\(shortest) is no number")
            check(shortest.doubleValue == number.doubleValue, "\(number) is no \(shortest)")
        }
    }

    private static func checkTyped(_ text: String) {
        let query = JSON.object(["it": .string(text)])
        if let double = (try? query.decode([String: Double].self, textMembers: ["it"]))?["it"] {
            var end: UnsafeMutablePointer<CChar>?
            let isWhole = text.withCString { start in
                check(double == strtod(start, &end), "\(text) is typed and read as \(double)")
                return end! - UnsafeMutablePointer(mutating: start) == text.utf8.count
            }
            check(isWhole, "\(text) is read as \(double)")
        }
        if let int = Int(text) {
            let read = (try? query.decode([String: Int].self, textMembers: ["it"]))?["it"]
            check(read == int, "\(text) is read as \(String(describing: read))")
        }
    }
}
