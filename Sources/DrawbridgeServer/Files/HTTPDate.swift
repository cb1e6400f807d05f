import EventLoop
import Glibc

/// A date in a header field, in whole seconds (RFC 9110, section 5.6.7).
struct HTTPDate: Comparable {
    /// The preferred format, and the obsolete ones of RFC 850 and of C.
    private static let formats = [
        "%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y",
    ]

    /// Seconds since 1970, limited to the years 1970 to 9999.
    let seconds: Int

    init(seconds: Int) { self.seconds = min(max(seconds, 0), 253_402_300_799) }

    static var now: HTTPDate { HTTPDate(seconds: time(nil)) }

    static func < (one: Self, other: Self) -> Bool { one.seconds < other.seconds }

    /// The preferred format, as in `Sun, 06 Nov 1994 08:49:37 GMT`.
    var text: String { Self.text(of: parts, as: Self.formats[0]) }

    private var parts: tm {
        var (time, parts) = (time_t(seconds), tm())
        gmtime_r(&time, &parts)
        return parts
    }

    private static func text(of parts: tm, as format: String) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            guard let start = text.baseAddress else { return "" }
            // Years before 1000 have four digits too.
            let format = format.replacing("%Y", with: "%04Y")
            return withUnsafePointer(to: parts) { strftime(start, 64, format, $0) } > 0
                ? String(cString: start) : ""
        }
    }

    /// Parses the preferred format and the two obsolete ones; nil for anything else, and for a weekday of another date.
    init?(_ text: String) {
        for format in Self.formats {
            guard var parts = Linux.date(text, as: format) else { continue }
            // Two digits are a year at most 50 years in the future; C takes those from 69 on for the last century.
            let now = Self.now.parts.tm_year
            if format.contains("%y"), parts.tm_year <= now - 50 { parts.tm_year += 100 }
            let seconds = timegm(&parts)
            // C is lenient: 31 Feb is a day of March, and letters, digits and blanks need not be exact.
            guard Self.text(of: parts, as: format) == text else { continue }
            self.init(seconds: seconds)
            return
        }
        return nil
    }
}
