import Drawbridge
import DrawbridgeServer
import TestSupport
import Testing

/// Parts of a file (RFC 9110, section 14); more forms are tried in `StaticFilesConditionTests`.
@Suite("Hostile 17: ranges that make no sense, or too many of them", .timeLimit(.minutes(5)))
struct RangeTests {
    private static let many = (0..<1000).map { "\($0)-\($0)" }.joined(separator: ",")
    private static let overlapping = Array(repeating: "0-", count: 1000).joined(separator: ",")

    @Test(
        arguments: [
            ("0-", 206, "bytes 0-9/10", "0123456789"), ("-5", 206, "bytes 5-9/10", "56789"),
            ("5-1", 200, nil, "0123456789"), ("999-", 416, "bytes */10", ""), (many, 200, nil, "0123456789"),
            ("0-5,2-7", 200, nil, "0123456789"), (overlapping, 200, nil, "0123456789"),
            ("9999999999999999999999-", 416, "bytes */10", ""),
            ("-99999999999999999999", 206, "bytes 0-9/10", "0123456789"),
            ("--5", 200, nil, "0123456789"), ("0-\u{7C}", 200, nil, "0123456789"),
            ("", 200, nil, "0123456789"),
        ] as [(String, Int, String?, String)])
    func aRangeGetsItsPartOrTheWholeFile(
        _ range: String, _ status: Int, _ part: String?, _ text: String
    ) async throws {
        let folder = try Folder()
        try folder.write("a.txt", "0123456789")
        try await serving(.quiet(passThrough: [.staticFiles(folder.path)])) { port in
            let replies = try await replies(port, get("/a.txt", "Range: bytes=\(range)"))
            #expect(replies.map(\.status) == [status])
            #expect(replies[0]["Content-Range"] == part)
            #expect(replies[0].text == text)
        }
    }
}
