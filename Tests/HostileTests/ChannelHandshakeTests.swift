import Drawbridge
import DrawbridgeServer
import TestSupport
import Testing

/// The handshake of the pages' channel, over raw sockets: whoever is refused is so before a 101 (section 1).
@Suite("Hostile: who may open a channel", .timeLimit(.minutes(5))) struct ChannelHandshakeTests {
    /// A handshake, `@token` and `@port` in it being the gateway's.
    struct Knock: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let host: String
        let fields: [String]

        init(
            _ description: String, _ status: Int, host: String = "localhost:@port",
            token: String? = "drawbridge, token.@token", _ fields: String...
        ) {
            testDescription = description
            self.status = status
            self.host = host
            self.fields = fields + (token.map { ["Sec-WebSocket-Protocol: \($0)"] } ?? [])
        }
    }

    private static let own = "Origin: http://localhost:@port"

    private static let knocks = [
        Knock("a page of ours", 101, own),
        Knock("a page of ours that says so", 101, own, "Sec-Fetch-Site: same-origin"),
        Knock(
            "a page of ours, by its address", 101, host: "127.0.0.1:@port", "Origin: http://127.0.0.1:@port"),
        Knock("a program with the token", 101),
        Knock("no token", 403, token: "drawbridge", own),
        Knock("no protocol", 403, token: nil, own),
        Knock("an empty token", 403, token: "drawbridge, token.", own),
        Knock("a guess", 403, token: "drawbridge, token.0123456789abcdef0123456789abcdef", own),
        Knock("a token that goes on", 403, token: "drawbridge, token.@token0", own),
        Knock("a token in capitals", 403, token: "drawbridge, TOKEN.@token", own),
        Knock("two tokens, the first wrong", 403, token: "drawbridge, token.x, token.@token", own),
        Knock(
            "the token elsewhere", 403, token: "drawbridge", own, "X-Drawbridge-Token: @token",
            "Authorization: Bearer @token", "Cookie: token=@token"),
        Knock("another site", 403, "Origin: http://evil.example"),
        Knock("another site that says so", 403, "Sec-Fetch-Site: cross-site"),
        Knock("another site by our name", 403, own, "Sec-Fetch-Site: cross-site"),
        Knock("another port", 403, "Origin: http://localhost:1"),
        Knock("our name on its own port", 403, "Origin: http://localhost"),
        Knock("another name of this machine", 403, "Origin: http://127.0.0.1:@port"),
        Knock("another scheme", 403, "Origin: https://localhost:@port"),
        Knock("a page without an origin", 403, "Origin: null"),
        Knock("an empty origin", 403, "Origin: "),
        Knock("a name like ours", 403, "Origin: http://localhost:@port.evil.example"),
        Knock("a subdomain", 403, "Origin: http://a.localhost:@port"),
        Knock("a rebound name", 403, host: "evil.example:@port", "Origin: http://evil.example:@port"),
        Knock("a rebound name alone", 403, host: "evil.example"),
    ]

    @Test(arguments: knocks)
    func onlyOwnPagesWithTheTokenGetAChannel(_ knock: Knock) async throws {
        let gateway = Gateway.quiet()
        try await serving(gateway) { port in
            let fill = { @Sendable (text: String) in
                text.replacing("@token", with: gateway.access.token.text).replacing("@port", with: "\(port)")
            }
            let reply = try await blocking {
                let client = try RawClient(port)
                try client.send(
                    WebSocketClient.handshake(
                        "/__drawbridge__/channel", host: fill(knock.host), knock.fields.map(fill)))
                let reply = try client.head()
                client.close()
                return reply
            }
            #expect(reply.status == knock.status)
            #expect((reply["Sec-WebSocket-Accept"] != nil) == (knock.status == 101))
            #expect(reply["Access-Control-Allow-Origin"] == nil)
            #expect(!reply.headers.contains { $0.value.contains(gateway.access.token.text) })
            #expect(gateway.pages.all.count == 0)
        }
    }

    /// A page at the address of whoever guesses cannot be told from them, and tries again, as every page does.
    @Test func tooManyTokenGuessesDelayTheirCallerForASecond() async throws {
        let gateway = Gateway.quiet()
        try await serving(gateway) { port in
            let token = gateway.access.token.text
            let statuses = try await blocking {
                try (0..<60).map { _ in
                    let client = try RawClient(port)
                    try client.send(
                        WebSocketClient.handshake(
                            "/__drawbridge__/channel", host: "localhost",
                            ["Sec-WebSocket-Protocol: token.\(String(token.reversed()))"]))
                    return try client.reply().status
                }
            }
            #expect(Set(statuses) == [403, 429])
            var page: ChannelPage?
            while page == nil {
                page = try? await ChannelPage.open(port, token)
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(page?.welcome["received"] == 0)
        }
    }

    @Test func withoutTheRuntimeThereIsNoChannel() async throws {
        let gateway = Gateway(pageRuntime: nil)
        try await serving(gateway) { port in
            let reply = try await replies(port, get("/__drawbridge__/channel"))
            #expect(reply.map(\.status) == [404])
        }
    }
}
