import Drawbridge
import TestSupport
import Testing

/// A target that is a whole URL, as a browser's proxy gets it (RFC 9112, section 3.2.2).
@Suite("Hostile 12: the authority of the target counts, and not the Host header", .timeLimit(.minutes(5)))
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
        ] as [(String, String, Int, String?)])
    func theTargetsAuthorityDecides(_ target: String, _ host: String, _ status: Int, _ name: String?)
        async throws
    {
        let gateway = Gateway.quiet()
        try gateway.register(Name.self, at: "/name")
        try await serving(gateway) { port in
            let request = get(target, "Sec-Fetch-Site: same-origin", host: host)
            let replies = try await replies(port, request)
            #expect(replies.map(\.status) == [status])
            #expect(try JSON(parsing: replies[0].body)["data"]?.stringValue == name)
        }
    }
}
