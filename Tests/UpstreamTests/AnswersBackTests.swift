import DrawbridgeServer
import MicroHTTPD
import TestSupport
import Testing

/// What a caller gets of an upstream's answer: all of it.
@Suite("Answers as a caller gets them", .timeLimit(.minutes(5)))
struct AnswersBackTests {
    @Test func everyStatusIsPassedThrough() async throws {
        let answering: Answering = { connection, head in
            let code = head.dropFirst("GET /".count).prefix { $0 != " " }
            let hasNone = ["204", "205", "304"].contains(String(code))
            try connection.send(
                hasNone ? "HTTP/1.1 \(code) X\r\nX-A: a\r\n\r\n" : ok("body", status: "\(code) X"))
            // A 205 without a length has a body up to the end, as any other.
            if code == "205" { connection.close() }
        }
        try await proxying(to: answering) { port, _ in
            try await blocking {
                let client = try RawClient(port)
                for code in 200...599 {
                    try client.send("GET /\(code) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    let reply = try client.reply()
                    #expect(reply.status == code)
                    #expect(reply.text == ([204, 205, 304].contains(code) ? "" : "body"))
                    #expect(client.unread == 0)
                }
            }
        }
    }

    /// What a caller gets of an answer that ends its connection.
    private func answer(_ text: String) async throws -> RawAnswer {
        try await answer(Array(text.utf8))
    }

    private func answer(_ bytes: [UInt8]) async throws -> RawAnswer {
        let got = Observed<RawAnswer?>(nil)
        let giving: Answering = { connection, _ in
            try connection.send(bytes)
            connection.close()
        }
        try await proxying(to: giving) { port, _ in
            let reply = try await reply(port, get("/"))
            got.change { $0 = reply }
        }
        return try #require(got.value)
    }

    @Test func fieldsKeepTheirCaseTheirOrderAndTheirDuplicates() async throws {
        let lines = [
            "Set-Cookie: a=1", "X-MiXeD: Case", "set-cookie: b=2; Path=/", "X-Dup: 1", "x-dup: 2",
            "Set-Cookie: a=3", "ETag: \"x\"", "Server: other/1.0", "Cache-Control: max-age=1",
            "Link: </a>; rel=preload, </b>", "WWW-Authenticate: Basic realm=\"a\"", "Vary: X", "Vary: Y",
        ]
        let reply = try await answer(
            (["HTTP/1.1 200 OK"] + lines + ["Content-Length: 2", "", "ok"]).joined(separator: "\r\n"))
        let got = reply.headers.map { "\($0.name): \($0.value)" }
        #expect(got.filter { lines.contains($0) } == lines, "\(got)")
        let others = got.filter { !lines.contains($0) }.map { $0.prefix { $0 != ":" } }
        #expect(Set(others) == ["Content-Length", "Connection", "Date", "Via"], "\(others)")
        #expect(reply["Via"]?.hasPrefix("1.1 drawbridge-") == true)
    }

    @Test func hopByHopFieldsAreNotPassedOn() async throws {
        let reply = try await answer(
            """
            HTTP/1.0 200 OK\r
            Connection: X-Named, keep-alive\r
            X-Named: a\r
            Keep-Alive: timeout=5\r
            Proxy-Authenticate: Basic\r
            Upgrade: h2c\r
            Trailer: X-T\r
            Content-Length: 2\r
            \r
            ok
            """)
        #expect(reply.text == "ok")
        for name in ["X-Named", "Keep-Alive", "Proxy-Authenticate", "Upgrade", "Trailer"] {
            #expect(reply[name] == nil)
        }
        #expect(reply["Via"]?.hasPrefix("1.0 drawbridge-") == true)
    }

    @Test func aFieldThatIsNotUTF8KeepsItsBytes() async throws {
        let bytes =
            Array("HTTP/1.1 200 OK\r\nX-A: caf".utf8) + [0xE9] + Array("\r\nContent-Length: 0\r\n\r\n".utf8)
        let got = Observed<[UInt8]>([])
        try await proxying(to: { connection, _ in try connection.send(bytes) }) { port, _ in
            let all = try await blocking {
                let client = try RawClient(port)
                try client.send(get("/"))
                return try client.readToEnd()
            }
            got.change { $0 = all }
        }
        #expect(got.value.contains(Array("X-A: caf".utf8) + [0xE9, 0x0D]))
    }

    enum Framing: CaseIterable { case length, chunked, tinyChunks, end }

    @Test(arguments: [0, 1, 1 << 10, 32 << 10, 1 << 20], Framing.allCases)
    func everyByteArrivesInItsPlace(_ count: Int, _ framing: Framing) async throws {
        let body = pattern(count)
        var bytes = Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nETag: \"a\"\r\n".utf8)
        func chunks(of size: Int) -> [UInt8] {
            stride(from: 0, to: count, by: size).flatMap { start in
                let piece = body[start..<min(start + size, count)]
                return Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [0x0D, 0x0A]
            } + Array("0\r\n\r\n".utf8)
        }
        switch framing {
        case .length: bytes += Array("Content-Length: \(count)\r\n\r\n".utf8) + body
        case .chunked: bytes += Array("Transfer-Encoding: chunked\r\n\r\n".utf8) + chunks(of: 50_000)
        case .tinyChunks: bytes += Array("Transfer-Encoding: chunked\r\n\r\n".utf8) + chunks(of: 7)
        case .end: bytes += Array("\r\n".utf8) + body
        }
        let reply = try await answer(bytes)
        #expect(reply.body == body)
        // Nothing is decompressed, whatever it is.
        #expect(reply["Content-Encoding"] == "gzip")
        #expect(reply["ETag"] == "\"a\"")
        if framing == .length { #expect(reply["Content-Length"] == String(count)) }
    }

    @Test func aRangeIsPassedThroughAsARange() async throws {
        let part: Answering = { connection, head in
            #expect(head.field("Range") == "bytes=2-3")
            try connection.send(ok("cd", "Content-Range: bytes 2-3/9", status: "206 Partial Content"))
        }
        try await proxying(to: part) { port, _ in
            let reply = try await reply(port, get("/", "Range: bytes=2-3"))
            #expect(reply.status == 206)
            #expect(reply["Content-Range"] == "bytes 2-3/9")
            #expect(reply.text == "cd")
        }
        let none = try await answer(ok("", "Content-Range: bytes */9", status: "416 Range Not Satisfiable"))
        #expect(none.status == 416)
        #expect(none["Content-Range"] == "bytes */9")
    }

    @Test(arguments: ["Content-Length: 1234567", "Transfer-Encoding: chunked", "X-A: a"])
    func headGetsTheLengthAndNoBody(_ line: String) async throws {
        let giving: Answering = { connection, head in
            #expect(head.hasPrefix("HEAD "))
            try connection.send("HTTP/1.1 200 OK\r\n\(line)\r\n\r\n")
        }
        try await proxying(to: giving) { port, upstream in
            let first = try await replyToHead(port, "/")
            #expect(first.status == 200)
            #expect(first["Content-Length"] == (line.hasPrefix("Content-Length") ? "1234567" : nil))
            _ = try await replyToHead(port, "/")
            #expect(upstream.count == 1)
        }
    }

    /// The engine keeps them in memory of which a connection has little.
    @Test(arguments: [4, 16, 24, 28, 30, 31, 32, 40, 60], [0, 1 << 10, 5 << 10])
    func anAnswerWithManyFieldsArrivesOrIsAnExplainedError(_ kilobytes: Int, _ requestFields: Int)
        async throws
    {
        let fields = (0..<kilobytes).map { "X-\($0): \(String(repeating: "a", count: 1010))\r\n" }.joined()
        let giving: Answering = { connection, head in
            _ = try connection.readBody(after: head)
            try connection.send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nok")
        }
        try await proxying(to: giving) { port, _ in
            let field = "X-A: \(String(repeating: "a", count: requestFields))"
            for body in [0, 100_000] {
                let reply = try await reply(
                    port, request("POST", "/", "Content-Length: \(body)", field) + pattern(body))
                if kilobytes <= 24 { #expect(reply.status == 200) }
                if kilobytes >= 32 { #expect(reply.status == 502) }
                if reply.status == 502 {
                    #expect(reply["X-Request-Id"] != nil)
                    #expect(reply.text.contains("raise --memory-per-connection"))
                }
                #expect(
                    reply.status == 200 ? reply.text == "ok" : reply.text.contains("bytes of header fields"))
            }
        }
    }

    @Test func moreMemoryPerConnectionAllowsMoreFields() async throws {
        let fields = (0..<40).map { "X-\($0): \(String(repeating: "a", count: 1010))\r\n" }.joined()
        let giving: Answering = { connection, _ in
            try connection.send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nok")
        }
        var limits = Limits()
        limits.pool = 64 << 10
        try await proxying(to: giving, limits: limits) { port, _ in
            let reply = try await reply(port, get("/"))
            #expect(reply.text == "ok")
            #expect(reply.headers.count { $0.name.hasPrefix("X-") && $0.value.count == 1010 } == 40)
        }
    }

    @Test func theFieldsOfA304AreKept() async throws {
        let reply = try await answer(
            "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nCache-Control: max-age=1\r\n\r\n")
        #expect(reply.status == 304)
        #expect(reply["ETag"] == "\"a\"")
        #expect(reply["Cache-Control"] == "max-age=1")
        #expect(reply["Content-Type"] == nil)
    }

    // MARK: What leads back

    @Test func redirectsAndCookiesLeadToTheGateway() async throws {
        let redirecting: Answering = { connection, head in
            let host = head.field("Host") ?? ""
            try connection.send(
                ok(
                    "", "Location: http://\(host)/x?y#z", "Content-Location: /c",
                    "Set-Cookie: a=b; Domain=127.0.0.1; Secure; Path=/", "Refresh: 1; url=http://\(host)/r",
                    "Set-Cookie: c=d; HttpOnly", status: "302 Found"))
        }
        try await proxying(to: redirecting, by: [.plain]) { port, _ in
            let reply = try await reply(port, get("/"))
            #expect(reply.status == 302)
            #expect(reply["Location"] == "http://localhost/x?y#z")
            #expect(reply["Content-Location"] == "/c")
            #expect(reply["Refresh"] == "1; url=http://localhost/r")
            let cookies = reply.all("Set-Cookie")
            #expect(cookies.count == 2)
            #expect(cookies.first?.contains("Domain") == false && cookies.first?.contains("Secure") == false)
            #expect(cookies.last == "c=d; HttpOnly")
        }
        var options = Upstream.Options()
        options.rewritesAddresses = false
        try await proxying(to: redirecting, by: [.plain], options) { port, upstream in
            let reply = try await reply(port, get("/"))
            #expect(reply["Location"] == "http://127.0.0.1:\(upstream.port)/x?y#z")
            #expect(reply.all("Set-Cookie")[0] == "a=b; Domain=127.0.0.1; Secure; Path=/")
        }
    }

    @Test func redirectsToOtherServersStayUnchanged() async throws {
        let reply = try await answer(ok("", "Location: https://elsewhere.example/x", status: "301 Moved"))
        #expect(reply["Location"] == "https://elsewhere.example/x")
    }

    @Test func curlFollowsARedirectToTheGateway() async throws {
        let redirecting: Answering = { connection, head in
            let host = head.field("Host") ?? ""
            try connection.send(
                head.hasPrefix("GET /there ")
                    ? ok("there") : ok("", "Location: http://\(host)/there", status: "302 Found"))
        }
        try await proxying(to: redirecting, by: [.plain]) { port, upstream in
            let output = try await curl("-L", "-w", " %{url_effective}", "http://localhost:\(port)/")
            #expect(output == "there http://localhost:\(port)/there")
            #expect(upstream.received.fields("X-Forwarded-Host") == [])
        }
    }
}
