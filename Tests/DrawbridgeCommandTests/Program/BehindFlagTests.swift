import Drawbridge
import DrawbridgeServer
import Foundation
import MicroHTTPD
import ProgramSupport
import TestSupport
import Testing

/// The flags for what lies behind the gateway, seen from outside with a server that shows what it is asked.
@Suite(.timeLimit(.minutes(5))) struct BehindFlagTests {
    private static func drawbridge(_ arguments: [String]) throws -> Program {
        try .product("drawbridge", ["-p", "0"] + arguments)
    }

    /// What a server in place of the page's was asked, by a command that was started so.
    private func shown(
        _ target: String, by arguments: (MirrorServer) -> [String], _ options: String...
    ) async throws -> JSON {
        let mirror = try MirrorServer()
        let program = try Self.drawbridge(arguments(mirror))
        let url = try await "\(program.address())\(target)"
        let answer = try await Program("curl", ["-sS", "--max-time", "20"] + options + [url]).wholeOutput()
        await mirror.stop()
        return try JSON(parsing: Array(answer.utf8))
    }

    // MARK: Upstreams

    @Test(arguments: [
        ("", "", "/a?b=%20", "GET /a?b=%20"), ("/api=", "", "/api/x?y", "GET /api/x?y"),
        ("/api=", "/v2", "/api/x?y", "GET /v2/x?y"), ("/api/=", "/", "/api/x", "GET /x"),
        ("/=", "/base", "/x", "GET /base/x"),
    ])
    func requestsThatAreNotForNativeGoToTheUpstream(
        _ prefix: String, _ path: String, _ target: String, _ asked: String
    ) async throws {
        let shown = try await shown(target) { ["--upstream", "\(prefix)\($0.url)\(path)"] }
        #expect(shown["asked"] == .string(asked))
    }

    @Test func upstreamMayBeAUnixSocket() async throws {
        let folder = try Folder()
        let socket = "\(folder.path)/page.sock"
        let script = """
            import http.server, socketserver
            class Page(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    self.send_response(200)
                    self.end_headers()
                    self.wfile.write(self.path.encode())
                def address_string(self): return "socket"
            with socketserver.UnixStreamServer("\(socket)", Page) as server:
                print("ready", flush=True)
                server.serve_forever()
            """
        let server = try Program("python3", ["-c", script])
        try await server.line(with: "ready")
        let program = try Self.drawbridge(["--upstream", "unix:\(socket)"])
        #expect(try await curl("\(program.address())/by/socket") == "/by/socket")
        _ = await server.stop()
    }

    @Test func filesComeBeforeUpstreamsAndTheLongestUpstreamPathWins() async throws {
        let (all, api) = (try MirrorServer(), try MirrorServer())
        let folder = try Folder()
        try folder.write("api/file.txt", "a file")
        let behind = ["--root", folder.path, "--upstream", all.url, "--upstream", "/api=\(api.url)"]
        let first = try Self.drawbridge(behind)
        #expect(try await curl("\(first.address())/api/file.txt") == "a file")
        #expect(try await curl("\(first.address())/api/x").contains(#""host":"\#(api.authority)""#))
        #expect(try await curl("\(first.address())/apix").contains(#""host":"\#(all.authority)""#))
        #expect(try await curl("\(first.address())/echo?_mobile_bridge=1&a=1").contains(#""data":{"a":"1"}"#))

        let last = try Self.drawbridge(behind + ["--files-last"])
        #expect(try await curl("\(last.address())/api/file.txt").contains(#""host":"\#(api.authority)""#))
        let again = try Self.drawbridge(behind + ["--files-last", "--no-files-last"])
        #expect(try await curl("\(again.address())/api/file.txt") == "a file")
        await all.stop()
        await api.stop()
    }

    @Test func aPathWithoutAnUpstreamShowsTheCommandsOwnPage() async throws {
        let mirror = try MirrorServer()
        let program = try Self.drawbridge(["--upstream", "/api=\(mirror.url)"])
        #expect(try await curl("\(program.address())/").contains("id=\"mocks\""))
        await mirror.stop()
    }

    @Test func documentsOfAnUpstreamGetThePageRuntime() async throws {
        let mirror = try MirrorServer()
        let program = try Self.drawbridge(["--upstream", mirror.url])
        let page = try await curl("\(program.address())/page.html")
        #expect(page.contains("/__drawbridge__/page.js") && page.contains("<title>theirs</title>"))
        await mirror.stop()
    }

    @Test func keepHostSendsTheHostThatTheCallerNamed() async throws {
        let host = ["-H", "Host: my.localhost"]
        let own = try await shown("/", by: { ["--upstream", $0.url] }, host[0], host[1])
        #expect(own["host"]?.stringValue?.hasPrefix("127.0.0.1:") == true)
        let kept = try await shown("/", by: { ["--upstream", $0.url, "--keep-host"] }, host[0], host[1])
        #expect(kept["host"] == "my.localhost")
        let back = try await shown(
            "/", by: { ["--upstream", $0.url, "--keep-host", "--no-keep-host"] }, host[0], host[1])
        #expect(back["host"]?.stringValue?.hasPrefix("127.0.0.1:") == true)
    }

    @Test(arguments: [
        ([], "127.1.2.3, 127.0.0.1"), (["--no-forwarded"], "127.1.2.3"),
        (["--no-forwarded", "--forwarded"], "127.1.2.3, 127.0.0.1"),
    ])
    func theForwardedFlagTellsTheUpstreamWhoCalled(_ flags: [String], _ expected: String) async throws {
        let shown = try await shown(
            "/", by: { ["--upstream", $0.url, "--trusted-proxy", "127.0.0.1"] + flags }, "-H",
            "X-Forwarded-For: 127.1.2.3")
        #expect(shown["fields"]?["X-Forwarded-For"] == .string(expected))
        // The server's own name is the only one that it gets, unless it gets the gateway's everywhere.
        #expect(shown["fields"]?["X-Forwarded-Proto"] == nil)
        let kept = try await self.shown("/", by: { ["--upstream", $0.url, "--keep-host"] + flags })
        #expect((kept["fields"]?["X-Forwarded-Proto"] == nil) == (flags.last == "--no-forwarded"))
    }

    @Test(arguments: [[], ["--no-rewrite"], ["--no-rewrite", "--rewrite"]])
    func rewriteLeadsRedirectsAndCookiesToTheGateway(_ flags: [String]) async throws {
        let mirror = try MirrorServer()
        let program = try Self.drawbridge(["--upstream", mirror.url] + flags)
        let address = try await program.address()
        let answer = try await curl("-i", "\(address)/moved")
        let isHome = flags.last != "--no-rewrite"
        #expect(answer.contains("Location: \(isHome ? address : mirror.url)/there\r\n"), "\(answer)")
        let cookie = isHome ? "a=1; Path=/" : "a=1; Domain=127.0.0.1; Path=/; Secure"
        #expect(answer.contains("Set-Cookie: \(cookie)\r\n"), "\(answer)")
        await mirror.stop()
    }

    /// The page has no native side where it goes then, or never comes to an end.
    @Test(
        arguments: [
            ("https://elsewhere.example/x", "start with --upstream https://elsewhere.example"),
            ("//elsewhere.example/x", "start with --upstream http://elsewhere.example"),
            ("http://HOST/", "to itself"), ("/", "to itself"), ("http://HOST/there", nil),
            ("/login?next=https://elsewhere.example/x", nil), ("shop://pay", nil),
        ] as [(String, String?)])
    func aRedirectToAnotherHostOrInALoopIsReportedOnce(_ location: String, _ said: String?) async throws {
        let server = try RawUpstream { connection in
            let head = try connection.readHead()
            let host = head.split(separator: "\r\n").first { $0.hasPrefix("Host: ") }?.dropFirst(6) ?? ""
            let there = location.replacing("HOST", with: host)
            try connection.send("HTTP/1.1 302 Found\r\nLocation: \(there)\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let program = try Self.drawbridge(["--upstream", "http://127.0.0.1:\(server.port)"])
        let address = try await program.address()
        for _ in 0..<2 { _ = try await curl("-H", "Accept: text/html", "\(address)/") }
        #expect(await program.stop() == 0)
        let lines = program.output.split(separator: "\n").filter { $0.contains("warning") }
        #expect(lines.count == (said == nil ? 0 : 1), "\(lines)")
        #expect(lines.allSatisfy { $0.contains(said ?? "") }, "\(lines)")
    }

    /// As of Flask's `url_for(…, _external=True)`.
    @Test(arguments: [
        ("<a href=\"http://HOST/cart\">Cart</a>", [], 1), ("<form action=\"http://HOST/pay\"></form>", [], 1),
        ("<a href=\"http://HOST/cart\">Cart</a>", ["--keep-host"], 0),
        ("<a href=\"http://HOST/cart\">Cart</a>", ["--no-rewrite"], 0),
        ("<a href=\"/cart\">at http://HOST/</a>", [], 0),
    ])
    func linksToTheServersOwnAddressAreReportedOnce(_ link: String, _ flags: [String], _ count: Int)
        async throws
    {
        let server = try RawUpstream { connection in
            let head = try connection.readHead()
            let host = head.split(separator: "\r\n").first { $0.hasPrefix("Host: ") }?.dropFirst(6) ?? ""
            let page = "<!doctype html><link rel=canonical href=\"http://\(host)/\"><body>"
            let body = page + link.replacing("HOST", with: host)
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
        }
        defer { server.stop() }
        let program = try Self.drawbridge(["--upstream", "http://127.0.0.1:\(server.port)"] + flags)
        let address = try await program.address()
        for _ in 0..<2 { _ = try await curl("-H", "Accept: text/html", "\(address)/") }
        #expect(await program.stop() == 0)
        let lines = program.output.split(separator: "\n").filter { $0.contains("warning") }
        #expect(lines.count == count, "\(lines)")
        #expect(lines.allSatisfy { $0.contains("start with --keep-host") }, "\(lines)")
    }

    /// Each with a server in front that ends TLS.
    @Test(arguments: [
        (["--public-url", "https://shop.test"], ["Host: shop.test"]),
        (["--public-url", "https://shop.test"], ["X-Forwarded-For: 127.0.0.1"]),
        (
            ["--allowed-hosts", "shop.test"],
            ["Host: shop.test", "X-Forwarded-For: 127.0.0.1", "X-Forwarded-Proto: https"]
        ),
    ])
    func redirectsAndCookiesAreForTheAddressThatBrowsersUse(_ flags: [String], _ fields: [String])
        async throws
    {
        let mirror = try MirrorServer()
        let program = try Self.drawbridge(
            ["--upstream", mirror.url, "--trusted-proxy", "127.0.0.1"] + flags)
        let address = try await program.address()
        let answer = try await Program(
            "curl", ["-sSi"] + fields.flatMap { ["-H", $0] } + ["\(address)/moved"]
        ).wholeOutput()
        #expect(answer.contains("Location: https://shop.test/there\r\n"), "\(answer)")
        #expect(answer.contains("Set-Cookie: a=1; Path=/; Secure\r\n"), "\(answer)")
        await mirror.stop()
    }

    @Test func anHTTPSUpstreamIsAskedIfItsCertificateIsTrusted() async throws {
        let certificates = try Certificates()
        let (certificate, key) = try await certificates.make()
        let mirror = try MirrorServer(TLSIdentity(certificateFile: certificate, keyFile: key))
        let upstream = ["--upstream", mirror.url]
        let isAsked = #""asked":"GET /""#

        let strict = try Self.drawbridge(upstream)
        let refused = try await curl("-i", "\(strict.address())/")
        #expect(refused.hasPrefix("HTTP/1.1 502") && refused.contains("no trusted connection to"))
        let told = try Self.drawbridge(upstream + ["--upstream-ca", certificate])
        #expect(try await curl("\(told.address())/").contains(isAsked))
        let blind = try Self.drawbridge(upstream + ["--upstream-insecure"])
        #expect(try await curl("\(blind.address())/").contains(isAsked))
        let again = try Self.drawbridge(upstream + ["--upstream-insecure", "--no-upstream-insecure"])
        #expect(try await curl("-i", "\(again.address())/").hasPrefix("HTTP/1.1 502"))
        await mirror.stop()
    }

    @Test func upstreamTimeoutLimitsHowLongAServerMayBeSilent() async throws {
        let mirror = try MirrorServer()
        let program = try Self.drawbridge(["--upstream", mirror.url, "--upstream-timeout", "0.5"])
        let answer = try await curl("-i", "\(program.address())/silent")
        #expect(answer.hasPrefix("HTTP/1.1 504") && answer.contains("did not answer within"))
        await mirror.stop()
    }

    @Test func anUnreachableUpstreamIsNamedWithAHint() async throws {
        // Nobody else can have the port while it is bound.
        let taken = try Self.drawbridge([])
        let port = try await taken.port()
        _ = await taken.stop()
        let program = try Self.drawbridge(["--upstream", "http://127.0.0.1:\(port)"])
        let answer = try await curl("-i", "\(program.address())/")
        #expect(answer.hasPrefix("HTTP/1.1 502") && answer.contains("cannot connect to 127.0.0.1:\(port)"))
        let line = try await program.line(with: "warning: upstream")
        #expect(line.contains("start it, or correct its URL in --upstream"))
    }

    /// What is said to a program that takes the gateway for its proxy.
    @Test func theGatewayRefusesToBeAProxy() async throws {
        let program = try Self.drawbridge([])
        let address = try await program.address()
        let refused = try await curl("-x", address, "http://page.invalid/x")
        #expect(refused.contains("page.invalid may not be used to reach this gateway, which is not a proxy"))
        #expect(try await curl("-ix", address, "https://page.invalid/").contains("405"))
        let answer = try await curl("-x", address, "-d", #"{"user":"ann"}"#, "http://__jsbridge__/login")
        #expect(answer.contains(#""user":"ann""#))
    }

    // MARK: What is said

    @Test func theBannerNamesTheUpstreams() async throws {
        let folder = try Folder()
        let arguments = [
            "--root", folder.path, "--upstream", "/api=http://127.0.0.1:1", "--upstream", "unix:/none.sock",
        ]
        let program = try Self.drawbridge(arguments)
        let address = try await program.address()
        _ = try await program.line(
            with: "  page      \(address)/  (files of \(folder.path), then from unix:/none.sock)")
        _ = try await program.line(with: "  upstream  /api=http://127.0.0.1:1")

        let json = try Self.drawbridge(arguments + ["--log-format", "json"])
        let banner = try JSON(parsing: Array(try await json.line(with: "listening").utf8))
        #expect(banner["upstreams"] == ["/api=http://127.0.0.1:1", "unix:/none.sock"])

        let plain = try Self.drawbridge(["--log-format", "json"])
        let usual = try JSON(parsing: Array(try await plain.line(with: "listening").utf8))
        #expect(usual["upstreams"] == nil)
    }

    @Test(arguments: [
        (["--upstream", "127.0.0.1:5173"], "has no scheme; write http://127.0.0.1:5173"),
        (["--upstream", "/api"], "write /api=http://host:port"),
        (["--upstream", "ws://host"], "WebSockets are forwarded too"),
        (["--upstream", "unix:page.sock"], "write its whole path"),
        (["--upstream", "http://ann@host"], "write http://host"),
        (["--upstream-timeout", "0"], "use a number of seconds up to 86400"),
        (["--upstream-timeout", "soon"], "The value 'soon' is invalid"),
    ])
    func wrongUpstreamOptionsAreUsageErrors(_ arguments: [String], _ reason: String) async throws {
        let program = try Self.drawbridge(arguments)
        _ = try await program.line(with: reason)
        #expect(await program.child.exitCode() == 64)
    }

    @Test func certificatesThatCannotBeReadAreNamedAtTheStart() async throws {
        let program = try Self.drawbridge(["--upstream", "https://host", "--upstream-ca", "/none.pem"])
        _ = try await program.line(with: "drawbridge: cannot read /none.pem: No such file or directory")
        #expect(await program.child.exitCode() == 1)
    }
}
