import Glibc

@testable import Drawbridge
@testable import DrawbridgeMessages
@testable import DrawbridgeServer

/// Entity tags and dates of conditions, beside the C library's calendar.
enum ConditionsTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        checkTags(text)
        if let date = HTTPDate(text) { check(date) }
        check(HTTPDate(seconds: bytes.prefix(8).reduce(0) { $0 << 5 ^ Int($1) }))

        if let reference = reference(text) {
            check(HTTPDate(text)?.seconds == reference, "\(text) is not \(reference)")
        }
    }

    private static func check(_ date: HTTPDate) {
        check(HTTPDate(date.text) == date, "\(date.text) is not read as it was written")
        var time = time_t(date.seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        let reference = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        check(date.text == reference, "\(date.text) is \(reference)")
    }

    /// The seconds of a date in the form that is sent now; nil for any other, and for what no calendar has.
    private static func reference(_ text: String) -> Int? {
        let form = /[A-Z][a-z]{2}, ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT/
        guard let match = text.wholeMatch(of: form) else { return nil }
        var parts = tm()
        parts.tm_mday = Int32(match.1)!
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard let month = months.firstIndex(of: String(match.2)) else { return nil }
        parts.tm_mon = Int32(month)
        parts.tm_year = Int32(match.3)! - 1900
        parts.tm_hour = Int32(match.4)!
        parts.tm_min = Int32(match.5)!
        parts.tm_sec = Int32(match.6)!
        let sent = parts
        let seconds = timegm(&parts)
        // The C library turns 30 February into a day of March.
        let isReal =
            parts.tm_mday == sent.tm_mday && parts.tm_hour == sent.tm_hour && parts.tm_min == sent.tm_min
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        guard isReal, parts.tm_sec == sent.tm_sec, days.contains(String(text.prefix(3))) else { return nil }
        return max(seconds, 0)
    }

    private static func checkTags(_ text: String) {
        guard case .tags(let tags) = EntityTag.List(text) else {
            return check(text.utf8.allSatisfy { " \t,*".utf8.contains($0) }, "\(text) is any")
        }
        check(tags.allSatisfy { !$0.opaque.utf8.contains(UInt8(ascii: "\"")) }, text)
        guard case .tags(let again) = EntityTag.List(tags.map(\.text).joined(separator: ", ")) else {
            fatalError("\(tags) is read as any")
        }
        check(again == tags, "\(tags) is read again as \(again)")
        for tag in tags { check(tag.matchesWeakly(tag) && tag.matchesStrongly(tag) != tag.isWeak, tag.text) }
    }
}
