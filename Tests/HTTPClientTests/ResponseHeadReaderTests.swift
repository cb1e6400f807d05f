import HTTPTypes
import Testing

@testable import HTTPClient

@Suite("Heads of an upstream's responses")
struct ResponseHeadReaderTests {
    /// The head of these lines, which an empty one ends.
    private func read(_ lines: [[UInt8]]) throws -> ResponseHead {
        var reader = ResponseHeadReader()
        for line in lines {
            let head = try line.withUnsafeBytes { try reader.read($0) }
            #expect(head == nil)
        }
        return try #require(try [].withUnsafeBytes { try reader.read($0) })
    }

    private func read(_ lines: [String]) throws -> ResponseHead { try read(lines.map { Array($0.utf8) }) }

    private func problem(_ lines: [String]) -> String? {
        #expect(throws: MalformedResponse.self) { try read(lines) }?.description
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK", 200, "OK", false), ("HTTP/1.0 404 Not Found", 404, "Not Found", true),
        ("HTTP/1.1 204 ", 204, "", false), ("HTTP/1.1 302", 302, "", false),
        ("HTTP/1.1 999 x\ty", 999, "x\ty", false),
        ("HTTP/1.1 100 Continue", 100, "Continue", false), ("HTTP/1.1 500 Été", 500, "Été", false),
        ("HTTP/1.1 200  OK", 200, " OK", false),
    ])
    func statusLinesAreRead(line: String, code: Int, reason: String, isOldVersion: Bool) throws {
        let head = try read([line])
        #expect(head.status.code == code)
        #expect(head.isOldVersion == isOldVersion)
        if line.utf8.allSatisfy({ $0 > 0x1F && $0 < 0x80 }) { #expect(head.status.reasonPhrase == reason) }
        #expect(head.fields.isEmpty)
        #expect(head.contentLength == nil)
        #expect(!head.isChunked)
    }

    @Test(arguments: [
        "", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 20x OK", "HTTP/1.1 -20 OK",
        "HTTP/1.1 099 x", "HTTP/1.1 000 x", "HTTP/1.1  200 OK", "HTTP/1.1\t200 OK", "HTTP/1.1 200\tOK",
        "HTTP/1.2 200 OK",
        "HTTP/1.10 200 OK", "HTTP/2 200 OK", "HTTP/2.0 200 OK", "HTTP/0.9 200 OK", "http/1.1 200 OK",
        " HTTP/1.1 200 OK",
        "ICY 200 OK", "<html>", "SSH-2.0-OpenSSH_9.2", "HTTP/1.1 ２00 OK", "Content-Length: 5",
    ])
    func invalidStatusLinesAreRefused(line: String) {
        let shown = line.replacing("\t", with: "?")
        #expect(problem([line]) == "the status line is not HTTP/1.1, a code and a reason: \(shown)")
    }

    @Test func fieldsAreKeptAsTheyCame() throws {
        let lines = [
            "Server: x", "set-cookie: a=1", "Set-Cookie: b=2", "X-Empty: ", "X-None:",
            "CONTENT-type: text/html",
            "X-Odd!#$%&'*+-.^_`|~: a:b", "Content-Length: 5", "Via: 1.1 a,\t1.1 b",
        ]
        let head = try read(["HTTP/1.1 200 OK"] + lines)
        #expect(head.fields.map(\.description) == lines.map { $0 == "X-None:" ? "X-None: " : $0 })
        #expect(head.contentLength == 5)
    }

    @Test(arguments: ["a:b", "a: b", "a:\t b \t ", "a:    b"])
    func whiteSpaceAroundValuesIsRemoved(line: String) throws {
        #expect(try read(["HTTP/1.1 200 OK", line]).fields.map(\.description) == ["a: b"])
    }

    @Test func bytesThatAreNotUTF8AreKept() throws {
        let head = try read([Array("HTTP/1.1 200 OK".utf8), Array("a: ".utf8) + [0xE9, 0x20, 0xFF]])
        #expect(head.fields.first?.withUnsafeBytesOfValue(Array.init) == [0xE9, 0x20, 0xFF])
    }

    @Test(arguments: [
        ("Content-Length: 0", 0, false), ("content-length: 007", 7, false),
        ("Content-Length: 9223372036854775807", Int.max, false), ("Transfer-Encoding: chunked", nil, true),
        ("transfer-encoding: CHUNKED", nil, true), ("Connection: close", nil, false),
    ])
    func theHeadSaysWhereTheBodyEnds(line: String, length: Int?, isChunked: Bool) throws {
        let head = try read(["HTTP/1.1 200 OK", line])
        #expect(head.contentLength == length)
        #expect(head.isChunked == isChunked)
    }

    @Test func theSameLengthMayBeGivenTwice() throws {
        #expect(try read(["HTTP/1.1 200 OK", "Content-Length: 5", "content-length: 5"]).contentLength == 5)
    }

    @Test(arguments: [
        (
            ["Content-Length: 5", "Content-Length: 6"],
            "there are two values of Content-Length, of which one is wrong"
        ),
        (["Content-Length: 5, 5"], "the Content-Length is not a number: 5, 5"),
        (["Content-Length:"], "the Content-Length is not a number: "),
        (["Content-Length: +5"], "the Content-Length is not a number: +5"),
        (["Content-Length: -5"], "the Content-Length is not a number: -5"),
        (["Content-Length: 0x5"], "the Content-Length is not a number: 0x5"),
        (["Content-Length: 5 x"], "the Content-Length is not a number: 5 x"),
        (["Content-Length: 5.0"], "the Content-Length is not a number: 5.0"),
        (["Content-Length: ５"], "the Content-Length is not a number: ５"),
        (["Content-Length: 9223372036854775808"], "the Content-Length is too large: 9223372036854775808"),
        (["Content-Length: 18446744073709551621"], "the Content-Length is too large: 18446744073709551621"),
        (
            ["Content-Length: 5", "Transfer-Encoding: chunked"],
            "there are a Content-Length and a Transfer-Encoding, of which one is wrong"
        ),
        (
            ["transfer-encoding: chunked", "A: b", "content-length: 5"],
            "there are a Content-Length and a Transfer-Encoding, of which one is wrong"
        ),
        (["Transfer-Encoding: gzip, chunked"], "the Transfer-Encoding is not chunked: gzip, chunked"),
        (["Transfer-Encoding: identity"], "the Transfer-Encoding is not chunked: identity"),
        (["Transfer-Encoding:"], "the Transfer-Encoding is not chunked: "),
        (["Transfer-Encoding: chun\u{212A}ed"], "the Transfer-Encoding is not chunked: chun\u{212A}ed"),
        (
            ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
            "the Transfer-Encoding is given twice"
        ),
        (["A: b", " c"], "a header field is folded into a second line:  c"),
        ([" A: b"], "a header field is folded into a second line:  A: b"),
        (["A: b", "\tc: d"], "a header field is folded into a second line: ?c: d"),
        (["A b"], "a line of the head has no colon: A b"),
        ([": b"], "the name of a header field is not a token: : b"),
        (["A : b"], "the name of a header field is not a token: A : b"),
        (["A\t: b"], "the name of a header field is not a token: A?: b"),
        (["[A]: b"], "the name of a header field is not a token: [A]: b"),
        (["Ä: b"], "the name of a header field is not a token: Ä: b"),
        (["A\0: b"], "the name of a header field is not a token: A?: b"),
        (["A: b\0c"], "the header field A has a control character"),
        (["A: b\r"], "the header field A has a control character"),
        (["A: b\rB: c"], "the header field A has a control character"),
        (["A: b\nB: c"], "the header field A has a control character"),
        (["A: \u{1B}[2J"], "the header field A has a control character"),
        (["A: \u{7F}"], "the header field A has a control character"),
    ])
    func ambiguousHeadsAreRefused(lines: [String], expected: String) {
        #expect(problem(["HTTP/1.1 200 OK"] + lines) == expected)
    }

    @Test func chunksInHTTP10AreRefused() {
        #expect(
            problem(["HTTP/1.0 200 OK", "Transfer-Encoding: chunked"]) == "HTTP/1.0 has no Transfer-Encoding")
    }

    @Test(arguments: ["HTTP/1.1 200 O\rK", "HTTP/1.1 200 \0", "HTTP/1.1 200 \u{1B}[2J"])
    func aControlCharacterInTheReasonIsRefused(line: String) {
        #expect(problem([line])?.hasPrefix("the status line has a control character: HTTP/1.1 200 ") == true)
        #expect(problem([line])?.utf8.contains { $0 < 0x20 } == false)
    }

    @Test func theSizeOfAHeadIsLimited() throws {
        let line = "a: " + String(repeating: "b", count: 1021)
        // 64 KB with the ends of lines: the status line has 17 bytes, the last line 2.
        let full =
            ["HTTP/1.1 200 OK"] + Array(repeating: line, count: 63) + [
                "a: " + String(repeating: "b", count: 874)
            ]
        #expect(try read(full).fields.count == 64)
        #expect(
            problem(full.dropLast() + ["a: " + String(repeating: "b", count: 875)])
                == "the head has more than 64 KB")
        let many = ["HTTP/1.1 200 OK"] + Array(repeating: "a: b", count: 1000)
        #expect(try read(many).fields.count == 1000)
        #expect(problem(many + ["a: b"]) == "the head has more than 1,000 header fields")
        let long =
            "the status line is not HTTP/1.1, a code and a reason: " + String(repeating: "x", count: 60)
        #expect(problem([String(repeating: "x", count: 60_000)]) == long)
    }

    @Test func informationalResponsesComeFirstWithinTheSameLimit() throws {
        var reader = ResponseHeadReader()
        func read(_ line: String) throws -> ResponseHead? {
            try Array(line.utf8).withUnsafeBytes { try reader.read($0) }
        }
        for line in ["HTTP/1.1 103 Early Hints", "Link: </a>"] { #expect(try read(line) == nil) }
        #expect(try read("")?.fields.count == 1)
        for line in ["HTTP/1.1 200 OK", "Content-Length: 5"] { #expect(try read(line) == nil) }
        let head = try #require(try read(""))
        #expect(head.status == .ok)
        #expect(head.fields.map(\.description) == ["Content-Length: 5"])

        var count = 0
        let error = #expect(throws: MalformedResponse.self) {
            while count < 10_000 {
                for line in ["HTTP/1.1 103 Early Hints", ""] { _ = try read(line) }
                count += 1
            }
        }
        #expect(error?.description == "the head has more than 64 KB")
    }
}
