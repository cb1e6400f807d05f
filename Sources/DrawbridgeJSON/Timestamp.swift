#if canImport(Darwin)
import Foundation
#else
import FoundationEssentials
import Glibc
#endif

extension Date {
    /// The date as JSON and logs write it: `2026-11-20T23:29:24.123Z`.
    package var timestamp: String { Timestamp.text(of: self) ?? "" }
}

package func unixTime() -> Int { time(nil) }

/// Converts dates to and from ISO 8601 text as RFC 3339 restricts it, in the proleptic Gregorian calendar.
enum Timestamp {
    /// `2026-11-20T23:29:24.123Z`, rounded to a millisecond; `nil` outside the years 0000 to 9999.
    static func text(of date: Date) -> String? {
        let milliseconds = (date.timeIntervalSinceReferenceDate * 1000).rounded() + epoch * 1000
        guard -62_167_219_200_000..<253_402_300_800_000 ~= milliseconds else { return nil }
        var seconds = time_t((milliseconds / 1000).rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        // Each number has a one before its digits, so that none of them is left out.
        let numbers = [
            (parts.tm_year + 11_900, "-"), (parts.tm_mon + 101, "-"), (parts.tm_mday + 100, "T"),
            (parts.tm_hour + 100, ":"), (parts.tm_min + 100, ":"), (parts.tm_sec + 100, "."),
            (Int32(Int(milliseconds) - seconds * 1000) + 1000, "Z"),
        ]
        return numbers.reduce(into: "") { $0 += String($1.0).dropFirst() + $1.1 }
    }

    /// Parses `2026-11-20`, optionally followed by `T23:29:24`, a fraction, and `Z` or an offset such as `+01:00`.
    static func date(from text: String) -> Date? {
        var rest = Array(text.utf8)[...]
        guard let day = numbers("0000-00-00", from: &rest) else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (day[0] - 1900, day[1] - 1, day[2])
        // It makes March of the 30th of February.
        let midnight = Double(timegm(&parts)) - epoch
        guard parts.tm_mon == day[1] - 1, parts.tm_mday == day[2] else { return nil }
        if rest.isEmpty { return Date(timeIntervalSinceReferenceDate: midnight) }

        guard let separator = rest.popFirst(), "Tt ".utf8.contains(separator),
            let time = numbers("00:00:00", from: &rest), time[0] < 24, time[1] < 60, time[2] < 60,
            let fraction = fraction(from: &rest), let offset = offset(rest)
        else { return nil }
        let seconds = Double(time[0] * 3600 + time[1] * 60 + time[2] - offset)
        return Date(timeIntervalSinceReferenceDate: midnight + seconds + fraction)
    }

    /// The seconds from 1970, the origin of the arithmetic here, to 2001, that of `Date`.
    private static let epoch = 978_307_200.0

    /// Parses the numbers of a format, in which `0` stands for any digit, and removes them from `rest`.
    private static func numbers(_ form: String, from rest: inout ArraySlice<UInt8>) -> [Int32]? {
        var numbers: [Int32] = [0]
        for expected in form.utf8 {
            guard let byte = rest.popFirst() else { return nil }
            if expected == UInt8(ascii: "0"), byte.isDigit {
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int32(byte - UInt8(ascii: "0"))
            } else if expected != UInt8(ascii: "0"), byte == expected {
                numbers.append(0)
            } else {
                return nil
            }
        }
        return numbers
    }

    /// The fraction of a second: 0 without a point, `nil` for a point without digits; reads at most nine digits.
    private static func fraction(from rest: inout ArraySlice<UInt8>) -> Double? {
        guard rest.first == UInt8(ascii: ".") else { return 0 }
        let digits = rest.dropFirst().prefix(while: \.isDigit)
        rest = rest[digits.endIndex...]
        return digits.isEmpty ? nil : Double("0.\(String(decoding: digits.prefix(9), as: UTF8.self))")
    }

    /// The offset in seconds of `Z` or `+01:00`; nil for any other text.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int32? {
        var rest = text
        guard let sign = rest.popFirst() else { return nil }
        if sign | 0x20 == UInt8(ascii: "z") { return rest.isEmpty ? 0 : nil }
        guard "+-".utf8.contains(sign), let offset = numbers("00:00", from: &rest), rest.isEmpty,
            offset[0] < 24, offset[1] < 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (offset[0] * 3600 + offset[1] * 60)
    }
}
