import EngineSupport
import HTTPTypes
import MicroHTTPD
import TestSupport
import Testing

/// The audit and the library read the same bytes, so they must come to the same end of a request.
///
/// Each test keeps its connection open and sends a second request behind the first: where the two readings differ, that
/// one gets no answer, or becomes the body of the first.
@Suite(.timeLimit(.minutes(5)))
struct SameBytesTests {
    private static let blanks = [" ", "\t", "  ", " \t", "\t "]

    /// White space behind a value is not part of it (RFC 9110, section 5.5).
    ///
    /// Where the library takes it for one, as 0.9 does, the head is refused at once; else its body ends where the audit says, and the next request is the next.
    @Test(
        arguments: blanks.flatMap { blank in
            [
                ("Transfer-Encoding: chunked\(blank)", "5\r\nhello\r\n0\r\n\r\n", "hello"),
                ("transfer-encoding:\(blank)CHUNKED\(blank)", "5\r\nhello\r\n0\r\n\r\n", "hello"),
                ("Content-Length: 5\(blank)", "hello", "hello"), ("Content-Length: 0\(blank)", "", ""),
                ("Content-Length: 5\r\nExpect: 100-continue\(blank)", "hello", "hello"),
                ("Transfer-Encoding: chunked\r\nExpect:\(blank)100-Continue\(blank)", "0\r\n\r\n", ""),
            ]
        })
    func whiteSpaceAfterAValueIsReadAlikeByEngineAndLibraryOrRefused(
        _ lines: String, _ sent: String, _ body: String
    )
        async throws
    {
        let reached = Tally()
        try await withServer(loops: 1) { exchange in
            reached.add()
            ok(exchange, "\(exchange.request.path ?? "") \(String(decoding: exchange.body, as: UTF8.self))")
        } test: { server in
            let port = server.port
            let replies = try await blocking {
                let client = try RawClient(port)
                try client.send(
                    "POST /first HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n\(sent)"
                        + "GET /second HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                return try client.refusalsToEnd()
            }
            if replies.map(\.status) == [200, 200] {
                #expect(replies.map(\.text) == ["/first \(body)", "/second "])
            } else {
                #expect(replies.count == 1 && [400, 417, 501].contains(replies[0].status))
                #expect(reached.count == 0)
            }
        }
    }

    @Test(
        arguments: [
            ("Content-Length: 5\r\nExpect: 100\u{0D}continue", [400]),
            ("Content-Length: 5\r\nExpect:", [417]),
            ("Transfer-Encoding: chun\u{212A}ed", [400, 501]),
        ] as [(String, Set<Int>)])
    func aHeadThatTheLibraryReadsDifferentlyIsRefusedAtOnce(_ lines: String, _ statuses: Set<Int>)
        async throws
    {
        let reached = Tally()
        try await withServer(loops: 1) { exchange in
            reached.add()
            ok(exchange)
        } test: { server in
            let port = server.port
            let replies = try await blocking {
                let client = try RawClient(port)
                try client.send("POST /first HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n")
                // What the caller sends next comes when it has the answer, or gets none.
                return try client.refusalsToEnd()
            }
            #expect(replies.count == 1)
            #expect(statuses.contains(replies.first?.status ?? 0), "\(replies.map(\.status))")
            #expect(reached.count == 0)
        }
    }

    @Test(arguments: ["", " ", "\t", " \t "])
    func whiteSpaceBeforeAValueChangesNothing(_ blank: String) async throws {
        try await withServer(loops: 1) { exchange in
            let body = String(decoding: exchange.body, as: UTF8.self)
            ok(exchange, "\(exchange.request.path ?? "") \(exchange.request.authority ?? "") \(body)")
        } test: { server in
            let port = server.port
            try await blocking {
                let client = try RawClient(port)
                let heads = [
                    ("Transfer-Encoding:\(blank)chunked", "5\r\nhello\r\n0\r\n\r\n"),
                    ("Content-Length:\(blank)5", "hello"),
                    ("Content-Length:\(blank)005", "hello"),
                    ("Expect:\(blank)100-Continue\r\nContent-Length:\(blank)5", "hello"),
                ]
                for (lines, body) in heads {
                    try client.send(
                        "POST /\(lines.utf8.count) HTTP/1.1\r\nHost:\(blank)a\(blank)\r\n\(lines)\r\n\r\n")
                    if lines.hasPrefix("Expect") { #expect(try client.reply().status == 100) }
                    try client.send(body)
                    #expect(try client.reply().text == "/\(lines.utf8.count) a hello")
                    try client.send("GET /next HTTP/1.1\r\nHost: b\r\n\r\n")
                    #expect(try client.reply().text == "/next b ")
                }
            }
        }
    }

    /// Connection is read by the library, which must find the same words in it as anybody else.
    @Test(arguments: blanks)
    func connectionCloseIsUnderstoodWithWhiteSpaceAroundIt(_ blank: String) async throws {
        try await withServer(loops: 1) {
            ok($0)
        } test: { server in
            let port = server.port
            let replies = try await blocking {
                let client = try RawClient(port)
                try client.send(
                    "GET / HTTP/1.1\r\nHost: a\r\nConnection:\(blank)x,\(blank)Close\(blank)\r\n\r\n")
                return try client.repliesToEnd()
            }
            #expect(replies.map(\.status) == [200])
        }
    }

    /// Methods are told apart by case (RFC 9110, section 9.1): `head` is not HEAD, and its answer has a body.
    @Test(arguments: ["head", "Head", "heaD", "options", "put"])
    func methodsAreCaseSensitiveForEngineAndLibrary(_ method: String) async throws {
        try await withServer(loops: 1) { exchange in
            ok(exchange, exchange.request.method.rawValue)
        } test: { server in
            let port = server.port
            try await blocking {
                let client = try RawClient(port)
                try client.send("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.reply().text == method)
                try client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.reply().text == "GET")
            }
        }
    }

    /// An expectation in HTTP/1.0 is ignored: nobody would read the 100 (RFC 9110, section 10.1.1).
    @Test(arguments: ["100-continue", "100-continue ", "x"])
    func anExpectationInHTTP10IsIgnored(_ expectation: String) async throws {
        try await withServer(loops: 1) { exchange in
            ok(exchange, String(decoding: exchange.body, as: UTF8.self))
        } test: { server in
            let port = server.port
            let replies = try await blocking {
                let client = try RawClient(port)
                try client.send(
                    "POST / HTTP/1.0\r\nHost: a\r\nExpect: \(expectation)\r\nContent-Length: 5\r\n\r\nhello")
                return try client.repliesToEnd()
            }
            #expect(replies.map(\.text) == ["hello"])
        }
    }
}
