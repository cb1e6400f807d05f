import Drawbridge
import Foundation
import HTTPTypes
import Testing

@testable import DrawbridgeServer

@Suite("Static files: conditions and ranges")
struct StaticFilesConditionTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
    private static let after = "Sun, 06 Nov 1994 08:49:38 GMT"

    /// `TAG` in a value means the tag of the file, which was last written at `date`.
    private func status(_ headers: HTTPFields, method: HTTPRequest.Method = .get) async throws -> Int {
        let site = try StaticFilesSite(["a.txt": "0123456789"])
        try site.setModified("a.txt", 784_111_777, nanoseconds: 500_000_000)
        let tag = try #require(await site.get("/a.txt").headers[.eTag])
        var sent = HTTPFields()
        for field in headers {
            sent.append(HTTPField(name: field.name, value: field.value.replacing("TAG", with: tag)))
        }
        let response = await site.get("/a.txt", sent, method: method)
        let bytes = try await response.body.collect()
        if [304, 412, 416].contains(response.status.code) { #expect(bytes.isEmpty) }
        #expect(response.headers[.eTag] == tag)
        #expect(response.headers[.lastModified] == Self.date)
        #expect(response.headers[.cacheControl] == "no-cache")
        return response.status.code
    }

    @Test(arguments: [
        ("TAG", 200), ("*", 200), ("\"x\", TAG", 200), ("W/TAG", 412), ("\"x\"", 412), ("nonsense", 412),
        ("\"x\" *", 412),
    ])
    func ifMatchRequiresThisVersion(value: String, code: Int) async throws {
        #expect(try await status([.ifMatch: value]) == code)
        #expect(try await status([.ifMatch: value], method: .head) == code)
    }

    @Test(arguments: [
        (date, 200), (after, 200), (before, 412), ("Mon, 01 Jan 0001 00:00:00 GMT", 412), ("yesterday", 200),
        ("0", 200),
    ])
    func ifUnmodifiedSinceRequiresNothingNewer(value: String, code: Int) async throws {
        #expect(try await status([.ifUnmodifiedSince: value]) == code)
    }

    @Test(arguments: [
        ("TAG", 304), ("W/TAG", 304), ("*", 304), ("\"x\", W/\"y\" ,TAG", 304), (" TAG , \"x\"", 304),
        ("\"x\"", 200),
        ("W/\"x\"", 200), ("nonsense", 200), ("\"open", 200), ("\"a,b\",TAG", 304), ("w/TAG", 200), ("", 200),
    ])
    func ifNoneMatchGivesA304ForTheCallersVersion(value: String, code: Int) async throws {
        #expect(try await status([.ifNoneMatch: value]) == code)
        #expect(try await status([.ifNoneMatch: value], method: .head) == code)
    }

    @Test(arguments: [
        (date, 304), (after, 304), (before, 200), ("Sunday, 06-Nov-94 08:49:37 GMT", 304),
        ("Sun Nov  6 08:49:37 1994", 304), ("Sun Nov  6 08:49:36 1994", 200), ("tomorrow", 200),
        ("Sun, 06 Nov 1994 08:49:37 +0000", 200), ("Sun, 99 Nov 2094 08:49:37 GMT", 200),
    ])
    func ifModifiedSinceGivesA304ForTheCallersVersion(value: String, code: Int) async throws {
        #expect(try await status([.ifModifiedSince: value]) == code)
        #expect(try await status([.ifModifiedSince: value], method: .head) == code)
    }

    @Test(arguments: ordered) func conditionsAreCheckedInTheirOrder(headers: HTTPFields, code: Int)
        async throws
    {
        #expect(try await status(headers) == code)
    }

    private static let ordered: [(HTTPFields, Int)] = [
        ([.ifMatch: "TAG", .ifUnmodifiedSince: before], 200),
        ([.ifMatch: "\"x\"", .ifNoneMatch: "TAG"], 412),
        ([.ifUnmodifiedSince: before, .ifModifiedSince: after], 412),
        ([.ifMatch: "TAG", .ifNoneMatch: "TAG"], 304),
        ([.ifNoneMatch: "\"x\"", .ifModifiedSince: after], 200),
        ([.ifNoneMatch: "TAG", .ifModifiedSince: before], 304),
        ([.ifNoneMatch: "TAG", .range: "bytes=0-1"], 304),
        ([.ifMatch: "\"x\"", .range: "bytes=99-"], 412),
        ([.ifMatch: "TAG", .range: "bytes=0-1"], 206),
    ]

    @Test(arguments: [
        ("TAG", 206), ("W/TAG", 200), ("\"x\"", 200), (date, 206), (before, 200), (after, 200),
        ("nonsense", 200),
        ("TAG, TAG", 200), ("*", 200), ("Sunday, 06-Nov-94 08:49:37 GMT", 206),
    ])
    func ifRangeGivesRangesOfTheSameVersionOnly(value: String, code: Int) async throws {
        #expect(try await status([.ifRange: value, .range: "bytes=0-1"]) == code)
        #expect(try await status([.ifRange: value]) == 200)
    }

    @Test(arguments: [
        ("bytes=0-", 0..<10), ("bytes=-5", 5..<10), ("bytes=2-4", 2..<5), ("bytes=0-0", 0..<1),
        ("bytes=9-", 9..<10),
        ("bytes=5-99", 5..<10), ("bytes=-99", 0..<10), ("Bytes=1-2", 1..<3), ("bytes= 1-2 ", 1..<3),
        ("bytes=0-99999999999999999999999999", 0..<10), ("bytes=-99999999999999999999999999", 0..<10),
        ("bytes=3-9223372036854775807", 3..<10),
    ])
    func oneRangeGetsItsPartOfTheFile(field: String, part: Range<Int>) async throws {
        let site = try StaticFilesSite(["a.txt": "0123456789"])
        let response = await site.get("/a.txt", [.range: field])
        #expect(response.status == .partialContent)
        #expect(response.headers[.contentRange] == "bytes \(part.lowerBound)-\(part.upperBound - 1)/10")
        #expect(response.headers[.contentType] == "text/plain; charset=utf-8")
        #expect(try await response.body.collect() == Array(Array("0123456789".utf8)[part]))
    }

    @Test(arguments: [
        "bytes=10-", "bytes=999-", "bytes=10-20", "bytes=-0", "bytes=9223372036854775807-",
        "bytes=99999999999999999999-",
    ])
    func anUnsatisfiableRangeTellsTheLengthOfTheFile(field: String) async throws {
        let site = try StaticFilesSite(["a.txt": "0123456789"])
        let response = await site.get("/a.txt", [.range: field])
        #expect(response.status == .rangeNotSatisfiable)
        #expect(response.headers[.contentRange] == "bytes */10")
        #expect(response.body.length == 0)
    }

    @Test(arguments: [
        "bytes=5-1", "bytes=0-1,3-4", "bytes=0-5,2-7", "bytes=0-1, 999-", "bytes=", "bytes=-", "bytes",
        "bytes=a-b",
        "bytes=+1-2", "bytes=--5", "bytes=1--2", "bytes=0x1-2", "bytes=1", "items=0-1", "=0-1", "bytes =0-1",
        "0-1",
        "bytes=" + (0..<1_000).map { "\($0)-\($0)" }.joined(separator: ","), "bytes=\u{0661}-\u{0662}",
    ])
    func anythingButOneRangeGetsTheWholeFile(field: String) async throws {
        let site = try StaticFilesSite(["a.txt": "0123456789"])
        let response = await site.get("/a.txt", [.range: field])
        #expect(response.status == .ok)
        #expect(response.headers[.contentRange] == nil)
        #expect(try await response.body.collect() == Array("0123456789".utf8))
    }

    @Test func anEmptyFileHasNoRanges() async throws {
        let site = try StaticFilesSite(["a.txt": ""])
        #expect(await site.get("/a.txt", [.range: "bytes=0-"]).headers[.contentRange] == "bytes */0")
        #expect(await site.get("/a.txt", [.range: "bytes=-5"]).status == .ok)
    }

    @Test func aLargeRangeOfALargeFileIsSent() async throws {
        let site = try StaticFilesSite()
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try site.file("a.bin", bytes: bytes)
        let response = await site.get("/a.bin", [.range: "bytes=1000-150999"])
        #expect(response.body.length == 150_000)
        #expect(try await response.body.collect() == Array(bytes[1000..<151_000]))
    }

    @Test func aChangedFileHasAnotherEntityTag() async throws {
        let site = try StaticFilesSite(["a.txt": "one"])
        var tags: Set<String> = []
        func look() async throws { tags.insert(try #require(await site.get("/a.txt").headers[.eTag])) }
        try site.setModified("a.txt", 1_000_000)
        // The same length and time, for later; made now, so that the numbers of the two files differ.
        try site.file("b.txt", "one")
        try site.setModified("b.txt", 1_000_000)
        try await look()
        try await look()
        #expect(tags.count == 1)
        try site.setModified("a.txt", 1_000_000, nanoseconds: 1)
        try await look()
        try site.file("a.txt", "longer")
        try site.setModified("a.txt", 1_000_000)
        try await look()
        #expect(rename(site.path("b.txt"), site.path("a.txt")) == 0)
        try await look()
        #expect(tags.count == 4)
    }

    @Test func aFutureModificationTimeIsSentAsNow() async throws {
        let site = try StaticFilesSite(["a.txt": "x"])
        try site.setModified("a.txt", 253_402_300_700)
        let modified = try #require(await site.get("/a.txt").headers[.lastModified].flatMap(HTTPDate.init))
        #expect(modified <= .now)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
    ])
    func httpDatesAreWrittenAndRead(text: String, seconds: Int) {
        #expect(HTTPDate(seconds: seconds).text == text)
        #expect(HTTPDate(text)?.seconds == seconds)
    }

    @Test func everyDayHasItsOwnHTTPDate() {
        for day in stride(from: 0, through: 2_932_896, by: 365) {
            let date = HTTPDate(seconds: day * 86_400 + 3_723)
            #expect(HTTPDate(date.text) == date)
        }
    }

    @Test(arguments: [
        "", " ", "GMT", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sunday, 06-Nov 08:49:37 GMT", "Sun Nov 6 1994 08:49:37",
        "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
        "1994-11-06T08:49:37Z", "784111777",
    ])
    func invalidTextsAreNotReadAsHTTPDates(text: String) { #expect(HTTPDate(text) == nil) }

    @Test func aTwoDigitYearIsInTheNearestCentury() throws {
        #expect(HTTPDate("Tuesday, 01-Jan-30 00:00:00 GMT")?.text == "Tue, 01 Jan 2030 00:00:00 GMT")
        #expect(HTTPDate("Friday, 01-Jan-99 00:00:00 GMT")?.text == "Fri, 01 Jan 1999 00:00:00 GMT")
    }
}
