import Drawbridge
import TestSupport
import Testing

/// What a page and its server agree on, before bytes go both ways: RFC 9110, section 7.8.
@Suite("Upgrades to an upstream", .timeLimit(.minutes(5)))
struct UpgradeTests {
    private static let asking = [
        "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ]

    private static func ask(
        _ port: Int, _ version: String = "HTTP/1.1", _ lines: [String] = asking
    ) async throws -> (RawAnswer, RawClient) {
        let head = ["GET /socket \(version)", "Host: localhost", "Connection: Upgrade"] + lines + ["", ""]
        return try await blocking {
            let client = try RawClient(port, timeout: 30)
            try client.send(head.joined(separator: "\r\n"))
            return (try client.head(), client)
        }
    }

    @Test func ofSeveralUpgradesOnlyWebSocketIsPassedOn() async throws {
        let agreeing: Answering = { connection, head in
            #expect(head.fields("Upgrade") == ["websocket"])
            #expect(head.fields("Connection") == ["Upgrade"])
            try connection.send("HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nfirst")
            try connection.send(try connection.read(4))
        }
        try await proxying(to: agreeing) { port, _ in
            let lines = ["Upgrade: h2c, websocket, x"] + Self.asking.dropFirst()
            let (reply, client) = try await Self.ask(port, "HTTP/1.1", lines)
            #expect(reply.status == 101)
            #expect(reply["Upgrade"] == "websocket")
            let bytes = try await blocking {
                try client.send("ping")
                return try client.bytes(9)
            }
            #expect(String(decoding: bytes, as: UTF8.self) == "firstping")
        }
    }

    /// The tunnel is opened on another thread than its loop's then.
    @Test func aTunnelOpensBehindMiddlewareOnTheMainActor() async throws {
        let agreeing: Answering = { connection, head in
            #expect(head.fields("Cookie") == ["a=1"])
            try connection.send(
                "HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSet-Cookie: b=2\r\n"
                    + "Set-Cookie: drawbridge-80=stolen\r\n\r\nfirst")
            try connection.send(try connection.read(4))
        }
        try await proxying(to: agreeing, behind: [OnMain()]) { port, _ in
            let lines = Self.asking + ["Cookie: drawbridge-80=secret; a=1; __Host-drawbridge-443=secret"]
            let (reply, client) = try await Self.ask(port, "HTTP/1.1", lines)
            #expect(reply.status == 101)
            #expect(reply.all("Set-Cookie") == ["b=2"])
            let bytes = try await blocking {
                try client.send("ping")
                return try client.bytes(9)
            }
            #expect(String(decoding: bytes, as: UTF8.self) == "firstping")
        }
    }

    private struct OnMain: Middleware {
        @MainActor func handle(_ request: Request, next: Next) async throws -> Response {
            await next(request)
        }
    }

    @Test(arguments: ["Upgrade: h2c\r\n", "Upgrade: websocket, h2c\r\n", ""])
    func anUpstreamThatAgreesToAnotherProtocolIsA502(_ line: String) async throws {
        let other: Answering = { connection, _ in
            try connection.send("HTTP/1.1 101 Go\r\nConnection: Upgrade\r\n\(line)\r\n")
            try connection.drain()
        }
        try await proxying(to: other) { port, _ in
            let (reply, _) = try await Self.ask(port)
            #expect(reply.status == 502)
        }
    }

    @Test func anUpgradeInHTTP10IsNotPassedOn() async throws {
        let plain: Answering = { connection, head in
            #expect(head.fields("Upgrade") == [])
            try connection.send(ok("plain"))
        }
        try await proxying(to: plain) { port, _ in
            let (reply, client) = try await Self.ask(port, "HTTP/1.0")
            let body = try await blocking { try client.wholeBody(of: reply) }
            #expect(reply.status == 200)
            #expect(String(decoding: body, as: UTF8.self) == "plain")
        }
    }

    @Test(arguments: [true, false]) func aRefusalIsPassedOnWhole(_ isChunked: Bool) async throws {
        let refusing: Answering = { connection, _ in
            let body = pattern(200_000)
            if isChunked {
                try connection.send("HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n")
                try connection.send(chunk(body) + Array("0\r\n\r\n".utf8))
            } else {
                try connection.send("HTTP/1.1 403 No\r\nContent-Length: \(body.count)\r\n\r\n")
                try connection.send(body)
            }
        }
        try await proxying(to: refusing) { port, _ in
            let (reply, client) = try await Self.ask(port)
            let body = try await blocking { try client.wholeBody(of: reply) }
            #expect(reply.status == 403)
            #expect(body == pattern(200_000))
        }
    }

    @Test func aRefusalThatIsCutShortIsNotTakenForWhole() async throws {
        let short: Answering = { connection, _ in
            try connection.send("HTTP/1.1 403 No\r\nContent-Length: 1000\r\n\r\nonly")
            connection.close()
        }
        try await proxying(to: short) { port, _ in
            await #expect(throws: RawClient.Failure.self) {
                let (reply, client) = try await Self.ask(port)
                guard reply.status == 403 else { throw RawClient.Failure.malformed("\(reply.status)") }
                _ = try await blocking { try client.wholeBody(of: reply) }
            }
        }
    }
}
