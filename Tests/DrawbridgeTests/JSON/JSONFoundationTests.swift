import Foundation
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeJSON

/// Typed values through ours and through Foundation's encoder and decoder.
@Suite("JSON compared with Foundation's")
struct JSONFoundationTests {
    private struct Visit: Codable, Equatable {
        struct Stop: Codable, Equatable {
            var name: String
            var at: Date
            var distance: Double?
        }

        var id: Int64
        var byte: UInt8?
        var ratio: Double
        var isOpen: Bool
        var note: String
        var first: Stop
        var stops: [Stop]
        var tags: [String]
        var counts: [Int]
        var named: [String: Int?]
        var days: [Date?]

        static func random(using random: inout SeededRandom) -> Visit {
            func count() -> Range<Int> { 0..<Int(random.next() % 4) }
            func text() -> String { .random(upTo: 20, using: &random) }
            func number() -> Int { Int(truncatingIfNeeded: random.next()) >> Int(random.next() % 64) }
            func date() -> Date {
                Date(timeIntervalSince1970: Double(Int32(truncatingIfNeeded: random.next())))
            }
            func real() -> Double {
                let bits = Double(bitPattern: random.next())
                return random.next() % 2 == 0 && bits.isFinite ? bits : Double(number() % 1_000_000) / 1000
            }
            func isThere() -> Bool { random.next() % 2 == 0 }
            func stop() -> Stop { Stop(name: text(), at: date(), distance: isThere() ? real() : nil) }
            return Visit(
                id: Int64(number()), byte: isThere() ? UInt8(truncatingIfNeeded: number()) : nil,
                ratio: real(),
                isOpen: isThere(), note: text(), first: stop(), stops: count().map { _ in stop() },
                tags: count().map { _ in text() }, counts: count().map { _ in number() },
                named: Dictionary(
                    uniqueKeysWithValues: count().map { ("\($0)\"é", isThere() ? number() : nil) }),
                days: count().map { _ in isThere() ? date() : nil })
        }
    }

    @Test func threeThousandValuesAreWrittenAndReadAsByFoundation() throws {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.dateEncodingStrategy = .iso8601
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        decoder.dateDecodingStrategy = .custom {
            try style.parse(try $0.singleValueContainer().decode(String.self))
        }
        var random = SeededRandom(seed: 8)
        for _ in 0..<3_000 {
            let visit = Visit.random(using: &random)
            let ours = try JSON.encode(visit)
            #expect(try decoder.decode(Visit.self, from: Data(ours)) == visit)
            let theirs = Array(try encoder.encode(visit))
            #expect(try JSONTapeDecoder(JSONTape(parsing: theirs)).decode(Visit.self) == visit)
        }
    }

    @Test func numbersOfFewDigitsAreTheNearestDoubles() throws {
        var random = SeededRandom(seed: 9)
        for _ in 0..<20_000 {
            let digits = String(random.next() % 1_000_000_000_000_000_000)
            let whole = digits.prefix(1 + Int(random.next() % 8))
            let fraction = digits.dropFirst(8).prefix(Int(random.next() % 10))
            let sign = random.next() % 2 == 0 ? "-" : ""
            let text = sign + whole + (fraction.isEmpty ? "" : "." + fraction)
            let tape = try JSONTape(parsing: Array(text.utf8))
            #expect(try JSONTapeDecoder(tape).decode(Double.self).bitPattern == Double(text)?.bitPattern)
        }
    }
}
