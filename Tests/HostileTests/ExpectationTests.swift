import Drawbridge
import TestSupport
import Testing

/// A sender that asks before it sends (RFC 9110, section 10.1.1).
@Suite("Hostile 18: a refused sender is not told to continue", .timeLimit(.minutes(5)))
struct ExpectationTests {
    private struct Size: JSONHandler {
        let request: Request

        func handle(_ input: Nothing) async throws -> Int { request.body.bytes?.count ?? -1 }
    }

    /// The head alone is sent; what follows are all replies, a 100 included.
    @Test(
        arguments: [
            // Too large, by the gateway's limit and beyond every number.
            ("/size?_mobile_bridge=1", "Content-Length: 1001\r\nExpect: 100-continue", [413]),
            ("/size?_mobile_bridge=1", "Content-Length: 9999999999999\r\nExpect: 100-continue", [413]),
            ("/__jsbridge__", "Content-Length: 1001\r\nExpect: 100-Continue", [413]),
            // Not allowed.
            (
                "/size?_mobile_bridge=1",
                "Content-Length: 5\r\nExpect: 100-continue\r\nOrigin: http://evil.example", [403]
            ),
            (
                "/size?_mobile_bridge=1",
                "Content-Length: 5\r\nExpect: 100-continue\r\nSec-Fetch-Site: cross-site", [403]
            ),
            ("http://evil.example/size?_mobile_bridge=1", "Content-Length: 5\r\nExpect: 100-continue", [403]),
            // Not met here.
            ("/size?_mobile_bridge=1", "Content-Length: 5\r\nExpect: 200-ok", [417]),
            ("/size?_mobile_bridge=1", "Content-Length: 5\r\nExpect: 100-continue, 200-ok", [417]),
            (
                "/size?_mobile_bridge=1", "Content-Length: 5\r\nExpect: 100-continue\r\nExpect: 100-continue",
                [417]
            ),
        ] as [(String, String, [Int])])
    func aRefusedBodyGetsNo100Continue(_ target: String, _ lines: String, _ statuses: [Int])
        async throws
    {
        let gateway = Gateway.quiet(bodyLimit: 1000)
        try gateway.register(Size.self, at: "/size")
        try await serving(gateway) { port in
            let request = "POST \(target) HTTP/1.1\r\nHost: localhost\r\n\(lines)\r\n\r\n"
            let replies = try await replies(port, request.utf8)
            #expect(replies.map(\.status) == statuses)
        }
    }

    @Test(arguments: ["Content-Length: 1000", "Transfer-Encoding: chunked"])
    func anAcceptedBodyIsRequestedWith100Continue(_ framing: String) async throws {
        let gateway = Gateway.quiet(bodyLimit: 1000)
        try gateway.register(Size.self, at: "/size")
        try await serving(gateway) { port in
            let text = try await blocking {
                let client = try RawClient(port)
                try client.send(
                    "POST /size?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\(framing)\r\n\r\n"
                )
                #expect(try client.reply().status == 100)
                let body = "a=" + String(repeating: "b", count: 998)
                try client.send(framing.hasPrefix("T") ? "3e8\r\n\(body)\r\n0\r\n\r\n" : body)
                return try client.reply().text
            }
            #expect(text == #"{"code":200,"data":1000,"message":""}"#)
        }
    }
}
