#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Date {
    /// The date as JSON and logs write it: `2026-11-20T23:29:24.123Z`.
    package var timestamp: String { Timestamp.text(of: self) ?? "" }
}

/// Converts dates to and from ISO 8601 text as RFC 3339 restricts it, in the proleptic Gregorian calendar.
enum Timestamp {
    /// `2026-11-20T23:29:24.123Z`, rounded to a millisecond; `nil` outside the years 0000 to 9999.
    static func text(of date: Date) -> String? {
        let milliseconds = (date.timeIntervalSinceReferenceDate * 1000).rounded() + epoch * 1000
        guard -62_167_219_200_000..<253_402_300_800_000 ~= milliseconds else { return nil }
        let (day, time) = Int(milliseconds).quotientAndRemainder(flooredBy: 86_400_000)
        let (year, month, dayOfMonth) = civil(fromDays: day)
        return String(unsafeUninitializedCapacity: 24) { bytes in
            var end = 0
            func write(_ number: Int, width: Int, then separator: Unicode.Scalar) {
                var rest = number
                for place in (end..<end + width).reversed() {
                    bytes[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
                bytes[end + width] = UInt8(ascii: separator)
                end += width + 1
            }
            write(year, width: 4, then: "-")
            write(month, width: 2, then: "-")
            write(dayOfMonth, width: 2, then: "T")
            write(time / 3_600_000, width: 2, then: ":")
            write(time / 60_000 % 60, width: 2, then: ":")
            write(time / 1000 % 60, width: 2, then: ".")
            write(time % 1000, width: 3, then: "Z")
            return end
        }
    }

    /// Parses `2026-11-20`, optionally followed by `T23:29:24`, a fraction, and `Z` or an offset such as `+01:00`.
    static func date(from text: String) -> Date? {
        var rest = Array(text.utf8)[...]
        guard let date = numbers("0000-00-00", from: &rest), 1...12 ~= date[1],
            1...length(ofMonth: date[1], in: date[0]) ~= date[2]
        else { return nil }
        let midnight = days(fromYear: date[0], month: date[1], day: date[2]) * 86_400
        if rest.isEmpty { return Date(timeIntervalSinceReferenceDate: Double(midnight) - epoch) }

        guard let separator = rest.popFirst(), "Tt ".utf8.contains(separator),
            let time = numbers("00:00:00", from: &rest), time[0] < 24, time[1] < 60, time[2] < 60,
            let fraction = fraction(from: &rest), let offset = offset(rest)
        else { return nil }
        let seconds = midnight + time[0] * 3600 + time[1] * 60 + time[2] - offset
        return Date(timeIntervalSinceReferenceDate: Double(seconds) - epoch + fraction)
    }

    /// The seconds from 1970, the origin of the arithmetic here, to 2001, that of `Date`.
    private static let epoch = 978_307_200.0

    /// The date a number of days after 1970-01-01; counts in years that begin in March, and in eras of 400 years.
    private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(flooredBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return (era * 400 + yearOfEra + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9, day)
    }

    private static func days(fromYear year: Int, month: Int, day: Int) -> Int {
        let (era, yearOfEra) = (month > 2 ? year : year - 1).quotientAndRemainder(flooredBy: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func length(ofMonth month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Parses the numbers of a format, in which `0` stands for any digit, and removes them from `rest`.
    private static func numbers(_ form: String, from rest: inout ArraySlice<UInt8>) -> [Int]? {
        var numbers = [0]
        for expected in form.utf8 {
            guard let byte = rest.popFirst() else { return nil }
            if expected == UInt8(ascii: "0"), byte.isDigit {
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte - UInt8(ascii: "0"))
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
    private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
        var rest = text
        guard let sign = rest.popFirst() else { return nil }
        if sign | 0x20 == UInt8(ascii: "z") { return rest.isEmpty ? 0 : nil }
        guard "+-".utf8.contains(sign), let offset = numbers("00:00", from: &rest), rest.isEmpty,
            offset[0] < 24, offset[1] < 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (offset[0] * 3600 + offset[1] * 60)
    }
}

extension Int {
    /// Divides rounding down, so that the remainder is never negative.
    fileprivate func quotientAndRemainder(flooredBy divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
