import FoundationEssentials

extension Date {
    /// `2026-11-20T23:29:24.123Z`, as JSON and logs write dates.
    package var timestamp: String { Timestamp.text(of: self) ?? "" }
}

/// The text of a point in time: ISO 8601 as RFC 3339 narrows it, in the proleptic Gregorian calendar.
enum Timestamp {
    /// `2026-11-20T23:29:24.123Z`, to the nearest millisecond, or `nil` outside the years 0000 to 9999.
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

    /// Reads `2026-11-20`, or that with `T23:29:24`, a fraction if any, and `Z` or an offset such as `+01:00`.
    static func date(from text: String) -> Date? {
        var text = text
        return text.withUTF8 { date(from: $0[...]) }
    }

    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    private static func date(from bytes: Bytes) -> Date? {
        var rest = bytes
        guard let year = number(4, from: &rest), skip("-", in: &rest), let month = number(2, from: &rest),
            skip("-", in: &rest), let day = number(2, from: &rest),
            1...12 ~= month, 1...length(ofMonth: month, in: year) ~= day
        else { return nil }
        let midnight = days(fromYear: year, month: month, day: day) * 86_400
        if rest.isEmpty { return Date(timeIntervalSinceReferenceDate: Double(midnight) - epoch) }

        guard skip("T", in: &rest) || skip("t", in: &rest) || skip(" ", in: &rest),
            let hour = number(2, from: &rest), skip(":", in: &rest), let minute = number(2, from: &rest),
            skip(":", in: &rest), let second = number(2, from: &rest),
            hour < 24, minute < 60, second < 60, let fraction = fraction(from: &rest),
            let offset = offset(from: &rest), rest.isEmpty
        else { return nil }
        let seconds = midnight + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSinceReferenceDate: Double(seconds) - epoch + fraction)
    }

    /// The seconds from 1970, where the arithmetic here begins, to 2001, where `Date` does.
    private static let epoch = 978_307_200.0

    // MARK: - Calendar

    /// The date this many days after 1970-01-01, computed in years that begin in March, in eras of 400 years.
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

    // MARK: - Reading

    private static func skip(_ character: Unicode.Scalar, in rest: inout Bytes) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private static func digit(from rest: inout Bytes) -> Int? {
        guard let byte = rest.first, byte.isDigit else { return nil }
        rest.removeFirst()
        return Int(byte - UInt8(ascii: "0"))
    }

    private static func number(_ width: Int, from rest: inout Bytes) -> Int? {
        var value = 0
        for _ in 0..<width {
            guard let next = digit(from: &rest) else { return nil }
            value = value * 10 + next
        }
        return value
    }

    /// The fraction of a second: 0 without a point, `nil` for a point without digits; only nine digits count.
    private static func fraction(from rest: inout Bytes) -> Double? {
        guard skip(".", in: &rest) else { return 0 }
        guard var value = digit(from: &rest) else { return nil }
        var scale = 10
        while let next = digit(from: &rest) {
            guard scale < 1_000_000_000 else { continue }
            value = value * 10 + next
            scale *= 10
        }
        return Double(value) / Double(scale)
    }

    private static func offset(from rest: inout Bytes) -> Int? {
        if skip("Z", in: &rest) || skip("z", in: &rest) { return 0 }
        let sign = skip("-", in: &rest) ? -1 : skip("+", in: &rest) ? 1 : 0
        guard sign != 0, let hours = number(2, from: &rest), skip(":", in: &rest),
            let minutes = number(2, from: &rest), hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}

extension Int {
    /// Divides so that the remainder is never negative.
    fileprivate func quotientAndRemainder(flooredBy divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
