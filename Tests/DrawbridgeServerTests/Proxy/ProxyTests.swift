import Dispatch
import Drawbridge
import DrawbridgeServer
import HTTPTypes
import Logging
import TestSupport
import Testing

/// What a gateway does that is the http proxy of a browser, over real sockets.
@Suite("The forward proxy", .timeLimit(.minutes(5))) struct ProxyTests {
    private struct Login: JSONHandler {
        func handle(_ input: JSON?) async throws -> JSON { input ?? .null }
    }

    /// Starts a proxy on a port of its own, runs the test, and stops it.
    private static func serving(
        _ passThrough: [any Responder] = [.proxy()], origins: Set<String> = [],
        _ test: (_ port: Int, _ gateway: Gateway) async throws -> Void
    ) async throws {
        let gateway = Gateway(
            passThrough: passThrough, access: AccessPolicy(allowedOrigins: origins),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try gateway.register(Login.self, at: "/login")
        let server = try GatewayServer(
            gateway, .init(port: 0, grace: .milliseconds(200), logsRequests: false))
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await test(server.address.port, gateway)) } catch {
            outcome = .failure(error)
        }
        await server.stop()
        try outcome.get()
    }

    /// Sends one request to a proxy, and reads its answer.
    private static func ask(_ port: Int, _ lines: String..., body: String = "") async throws -> RawAnswer {
        try await blocking {
            let client = try RawClient(port)
            try client.send(lines.map { $0 + "\r\n" }.joined() + "\r\n" + body)
            return try client.reply(toHead: lines[0].hasPrefix("HEAD"))
        }
    }

    private static func withoutVia(_ request: String) -> String {
        request.replacing(/drawbridge-[0-9a-zA-Z_-]+/, with: "US")
    }

    // MARK: Native

    @Test(arguments: ["http://__jsbridge__/login", "http://__jsbridge__/login?_mobile_bridge=1"])
    func curlCallsAHandlerByTheProxy(url: String) async throws {
        try await Self.serving { port, _ in
            let answer = try await curl(
                "--noproxy", "", "-x", "http://127.0.0.1:\(port)", url, "-d", #"{"user":"ann"}"#)
            #expect(answer == #"{"code":200,"data":{"user":"ann"},"message":""}"#)
        }
    }

    @Test func theFlagOfAForeignURLReachesNoHandlerAndNoTarget() async throws {
        let site = try PlainSite(answering: PlainSite.answer("theirs"))
        try await Self.serving { port, gateway in
            let url = "http://127.0.0.1:\(site.port)/login?_mobile_bridge=1"
            for line in ["X: y", "Sec-Fetch-Site: same-origin", "Origin: http://127.0.0.1:\(site.port)"] {
                let reply = try await Self.ask(port, "GET \(url) HTTP/1.1", "Host: x", line)
                #expect(reply.status == 403)
            }
            let reply = try await Self.ask(
                port, "GET \(url)&a=b HTTP/1.1", "Host: x", "X-Drawbridge-Token: \(gateway.access.token.text)"
            )
            #expect(reply.text == #"{"code":200,"data":{"a":"b"},"message":""}"#)
            #expect(site.requests.value == [])
        }
    }

    // MARK: Others

    @Test func aRequestGoesOnAsItCame() async throws {
        let site = try PlainSite(answering: PlainSite.answer("theirs"))
        try await Self.serving { port, _ in
            let reply = try await Self.ask(
                port, "GET HTTP://127.0.0.1:\(site.port)//a/../%2e%zz;x?b=c&&%20+?/ HTTP/1.1",
                "Host: evil.example",
                "Proxy-Connection: keep-alive", "Proxy-Authorization: Basic eDp5", "Connection: X-Hop",
                "X-Hop: 1",
                "X-Drawbridge-Token: secret", "X-Drawbridge-Page: p", "X-Drawbridge-Path: /",
                "X-Drawbridge-Waits: 1", "User-Agent: mine", "cOOKIE: a=b", "Cookie: c=d", "X-Empty:",
                "Authorization: Basic eDp5")
            #expect(reply.text == "theirs")
            #expect(
                site.requests.value.map(Self.withoutVia) == [
                    """
                    GET //a/../%2e%zz;x?b=c&&%20+?/ HTTP/1.1\r
                    Host: 127.0.0.1:\(site.port)\r
                    User-Agent: mine\r
                    cOOKIE: a=b\r
                    Cookie: c=d\r
                    X-Empty:\r
                    Authorization: Basic eDp5\r
                    Via: 1.1 US\r
                    \r

                    """
                ])
        }
    }

    @Test(arguments: ["http://127.0.0.1:PORT", "http://127.0.0.1:PORT?", "http://127.0.0.1:PORT?a=b"])
    func aTargetWithoutAPathHasTheRoot(url: String) async throws {
        let site = try PlainSite(answering: PlainSite.answer("theirs"))
        try await Self.serving { port, _ in
            _ = try await Self.ask(
                port, "GET \(url.replacing("PORT", with: "\(site.port)")) HTTP/1.1", "Host: x")
            let query = url.split(separator: "PORT").dropFirst().first ?? ""
            #expect(site.requests.value.map { $0.hasPrefix("GET /\(query) HTTP/1.1\r\n") } == [true])
        }
    }

    @Test func bodiesGoOnByLengthAndInChunks() async throws {
        let site = try PlainSite(answering: PlainSite.answer("theirs", status: "201 Made"))
        try await Self.serving { port, _ in
            let target = "http://127.0.0.1:\(site.port)/"
            let whole = try await Self.ask(
                port, "POST \(target) HTTP/1.1", "Host: x", "Content-Length: 4", body: "abcd")
            let parts = try await Self.ask(
                port, "PUT \(target) HTTP/1.1", "Host: x", "Transfer-Encoding: chunked",
                body: "2\r\nab\r\n2\r\ncd\r\n0\r\nX-Trailer: z\r\n\r\n")
            #expect([whole.status, parts.status] == [201, 201])
            let requests = site.requests.value
            try #require(requests.count == 2)
            #expect(
                requests[0].contains("\r\nContent-Length: 4\r\n") && requests[0].hasSuffix("\r\n\r\nabcd"))
            #expect(requests[1].contains("\r\nTransfer-Encoding: chunked\r\n"))
            #expect(requests[1].contains("ab") && requests[1].hasSuffix("\r\n0\r\n\r\n"))
        }
    }

    @Test func answersComeAsTheyAre() async throws {
        let site = try PlainSite(
            answering: """
                HTTP/1.1 206 Some\r
                Content-Range: bytes 0-2/10\r
                sET-cOOKIE: a=b; Domain=127.0.0.1; Secure\r
                Set-Cookie: c=d\r
                Location: http://127.0.0.1:1/else\r
                X-Drawbridge-Hint: theirs\r
                Content-Type: text/html\r
                Content-Encoding: gzip\r
                Content-Length: 3\r
                \r
                abc
                """)
        try await Self.serving { port, _ in
            let reply = try await Self.ask(
                port, "GET http://127.0.0.1:\(site.port)/ HTTP/1.1", "Host: x", "Range: bytes=0-2")
            #expect(reply.status == 206)
            #expect(reply.text == "abc")
            #expect(reply.all("Set-Cookie") == ["a=b; Domain=127.0.0.1; Secure", "c=d"])
            #expect(reply["Location"] == "http://127.0.0.1:1/else")
            #expect(reply["Content-Encoding"] == "gzip")
            #expect(reply.all("X-Request-Id") == [])
            #expect(reply.all("Vary") == [])
            #expect(site.requests.value.map { $0.contains("\r\nRange: bytes=0-2\r\n") } == [true])
        }
    }

    @Test func aHEADHasTheLengthAndNoBody() async throws {
        let site = try PlainSite(answering: "HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\n")
        try await Self.serving { port, _ in
            let reply = try await Self.ask(port, "HEAD http://127.0.0.1:\(site.port)/ HTTP/1.1", "Host: x")
            #expect(reply["Content-Length"] == "70")
            #expect(reply.body == [])
        }
    }

    @Test func whatIsThereComesBeforeTheRest() async throws {
        let hasRead = DispatchSemaphore(value: 0)
        let site = try PlainSite { _, send in
            send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
            hasRead.wait()
            send("3\r\ntwo\r\n0\r\n\r\n")
        }
        try await Self.serving { port, _ in
            let chunks = try await blocking {
                let client = try RawClient(port)
                try client.send("GET http://127.0.0.1:\(site.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try client.head()
                defer { hasRead.signal() }
                let first = try client.chunk()
                hasRead.signal()
                return [first, try client.chunk(), try client.chunk()]
            }
            #expect(chunks == [Array("one".utf8), Array("two".utf8), nil])
        }
    }

    @Test func redirectsAreForTheBrowserToFollow() async throws {
        let own = Observed(0)
        let site = try PlainSite { _, send in
            send(PlainSite.answer("", "Location: http://127.0.0.1:\(own.value)/login", status: "302 Found"))
        }
        try await Self.serving { port, _ in
            own.change { $0 = port }
            let reply = try await Self.ask(port, "GET http://127.0.0.1:\(site.port)/ HTTP/1.1", "Host: x")
            #expect(reply.status == 302)
            #expect(reply["Location"] == "http://127.0.0.1:\(port)/login")
        }
    }

    @Test(arguments: ["http", "ws"])
    func aWebSocketGoesThroughWhoeverOpensIt(scheme: String) async throws {
        let site = try PlainSite { _, send in
            send("HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello")
        }
        try await Self.serving { port, _ in
            let (head, text) = try await blocking {
                let client = try RawClient(port)
                try client.send(
                    """
                    GET \(scheme)://127.0.0.1:\(site.port)/chat HTTP/1.1\r
                    Host: x\r
                    Origin: http://page.example\r
                    Connection: Upgrade\r
                    Upgrade: websocket\r
                    Sec-WebSocket-Version: 13\r
                    Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r
                    \r

                    """)
                let head = try client.head()
                return (head, head.status == 101 ? try client.bytes(5) : [])
            }
            #expect(head.status == 101)
            #expect(text == Array("hello".utf8))
            #expect(site.requests.value.map { $0.contains("\r\nOrigin: http://page.example\r\n") } == [true])
        }
    }

    @Test(arguments: [
        ("GET https://127.0.0.1:PORT/", 400), ("GET wss://127.0.0.1:PORT/", 400),
        ("GET ftp://127.0.0.1:PORT/", 400), ("GET http://u:p@127.0.0.1:PORT/", 400),
        ("GET http://127.0.0.1:PORT@evil/", 400), ("GET http://127.0.0.1:0/", 400),
        ("GET http://127.0.0.1:65536/", 400), ("GET http://:PORT/", 400), ("GET http:///", 400),
        ("GET http://127.0.0.1:PORT/#a", 400), ("GET http://[fe80::1%25lo]:PORT/", 400),
        ("GET http:127.0.0.1:PORT/", 400), ("CONNECT 127.0.0.1:PORT", 405),
        ("TRACE http://127.0.0.1:PORT/", 405),
    ])
    func whatAProxyIsNotAskedFor(line: String, status: Int) async throws {
        let site = try PlainSite(answering: PlainSite.answer("theirs"))
        try await Self.serving { port, _ in
            let reply = try await Self.ask(
                port, "\(line.replacing("PORT", with: "\(site.port)")) HTTP/1.1", "Host: x")
            #expect(reply.status == status)
            if status == 405 { #expect(reply.all("allow").first?.hasPrefix("GET, HEAD, POST") == true) }
            #expect(site.requests.value == [])
            if line.hasPrefix("CONNECT") || line.hasPrefix("GET https") || line.hasPrefix("GET wss") {
                #expect(reply.text.contains("/__drawbridge__/proxy.pac"))
            }
        }
    }

    @Test func aSiteThatIsNotThereIs502() async throws {
        let port: Int
        do { port = try PlainSite(answering: "").port }
        try await Self.serving { own, _ in
            let dead = try await eventuallyRefused(port)
            #expect(dead)
            let reply = try await Self.ask(own, "GET http://127.0.0.1:\(port)/ HTTP/1.1", "Host: x")
            #expect(reply.status == 502)
        }
    }

    // MARK: Off, and set up

    @Test func aGatewayThatIsNoProxyServesItsOwnHostAndSaysHowToMakeItOne() async throws {
        let site = try PlainSite(answering: PlainSite.answer("theirs"))
        struct Here: Responder {
            func respond(to request: Request) async throws -> Response? { Response(text: "here") }
        }
        try await Self.serving([Here()]) { port, _ in
            let foreign = try await Self.ask(
                port, "GET http://evil.example:\(site.port)/ HTTP/1.1", "Host: localhost")
            #expect(foreign.status == 403)
            #expect(foreign.text.contains("start it with --proxy"))
            let own = try await Self.ask(port, "GET http://127.0.0.1:\(port)/ HTTP/1.1", "Host: x")
            #expect(own.text == "here")
            let script = try await Self.ask(port, "GET /__drawbridge__/proxy.pac HTTP/1.1", "Host: localhost")
            #expect(script.status == 404)
            #expect(site.requests.value == [])
        }
    }

    @Test func aBrowserLearnsWhatToAskFor() async throws {
        try await Self.serving { port, _ in
            let path = "/__drawbridge__/proxy.pac"
            let script = try await Self.ask(port, "GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)")
            #expect(script["Content-Type"] == "application/x-ns-proxy-autoconfig")
            #expect(script.text.contains(#"return "PROXY 127.0.0.1:\#(port)";"#))
            #expect(try await Self.ask(port, "HEAD \(path) HTTP/1.1", "Host: localhost").status == 200)
            #expect(try await Self.ask(port, "POST \(path) HTTP/1.1", "Host: localhost").status == 405)
            #expect(try await Self.ask(port, "GET \(path) HTTP/1.1", "Host: evil.example").status == 403)
            let health = try await Self.ask(port, "GET /__drawbridge__/health HTTP/1.1", "Host: localhost")
            #expect(health.status == 200)
        }
    }

    // MARK: Pages

    @Test func pagesOfListedSitesGetTheRuntimeAndNoOthersTheToken() async throws {
        let document = "<!doctype html><html><head><title>A</title></head><body>B</body></html>"
        let site = try PlainSite(
            "0.0.0.0",
            answering: PlainSite.answer(document, "Content-Type: text/html", "Access-Control-Allow-Origin: *")
        )
        let listed = "http://127.0.0.1:\(site.port)"
        try await Self.serving(origins: [listed]) { port, gateway in
            let cases = [
                ("127.0.0.1", "X: y", true), ("127.0.0.1", "Origin: \(listed)", true),
                ("localhost", "X: y", false),
                ("127.0.0.2", "X: y", false),
                // A page elsewhere may read what this server lets everybody read, and that is no token.
                ("127.0.0.1", "Origin: http://evil.example", false), ("127.0.0.1", "Origin: null", false),
            ]
            for (host, line, isOurs) in cases {
                let page = try await Self.ask(
                    port, "GET http://\(host):\(site.port)/ HTTP/1.1", "Host: \(host)", "Accept: text/html",
                    line)
                #expect(page.text.contains(gateway.access.token.text) == isOurs, "\(host), \(line)")
                #expect((page.text == document) != isOurs)
            }
        }
    }
}

/// Waits until nobody listens on a port any more.
private func eventuallyRefused(_ port: Int) async throws -> Bool {
    await eventually { (try? RawClient(port)) == nil }
}
