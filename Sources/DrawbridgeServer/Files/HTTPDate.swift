import Glibc
import HTTPGrammar

/// A date in a header field, in whole seconds (RFC 9110, section 5.6.7).
struct HTTPDate: Comparable {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let longWeekdays = [
        "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday",
    ]
    private static let day = 86_400

    /// Seconds since 1970, limited to the years 1970 to 9999.
    let seconds: Int

    init(seconds: Int) { self.seconds = min(max(seconds, 0), 253_402_300_799) }

    static var now: HTTPDate { HTTPDate(seconds: time(nil)) }

    static func < (one: Self, other: Self) -> Bool { one.seconds < other.seconds }

    /// The date in the form in which it is sent: `Sun, 06 Nov 1994 08:49:37 GMT`.
    var text: String {
        let days = seconds / Self.day
        let (year, month, day) = Self.civil(days)
        let clock = [seconds % Self.day / 3600, seconds % 3600 / 60, seconds % 60].map(Self.twoDigits)
        let date = "\(Self.twoDigits(day)) \(Self.months[month - 1]) \(year)"
        return "\(Self.weekdays[days % 7]), \(date) \(clock.joined(separator: ":")) GMT"
    }

    /// Reads that form and the two obsolete ones; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: " ")
        switch parts.count {
        case 6 where Self.weekdays.contains { parts[0] == "\($0)," } && parts[5] == "GMT":
            // Sun, 06 Nov 1994 08:49:37 GMT
            self.init(year: parts[3], month: parts[2], day: parts[1], clock: parts[4])
        case 4 where Self.longWeekdays.contains { parts[0] == "\($0)," } && parts[3] == "GMT":
            // Sunday, 06-Nov-94 08:49:37 GMT
            let date = parts[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3, date[2].utf8.count == 2, let year = Self.number(date[2]) else {
                return nil
            }
            let full = Self.fullYear(year)
            self.init(year: "\(full)", month: date[1], day: date[0], clock: parts[2])
        case 5 where Self.weekdays.contains { parts[0] == $0 }:
            // Sun Nov  6 08:49:37 1994
            self.init(year: parts[4], month: parts[1], day: parts[2], clock: parts[3])
        default:
            return nil
        }
    }

    private init?(year: Substring, month: Substring, day: Substring, clock: Substring) {
        let clock = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard year.utf8.count == 4, day.utf8.count <= 2, clock.count == 3,
            clock.allSatisfy({ $0.utf8.count == 2 }),
            let year = Self.number(year), let day = Self.number(day),
            let month = Self.months.firstIndex(where: { month == $0 }).map({ $0 + 1 }),
            let hour = Self.number(clock[0]), let minute = Self.number(clock[1]),
            let second = Self.number(clock[2]),
            // 60 is a leap second.
            hour < 24, minute < 60, second <= 60
        else { return nil }
        // The calendar repeats itself every 400 years.
        let alike = 2000 + year % 400
        guard Self.civil(Self.days(alike, month, day)) == (alike, month, day) else { return nil }
        self.init(seconds: Self.days(year, month, day) * Self.day + hour * 3600 + minute * 60 + second)
    }

    private static func number(_ digits: Substring) -> Int? {
        guard digits.utf8.allSatisfy(\.isDigit) else {
            return nil
        }
        return Int(digits)
    }

    private static func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }

    /// Two digits mean the century that puts them at most 50 years ahead.
    private static func fullYear(_ year: Int) -> Int {
        let now = civil(now.seconds / day).year
        let full = now - now % 100 + year
        return full > now + 50 ? full - 100 : full <= now - 50 ? full + 100 : full
    }

    /// Days since 1970 of a date, counted from 1 March, so that the leap day ends its year.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }

    /// The date of a day since 1970: the inverse.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let era = (days + 719_468) / 146_097
        let dayOfEra = (days + 719_468) % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = era * 400 + yearOfEra + (month >= 10 ? 1 : 0)
        return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
    }
}
