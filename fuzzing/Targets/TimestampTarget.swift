import Foundation

@testable import Drawbridge
@testable import DrawbridgeJSON

/// Dates as JSON has them, beside the C library's calendar.
enum TimestampTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        if let date = Timestamp.date(from: String(decoding: bytes, as: UTF8.self)) { check(date) }
        // Any instant there is, and what is none.
        guard bytes.count >= 8 else { return }
        let pattern = bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let date = Date(timeIntervalSinceReferenceDate: Double(bitPattern: pattern))
        if Timestamp.text(of: date) != nil { check(date) }
        check(Date(timeIntervalSince1970: Double(Int64(bitPattern: pattern) % 300_000_000_000)))
    }

    private static func check(_ date: Date) {
        // An offset may lead out of the years that are written.
        guard let text = Timestamp.text(of: date) else { return }
        guard let again = Timestamp.date(from: text) else { fatalError("\(text) is no date") }
        check(abs(again.timeIntervalSince(date)) <= 0.001, "\(text) is not \(date)")
        check(Timestamp.text(of: again) == text, "\(text) is written again otherwise")

        var time = time_t(again.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&time, &parts)
        let clock = [parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min]
        let written = text.split { "-T:".contains($0) }.prefix(5).map { Int32($0) }
        check(written == clock, "\(text) is \(clock)")
    }
}
