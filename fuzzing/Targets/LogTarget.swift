@testable import Drawbridge
@testable import DrawbridgeServer
@testable import HTTPGrammar

/// What others wrote, on its way to a terminal.
enum LogTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        var line: [UInt8] = []
        line.append(harmless: text)
        let shown = String(validating: line, as: UTF8.self)
        check(shown?.unicodeScalars.allSatisfy(\.isHarmless) == true, "\(line) drives a terminal")
        check(shown?.unicodeScalars.count == text.unicodeScalars.count, "\(line) has another length")

        let value = (try? JSON(parsing: bytes)) ?? ["message": .string(text)]
        var json: [UInt8] = []
        json.append(harmless: value)
        let scalars = String(validating: json, as: UTF8.self)?.unicodeScalars
        check(scalars?.allSatisfy(\.isHarmless) == true, "\(json) drives a terminal")
        check((try? JSON(parsing: json)) == value, "\(json) is another value")
    }
}
