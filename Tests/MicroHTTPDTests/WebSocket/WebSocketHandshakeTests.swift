import MicroHTTPD
import TestSupport
import Testing

/// What is refused instead of a 101, and how (RFC 6455, section 4.2).
struct WebSocketHandshakeTests {
    private static let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="

    private static func request(
        _ line: String = "GET / HTTP/1.1", upgrade: String = "Upgrade: websocket",
        connection: String = "Connection: Upgrade", version: String = "Sec-WebSocket-Version: 13",
        key: String = key, _ others: String...
    ) -> String {
        ([line, "Host: a", upgrade, connection, version, key] + others).filter { !$0.isEmpty }
            .joined(separator: "\r\n") + "\r\n\r\n"
    }

    private static func reply(to request: String) async throws -> RawAnswer {
        try await withWebSockets { server, log in
            let port = server.port
            return try await blocking {
                let client = try RawClient(port)
                try client.send(request)
                let reply = try client.reply()
                if reply.status == 101 { return reply }
                // The connection goes on as it was.
                try client.send("GET /plain HTTP/1.1\r\nHost: a\r\n\r\n")
                if reply["Connection"] == nil {
                    let next = try client.reply()
                    #expect(next.text == "ok")
                }
                return reply
            }
        }
    }

    @Test(arguments: [
        request("POST / HTTP/1.1", "Content-Length: 0"): 405,
        request("GET / HTTP/1.0"): 400,
        request(upgrade: ""): 426,
        request(upgrade: "Upgrade: h2c"): 426,
        request(upgrade: "Upgrade: websockets"): 426,
        request(connection: ""): 400,
        request(connection: "Connection: keep-alive"): 400,
        request(version: ""): 426,
        request(version: "Sec-WebSocket-Version: 8"): 426,
        request(version: "Sec-WebSocket-Version: 13, 8"): 426,
        request(version: "Sec-WebSocket-Version: 013"): 426,
        request(key: ""): 400,
        request(key: "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ"): 400,
        request(key: "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=A"): 400,
        request(key: "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j-Q=="): 400,
        request(key: "Sec-WebSocket-Key: AGhlIHNhbXBsZSBub25jZSBub25jZQ=="): 400,
        request("GET / HTTP/1.1", key): 400,
        request(key: "Sec-WebSocket-Key: \(String(repeating: "A", count: 5000))"): 400,
        request("GET / HTTP/1.1", "Sec-WebSocket-Protocol: a b"): 400,
        request("GET / HTTP/1.1", "Sec-WebSocket-Protocol: a, b, a"): 400,
        request("GET / HTTP/1.1", "Content-Length: 2") + "{}": 400,
    ])
    func anInvalidHandshakeIsRefused(_ request: String, _ status: Int) async throws {
        let reply = try await Self.reply(to: request)
        #expect(reply.status == status, "\(reply)")
        #expect(!reply.body.isEmpty)
        #expect(reply["Sec-WebSocket-Version"] == (status == 426 ? "13" : nil))
        #expect(reply["Sec-WebSocket-Accept"] == nil)
    }

    @Test(arguments: [
        request(upgrade: "Upgrade: WebSocket"), request(upgrade: "upgrade: h2c,\twebsocket"),
        request(connection: "Connection: keep-alive, UPGRADE"),
        request(connection: "Connection: keep-alive\r\nConnection: upgrade"),
        request(key: "Sec-WebSocket-Key:  dGhlIHNhbXBsZSBub25jZQ==  "),
        request(
            "GET ws://a/path HTTP/1.1", "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"
        ),
    ])
    func aHandshakeInAnotherSpellingIsAccepted(_ request: String) async throws {
        let reply = try await Self.reply(to: request)
        #expect(reply.status == 101, "\(reply)")
        #expect(reply["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(reply["Sec-WebSocket-Extensions"] == nil)
    }
}
