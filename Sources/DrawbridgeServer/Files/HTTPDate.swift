import Glibc
import HTTPGrammar

/// A date in a header field, in whole seconds (RFC 9110, section 5.6.7).
struct HTTPDate: Comparable {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let longWeekdays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    /// Seconds since 1970, limited to the years 1970 to 9999.
    let seconds: Int

    init(seconds: Int) { self.seconds = min(max(seconds, 0), 253_402_300_799) }

    static var now: HTTPDate { HTTPDate(seconds: time(nil)) }

    static func < (one: Self, other: Self) -> Bool { one.seconds < other.seconds }

    /// The preferred format, as in `Sun, 06 Nov 1994 08:49:37 GMT`.
    var text: String {
        let parts = parts
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(Self.twoDigits).joined(separator: ":")
        let month = Self.months[Int(parts.tm_mon)]
        let date = "\(Self.twoDigits(parts.tm_mday)) \(month) \(parts.tm_year + 1900)"
        return "\(Self.weekdays[Int(parts.tm_wday)]), \(date) \(clock) GMT"
    }

    private var parts: tm {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        return parts
    }

    /// Parses the preferred format and the two obsolete ones; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: " ")
        switch parts.count {
        case 6 where Self.weekdays.contains { parts[0] == "\($0)," } && parts[5] == "GMT":
            // Sun, 06 Nov 1994 08:49:37 GMT
            self.init(year: parts[3], month: parts[2], day: parts[1], clock: parts[4])
        case 4 where Self.longWeekdays.contains { parts[0] == "\($0)," } && parts[3] == "GMT":
            // Sunday, 06-Nov-94 08:49:37 GMT
            let date = parts[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3, date[2].utf8.count == 2, let year = Int(plain: date[2]) else {
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
            let year = Int(plain: year), let day = Int(plain: day),
            let month = Self.months.firstIndex(where: { month == $0 }),
            let hour = Int(plain: clock[0]), let minute = Int(plain: clock[1]),
            let second = Int(plain: clock[2]),
            // 60 is a leap second.
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month), Int32(day))
        let start = timegm(&parts)
        // `timegm` turns February 30 into March 1 or 2; such a date is invalid.
        guard parts.tm_mday == day else { return nil }
        self.init(seconds: start + hour * 3600 + minute * 60 + second)
    }

    private static func twoDigits(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }

    /// The year for two digits: at most 50 years in the future (RFC 9110, section 5.6.7).
    private static func fullYear(_ year: Int) -> Int {
        let now = Int(now.parts.tm_year) + 1900
        let full = now - now % 100 + year
        return full > now + 50 ? full - 100 : full <= now - 50 ? full + 100 : full
    }
}
