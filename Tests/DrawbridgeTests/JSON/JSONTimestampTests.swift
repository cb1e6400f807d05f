import Foundation
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeJSON

@Suite("Dates in JSON")
struct JSONTimestampTests {
    private let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00.000Z"), (-0.001, "1969-12-31T23:59:59.999Z"),
        (-1, "1969-12-31T23:59:59.000Z"),
        (951_782_400, "2000-02-29T00:00:00.000Z"), (1_709_164_800, "2024-02-29T00:00:00.000Z"),
        (-2_203_891_201, "1900-02-28T23:59:59.000Z"), (-2_203_891_200, "1900-03-01T00:00:00.000Z"),
        (1_795_217_364.123, "2026-11-20T23:29:24.123Z"), (0.0004, "1970-01-01T00:00:00.000Z"),
        (0.9996, "1970-01-01T00:00:01.000Z"), (-62_135_596_800, "0001-01-01T00:00:00.000Z"),
        (-62_135_596_801, "0000-12-31T23:59:59.000Z"), (-62_167_219_200, "0000-01-01T00:00:00.000Z"),
        (253_402_300_799.999, "9999-12-31T23:59:59.999Z"),
    ])
    func datesAreWrittenInUTCWithMilliseconds(seconds: Double, text: String) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(Timestamp.text(of: date) == text)
        let read = try #require(Timestamp.date(from: text))
        #expect(abs(read.timeIntervalSince(date)) <= 0.0005)
    }

    @Test func aDateOutsideFourDigitYearsIsNotWritten() {
        #expect(Timestamp.text(of: Date(timeIntervalSince1970: 253_402_300_800)) == nil)
        #expect(Timestamp.text(of: Date(timeIntervalSince1970: -62_167_219_201)) == nil)
        #expect(Timestamp.text(of: Date(timeIntervalSince1970: .nan)) == nil)
        #expect(Timestamp.text(of: Date(timeIntervalSince1970: .infinity)) == nil)
        #expect(Timestamp.text(of: .distantPast) != nil)
        #expect(Timestamp.text(of: .distantFuture) == "4001-01-01T00:00:00.000Z")
    }

    @Test func datesAgreeWithFoundation() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<1_000 {
            // From 1583 to 9999; Foundation counts Julian days before.
            let milliseconds = Int.random(in: -12_212_553_600_000...253_402_300_799_999, using: &random)
            let date = Date(timeIntervalSince1970: Double(milliseconds / 1000 * 1000) / 1000)
            let text = try #require(Timestamp.text(of: date))
            #expect(text == date.formatted(style))
            #expect(Timestamp.date(from: text) == date)
            #expect(try style.parse(text) == date)
        }
    }

    @Test func everyMillisecondSurvivesWritingAndReading() throws {
        var random = SeededRandom(seed: 4)
        for _ in 0..<5_000 {
            let milliseconds = Int.random(in: -62_135_596_800_000...253_402_300_799_999, using: &random)
            let text = try #require(
                Timestamp.text(of: Date(timeIntervalSince1970: Double(milliseconds) / 1000)))
            let date = try #require(Timestamp.date(from: text))
            #expect(Timestamp.text(of: date) == text)
            #expect(Int((date.timeIntervalSince1970 * 1000).rounded()) == milliseconds)
        }
    }

    @Test(arguments: [
        ("2026-11-20T23:29:24Z", 1_795_217_364.0), ("2026-11-20t23:29:24z", 1_795_217_364),
        ("2026-11-20 23:29:24Z", 1_795_217_364), ("2026-11-21T00:29:24+01:00", 1_795_217_364),
        ("2026-11-20T17:59:24-05:30", 1_795_217_364), ("2026-11-20T23:29:24.5Z", 1_795_217_364.5),
        ("2026-11-20T23:29:24.250000000000001Z", 1_795_217_364.25), ("2026-11-20", 1_795_132_800),
        ("2024-02-29", 1_709_164_800),
    ])
    func datesWithOffsetsFractionsOrOnlyADayAreRead(text: String, seconds: Double) {
        #expect(Timestamp.date(from: text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        "", "2026", "2026-11", "2026-11-20T", "2026-11-20T23:29Z", "2026-11-20T23:29:24",
        "2026-11-20T23:29:24.Z",
        "2026-13-01", "2026-00-01", "2026-02-29", "2026-04-31", "1900-02-29", "2026-11-20T24:00:00Z",
        "2026-11-20T23:60:00Z", "2026-11-20T23:29:60Z", "2026-11-20T23:29:24+0100",
        "2026-11-20T23:29:24+24:00",
        "2026-11-20T23:29:24ZZ", " 2026-11-20", "26-11-20", "2026-1-2", "20261120", "١٢٣٤-11-20",
        "2026-11-20T23:29:24+1:00",
    ])
    func invalidTextsAreNotReadAsDates(text: String) {
        #expect(Timestamp.date(from: text) == nil)
    }
}
