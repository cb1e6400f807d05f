import DrawbridgeServer
import MicroHTTPD
import TestSupport
import Testing

/// What an upstream gets of a request: all that was sent, and what the gateway has to say.
@Suite("Hostile 12 to 14: requests as an upstream gets them", .timeLimit(.minutes(5)))
struct RequestsOutTests {
    /// The first request that an upstream gets, as it is on the wire.
    private func sent(
        _ request: [UInt8], _ options: Upstream.Options = Upstream.Options()
    ) async throws -> (head: String, body: [UInt8], upstream: Int) {
        let seen = Observed<(head: String, body: [UInt8])?>(nil)
        let keeping: Answering = { connection, head in
            let body = try connection.readBody(after: head)
            seen.change { $0 = $0 ?? (head, body) }
            try connection.send(ok("ok"))
        }
        var upstreamPort = 0
        try await proxying(to: keeping, by: [.plain], options) { port, upstream in
            let reply = try await reply(port, request)
            #expect(reply.text == "ok")
            upstreamPort = upstream.port
        }
        let (head, body) = try #require(seen.value)
        return (head, body, upstreamPort)
    }

    @Test func onlyFieldsAboutTheCallerAndTheGatewayAreAdded() async throws {
        let sent = try await sent(get("/"))
        var lines = sent.head.split(separator: "\r\n").map(String.init)
        let via = try #require(lines.firstIndex { $0.hasPrefix("Via: 1.1 drawbridge-") })
        lines.remove(at: via)
        #expect(
            lines == [
                "GET / HTTP/1.1", "Host: 127.0.0.1:\(sent.upstream)", "X-Forwarded-For: 127.0.0.1",
            ])
    }

    /// Whatever a request says of names, it says one: of the page's own address the server reads its own.
    @Test(arguments: [false, true])
    func originAndRefererNameTheServerOrTheGatewayAsTheHostDoes(_ keepsHost: Bool) async throws {
        var options = Upstream.Options()
        options.keepsHost = keepsHost
        let sent = try await sent(
            get("/", "Origin: http://localhost", "Referer: http://localhost/form?a=b"), options)
        let name = keepsHost ? "localhost" : "127.0.0.1:\(sent.upstream)"
        #expect(sent.head.fields("Host") == [name] && sent.head.fields("Origin") == ["http://\(name)"])
        #expect(sent.head.fields("Referer") == ["http://\(name)/form?a=b"])
        #expect(sent.head.fields("X-Forwarded-Host") == (keepsHost ? [name] : []))
        #expect(sent.head.fields("X-Forwarded-Proto") == (keepsHost ? ["http"] : []))
    }

    @Test(arguments: [
        "/a%2F../b?x=%20&&", "//x", "//x//y/./../z/", "/?", "/?a?b=c&d", "/a;b=c,d", "/%7e%7E~", "/%00%ff",
        "/a+b%2Bc?d+e", "/'()*!@:$", "/\"<>[]{}|\\^`", "/../../etc/passwd", "/..%2f..%5c", "/a?%23",
        "/?_mobile_bridge=2&a=b",
    ])
    func theTargetIsPassedOnByteForByte(_ target: String) async throws {
        let sent = try await sent(get(target))
        #expect(sent.head.hasPrefix("GET \(target) HTTP/1.1\r\n"), "\(sent.head)")
    }

    @Test func anOPTIONSRequestForTheWholeServerIsPassedOn() async throws {
        let sent = try await sent(request("OPTIONS", "*"))
        #expect(sent.head.hasPrefix("OPTIONS * HTTP/1.1\r\n"), "\(sent.head)")
    }

    @Test(
        arguments: ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "FOO", "M-SEARCH", "get"],
        [nil, "", "body"])
    func anyMethodIsPassedOnWithItsBody(_ method: String, _ body: String?) async throws {
        let sent = try await sent(request(method, "/x", body: body))
        #expect(sent.head.hasPrefix("\(method) /x HTTP/1.1\r\n"), "\(sent.head)")
        #expect(String(decoding: sent.body, as: UTF8.self) == body ?? "")
        // RFC 9110, section 8.6: what is meant to have a body says that it has none.
        let isSaid = body?.isEmpty == false || ["POST", "PUT", "PATCH"].contains(method)
        #expect(sent.head.fields("Content-Length") == (isSaid ? ["\(body?.utf8.count ?? 0)"] : []))
        #expect(sent.head.fields("Transfer-Encoding") == [])
        #expect(sent.head.fields("Content-Type") == [])
    }

    @Test func aChunkedBodyIsForwardedInChunks() async throws {
        // libmicrohttpd 1.0.1 refuses extensions (`chunkExtensionsAreIgnored`).
        let size = HeadLayout.fault(of: .nothing) == nil ? "3;extension=1" : "3"
        let request = Array(
            """
            POST / HTTP/1.1\r
            Host: localhost\r
            Connection: close\r
            Transfer-Encoding: chunked\r
            \r
            \(size)\r
            abc\r
            2\r
            de\r
            0\r
            X-Trailer: t\r
            \r

            """.utf8)
        let sent = try await sent(request)
        #expect(sent.head.fields("Transfer-Encoding") == ["chunked"])
        #expect(sent.head.fields("Content-Length") == [])
        #expect(String(decoding: sent.body, as: UTF8.self) == "abcde")
        #expect(!sent.head.contains("railer"))
    }

    @Test func fieldsKeepTheirCaseTheirOrderAndTheirDuplicates() async throws {
        let lines = [
            "X-MiXeD: Case", "x-dup: 1", "X-Other: a", "X-Dup: 2", "x-dup: 3", "X-Empty:",
            "x-latin: caf\u{e9}",
            "Accept: text/x", "Accept-Encoding: gzip, br", "User-Agent: someone/1.0", "Cookie: a=b",
            "cookie: c=d",
            "Authorization: Basic YTpi", "If-None-Match: \"a\"", "Range: bytes=0-1",
            "Referer: http://elsewhere.example/x",
            "X-Spaces: a  b", "X-Colon: a:b", "Cache-Control: no-cache",
        ]
        let request = Array(
            (["GET / HTTP/1.1", "Host: localhost", "Connection: close"] + lines + ["", ""])
                .joined(separator: "\r\n").utf8)
        let sent = try await sent(request)
        let got = sent.head.split(separator: "\r\n").dropFirst().map(String.init)
        #expect(got.filter { line in lines.contains(line) } == lines, "\(sent.head)")
        #expect(got.count == lines.count + 3)
    }

    @Test func expectContinueIsHandledByTheGateway() async throws {
        let request = Array(
            "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"
                .utf8)
        let seen = Observed("")
        let keeping: Answering = { connection, head in
            seen.change { $0 += head }
            #expect(try connection.readBody(after: head).count == (head.hasPrefix("POST") ? 4 : 0))
            try connection.send(ok("ok"))
        }
        try await proxying(to: keeping) { port, _ in
            try await blocking {
                let client = try RawClient(port)
                try client.send(request)
                #expect(try client.head().status == 100)
                try client.send("body")
                #expect(try client.repliesToEnd().map(\.text) == ["ok"])
            }
        }
        #expect(seen.value.fields("Expect") == [])
    }

    // MARK: What belongs to a connection

    @Test func fieldsNamedByConnectionAreDroppedButNotTheGateways() async throws {
        let sent = try await sent(
            get(
                "/", "Connection: Cookie, X-Forwarded-For , x-named", "Connection: x-second", "Cookie: a=b",
                "X-Forwarded-For: 127.9.9.9", "X-Named: 1", "X-Second: 2", "X-Third: 3"))
        for name in ["Cookie", "X-Named", "X-Second", "Connection"] {
            #expect(sent.head.fields(name) == [], "\(sent.head)")
        }
        #expect(sent.head.fields("X-Forwarded-For") == ["127.0.0.1"])
        #expect(sent.head.fields("X-Third") == ["3"])
    }

    @Test func unknownUpgradesAreNotPassedOn() async throws {
        let sent = try await sent(
            get(
                "/", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQ",
                "Keep-Alive: 300", "TE: trailers", "Proxy-Connection: keep-alive",
                "Proxy-Authorization: Basic YTpi", "Trailer: X-T"))
        #expect(sent.head.split(separator: "\r\n").count == 4, "\(sent.head)")
    }

    @Test func theAuthorityOfAWholeURLIsPassedOn() async throws {
        let sent = try await sent(
            Array(
                "GET http://localhost:81/x?y HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n".utf8
            ))
        #expect(
            sent.head.hasPrefix("GET /x?y HTTP/1.1\r\nHost: 127.0.0.1:\(sent.upstream)\r\n"), "\(sent.head)")
        #expect(sent.head.fields("X-Forwarded-Host") == [])
        #expect(!sent.head.contains("evil"))
    }

    @Test func viaNamesTheCallersHTTPVersion() async throws {
        let sent = try await sent(Array("GET / HTTP/1.0\r\nHost: localhost\r\n\r\n".utf8))
        #expect(sent.head.hasPrefix("GET / HTTP/1.1\r\n"))
        #expect(sent.head.field("Via")?.hasPrefix("1.0 drawbridge-") == true)
    }

    @Test func earlierProxiesStayInXForwardedForAndVia() async throws {
        let sent = try await sent(
            get("/", "X-Forwarded-For: 127.9.9.9", "Via: 1.0 other", "X-Forwarded-Proto: x"))
        #expect(sent.head.fields("X-Forwarded-For") == ["127.9.9.9, 127.0.0.1"])
        #expect(sent.head.fields("X-Forwarded-Proto") == [])
        #expect(sent.head.fields("Via").count == 2)
        #expect(sent.head.fields("Via")[0] == "1.0 other")
    }

    @Test func theCallerIsNotForwardedIfThatIsSwitchedOff() async throws {
        var options = Upstream.Options()
        options.tellsCaller = false
        options.keepsHost = true
        let sent = try await sent(get("/", "X-Forwarded-For: 127.9.9.9", "X-Forwarded-Proto: x"), options)
        #expect(sent.head.fields("X-Forwarded-For") == ["127.9.9.9"])
        #expect(sent.head.fields("X-Forwarded-Proto") == ["x"])
        #expect(sent.head.fields("Host") == ["localhost"])
    }
}
