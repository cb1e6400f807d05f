import Drawbridge
import TestSupport
import Testing

/// A target that is a whole URL, as a proxy gets it (RFC 9112, section 3.2.2).
@Suite("Hostile 12: the authority of the target wins over the Host header", .timeLimit(.minutes(5)))
struct AuthorityTests {
    /// Says by which name it was called.
    private struct Name: JSONHandler {
        let request: Request

        func handle(_ input: Nothing) async throws -> String? { request.head.authority }
    }

    @Test(
        arguments: [
            ("http://localhost/name?_mobile_bridge=1", "evil.example", 200, "localhost"),
            ("http://localhost:81/name?_mobile_bridge=1", "evil.example:82", 200, "localhost:81"),
            ("http://127.0.0.1/name?_mobile_bridge=1", "localhost", 200, "127.0.0.1"),
            ("http://__jsbridge__/name", "evil.example", 200, "__jsbridge__"),
            ("http://evil.example/name?_mobile_bridge=1", "localhost", 403, nil),
            ("http://evil.example/name?_mobile_bridge=1", "__jsbridge__", 403, nil),
            ("http://evil.example/__jsbridge__/name", "localhost", 403, nil),
            // No trace of native is left in these, and for others nobody asks here.
            ("http://evil.example/name", "__jsbridge__", 403, nil),
            ("http://evil.example/name", "localhost", 403, nil),
            ("http://localhost/name", "evil.example", 404, nil),
            ("http://localhost", "evil.example", 404, nil),
            // For native, where nobody answers to no name.
            ("HTTP://LOCALHOST:81?_mobile_bridge=1", "evil.example", 200, nil),
            ("HTTP://LocalHost./name?_mobile_bridge=1", "evil.example", 200, "LocalHost."),
            ("http://[::1]:81/name?_mobile_bridge=1", "evil.example", 200, "[::1]:81"),
            ("http://[::2]/name?_mobile_bridge=1", "localhost", 403, nil),
            ("http://__JSBridge__:81/name", "evil.example", 200, "__JSBridge__:81"),
            ("http://__jsbridge__/__jsbridge__/name", "evil.example", 200, "__jsbridge__"),
            ("http://__jsbridge__.evil.example/name", "__jsbridge__", 403, nil),
            ("http://evil.example/__drawbridge__/health", "localhost", 403, nil),
            // What is not an authority names nobody, whatever Host says.
            ("http:///name?_mobile_bridge=1", "localhost", 400, nil),
            ("http://:80/name?_mobile_bridge=1", "localhost", 400, nil),
            ("http://ann@localhost/name?_mobile_bridge=1", "localhost", 400, nil),
            ("http://ann:secret@localhost/name?_mobile_bridge=1", "localhost", 400, nil),
            ("http://localhost:80@evil.example/name?_mobile_bridge=1", "localhost", 400, nil),
            ("http://localhost:65536/name?_mobile_bridge=1", "localhost", 400, nil),
            ("http://localhost:x/name?_mobile_bridge=1", "localhost", 400, nil),
            ("http://[::1/name?_mobile_bridge=1", "localhost", 400, nil),
            ("http://[fe80::1%25lo]/name?_mobile_bridge=1", "localhost", 400, nil),
            ("http:localhost/name?_mobile_bridge=1", "localhost", 400, nil),
            ("ftp://localhost/name?_mobile_bridge=1", "localhost", 400, nil),
            ("http://localhost/name?_mobile_bridge=1#a", "localhost", 400, nil),
        ] as [(String, String, Int, String?)])
    func theAuthorityInTheTargetDecides(_ target: String, _ host: String, _ status: Int, _ name: String?)
        async throws
    {
        let gateway = Gateway.quiet()
        try gateway.register(Name.self, at: "/name")
        try await serving(gateway) { port in
            let replies = try await replies(port, get(target, host: host))
            #expect(replies.map(\.status) == [status])
            #expect(try JSON(parsing: replies[0].body)["data"]?.stringValue == name)
        }
    }

    /// A browser sends a whole URL to its proxy alone, so what it says of the page does not show that the page is ours.
    @Test(arguments: ["http://localhost", "http://127.0.0.1:81", "http://__jsbridge__"])
    func aWholeURLFromABrowserIsRefused(_ origin: String) async throws {
        let gateway = Gateway.quiet()
        try gateway.register(Name.self, at: "/name")
        try await serving(gateway) { port in
            let target = "\(origin)/name?_mobile_bridge=1"
            for line in [
                "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none", "Origin: \(origin)",
                "Referer: \(origin)/", "Accept-Language: en", "Accept-Encoding: gzip",
            ] {
                let refused = try await replies(port, get(target, line))
                #expect(refused.map(\.status) == [403], "\(line)")
            }
            let token = "X-Drawbridge-Token: \(gateway.access.token.text)"
            let taken = try await replies(port, get(target, "Accept-Language: en", token))
            #expect(taken.map(\.status) == [200])
        }
    }

    /// Each request of a connection is judged by itself; a foreign name ends it.
    @Test func requestsAfterAWholeURLAreReadAsUsual() async throws {
        let gateway = Gateway.quiet()
        try gateway.register(Name.self, at: "/name")
        try await serving(gateway) { port in
            let target = "/name?_mobile_bridge=1"
            let first = "GET http://__jsbridge__/name HTTP/1.1\r\nHost: evil.example\r\n\r\n"
            let second =
                "POST http://localhost:81\(target) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
            let answers = try await replies(port, (first + second).utf8 + Array(get(target)))
            let names = try answers.map { try JSON(parsing: $0.body)["data"]?.stringValue }
            #expect(names == ["__jsbridge__", "localhost:81", "localhost"])
            let foreign = "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let refused = try await replies(port, foreign.utf8 + Array(get(target)))
            #expect(refused.map(\.status) == [403])
            #expect(refused.map { $0.text.contains("which is not a proxy") } == [true])
        }
    }

    @Test(arguments: ["localhost:PORT", "evil.example:443", "__jsbridge__:80", "/", "http://localhost/"])
    func aTunnelIsRefused(target: String) async throws {
        try await serving(.quiet()) { port in
            let target = target.replacing("PORT", with: "\(port)")
            let asked = "CONNECT \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let answers = try await replies(port, asked.utf8 + Array(get("/alive?_mobile_bridge=1")))
            #expect(answers.map(\.status) == [405])
            #expect(answers.first?.all("Allow").first?.hasPrefix("GET, HEAD, POST") == true)
            #expect(answers.first?.text.contains("this server is not a proxy") == true)
        }
    }
}
