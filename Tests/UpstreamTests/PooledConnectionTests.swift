import Synchronization
import TestSupport
import Testing

@Suite("Hostile 29: kept connections that an upstream closes", .serialized, .timeLimit(.minutes(5)))
struct PooledConnectionTests {
    /// Answers one request of a connection, and closes on the next, whose head it has read.
    private static let onceEach: Answering = { connection, head in
        guard connection.isNew else { return connection.close() }
        _ = try connection.readBody(after: head)
        try connection.send(
            head.hasPrefix("HEAD") ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" : ok("ok"))
    }

    @Test func connectionsAreReused() async throws {
        try await proxying(to: { connection, _ in try connection.send(ok("ok")) }) { port, upstream in
            for _ in 0..<20 {
                let reply = try await reply(port, get("/"))
                #expect(reply.text == "ok")
            }
            #expect(upstream.count == 1)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nConnection: Close", 3), ("HTTP/1.1 200 OK\r\nConnection: x, close", 3),
        ("HTTP/1.0 200 OK", 3), ("HTTP/1.0 200 OK\r\nConnection: Keep-Alive", 1),
        // It may be closed while the next request is on its way, and is left alone a second before.
        ("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1, max=100", 3),
        ("HTTP/1.1 200 OK\r\nKeep-Alive: max=100, Timeout=60", 1),
        ("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5\r\nConnection: close", 3),
        ("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=-1, timeout=x, timeout=99999999999999999999", 1),
    ])
    func onlyConnectionsThatTheServerKeepsAreReused(_ start: String, _ connections: Int) async throws {
        let answering: Answering = { connection, _ in
            try connection.send("\(start)\r\nContent-Length: 2\r\n\r\nok")
        }
        try await proxying(to: answering) { port, upstream in
            for _ in 0..<3 {
                let reply = try await reply(port, get("/"))
                #expect(reply.text == "ok")
            }
            #expect(upstream.count == connections)
        }
    }

    @Test func anIdleConnectionIsClosedBeforeTheServerClosesIt() async throws {
        let answering: Answering = { connection, _ in
            try connection.send("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=2\r\nContent-Length: 2\r\n\r\nok")
        }
        try await proxying(to: answering) { port, upstream in
            let reply = try await reply(port, get("/"))
            #expect(reply.text == "ok")
            try await upstream.connections.value[0].isOver.wait { $0 }
        }
    }

    /// With the answer, or when nobody uses the connection.
    ///
    /// What comes when the next request is on its way is that one's answer: no client of HTTP/1.1 can tell (RFC 9112,
    /// section 9.2).
    @Test(arguments: [true, false])
    func bytesOnAnIdleConnectionAreInNobodysAnswer(_ isAtOnce: Bool) async throws {
        let isAnswered = BlockingGate()
        let talking: Answering = { connection, head in
            guard head.hasPrefix("GET /first ") else { return try connection.send(ok("ok")) }
            try connection.send(ok("ok") + (isAtOnce ? ok("unasked") : ""))
            isAnswered.wait()
            if !isAtOnce { try connection.send(ok("unasked")) }
        }
        try await proxying(to: talking) { port, upstream in
            isAnswered.close()
            #expect(try await reply(port, get("/first")).text == "ok")
            isAnswered.open()
            // The gateway closes what nobody uses and somebody speaks on.
            try await upstream.connections.value[0].isOver.wait { $0 }
            for path in ["/second", "/third"] {
                #expect(try await reply(port, get(path)).text == "ok")
            }
            #expect(upstream.count == 2)
        }
    }

    /// They are left in the socket then, since no more of it is read than the body has.
    @Test func bytesBehindALongAnswerAreInNobodysAnswer() async throws {
        let long = String(repeating: "x", count: 200_000)
        let talking: Answering = { connection, head in
            try connection.send(head.hasPrefix("GET /first ") ? ok(long) + ok("unasked") : ok("ok"))
        }
        try await proxying(to: talking) { port, upstream in
            let first = try await reply(port, get("/first"))
            #expect(first.text == long)
            let second = try await reply(port, get("/second"))
            #expect(second.text == "ok")
            #expect(upstream.count == 2)
        }
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
    func repeatableRequestsAreRetriedOnANewConnection(_ method: String) async throws {
        try await proxying(to: Self.onceEach) { port, upstream in
            #expect(try await reply(port, get("/")).text == "ok")
            let status =
                method == "HEAD"
                ? try await replyToHead(port, "/").status
                : try await reply(port, request(method, "/", body: method == "PUT" ? "body" : nil)).status
            #expect(status == 200)
            #expect(upstream.count == 2)
            #expect(upstream.received.occurrences(of: "\(method) / ") == (method == "GET" ? 3 : 2))
        }
    }

    @Test(arguments: ["POST", "PATCH", "FOO"], [nil, "body"])
    func requestsThatMayNotBeRepeatedAreA502(_ method: String, _ body: String?) async throws {
        try await proxying(to: Self.onceEach) { port, upstream in
            #expect(try await reply(port, get("/")).text == "ok")
            let reply = try await reply(port, request(method, "/", body: body))
            #expect(reply.status == 502)
            #expect(upstream.received.occurrences(of: "\(method) / ") == 1)
        }
    }

    @Test func aConnectionClosedBeforeItsUseIsReplacedForAnyMethod() async throws {
        let closing: Answering = { connection, head in
            _ = try connection.readBody(after: head)
            try connection.send(ok("ok"))
            connection.close()
        }
        try await proxying(to: closing) { port, upstream in
            for number in 0..<5 {
                let reply = try await reply(port, request("POST", "/", body: "body"))
                #expect(reply.text == "ok")
                // The end is on its way when the connection is over.
                try await upstream.connections.value[number].isOver.wait { $0 }
            }
            #expect(upstream.received.occurrences(of: "POST / ") == 5)
        }
    }

    @Test func noRequestIsSentMoreThanTwice() async throws {
        let closing: Answering = { connection, head in
            if connection.isNew, head.hasPrefix("GET /first ") { return try connection.send(ok("ok")) }
            connection.close()
        }
        try await proxying(to: closing) { port, upstream in
            let first = try await reply(port, get("/first"))
            #expect(first.text == "ok")
            let second = try await reply(port, get("/"))
            #expect(second.status == 502)
            #expect(upstream.received.occurrences(of: "GET / ") == 2)
        }
    }

    @Test func aThousandRequestsAtOnceShareConnections() async throws {
        try await proxying(to: { connection, _ in try connection.send(ok("ok")) }) { port, upstream in
            try await blocking {
                let clients = try (0..<50).map { _ in try RawClient(port) }
                for _ in 0..<20 {
                    for client in clients { try client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") }
                    for client in clients { #expect(try client.reply().text == "ok") }
                }
            }
            #expect(upstream.count <= 50)
        }
    }
}

extension RawConnection {
    /// True in the first request.
    fileprivate var isNew: Bool {
        String(decoding: received, as: UTF8.self).occurrences(of: " HTTP/1.1\r\n") == 1
    }
}

extension String {
    func occurrences(of text: String) -> Int { ranges(of: text).count }
}
