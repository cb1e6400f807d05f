import EngineSupport
import HTTPTypes
import MicroHTTPD
import TestSupport
import Testing

/// A head that a loop has seen before is known by all of its bytes, and by nothing less.
struct KnownHeadsTests {
    /// Those that differ in one byte, each sent often enough to be known, in turn on one connection.
    @Test func headsThatDifferInOneByteAreNeverTakenForEachOther() async throws {
        let heads = [
            "GET /a?x=1 HTTP/1.1\r\nHost: a\r\nX: 1", "GET /a?y=1 HTTP/1.1\r\nHost: a\r\nX: 1",
            "GET /b?x=1 HTTP/1.1\r\nHost: a\r\nX: 1", "GET /a?x=1 HTTP/1.1\r\nHost: b\r\nX: 1",
            "GET /a?x=1 HTTP/1.1\r\nHost: a\r\nX: 2", "GET /a?x=1 HTTP/1.1\r\nHost: a\r\nY: 1",
            "PUT /a?x=1 HTTP/1.1\r\nHost: a\r\nX: 1",
        ]
        try await withServer(loops: 1) { exchange in
            let request = exchange.request
            let fields = request.headerFields.map { "\($0.name): \($0.value)" }
            ok(
                exchange,
                "\(request.method) \(request.path ?? "") HTTP/1.1\r\nHost: \(request.authority ?? "")\r\n"
                    + fields.joined())
        } test: { server in
            let port = server.port
            let echoes = try await blocking {
                let client = try RawClient(port)
                return try (0..<4).flatMap { _ in
                    try heads.map { head in
                        try client.send("\(head)\r\n\r\n")
                        return try client.reply().text
                    }
                }
            }
            #expect(echoes == (0..<4).flatMap { _ in heads })
        }
    }

    /// A line of NULs leaves in the library's memory what a true one leaves there.
    @Test(arguments: ["X: a\0\0Y\0 b", "X\0 a\r\nY: b", "X: a\0\0Y: b", "X: a\r\nY\0 b"])
    func aHeadWithNULsIsRefusedAlsoWhereTheSameWithoutThemIsKnown(_ lines: String) async throws {
        let reached = Tally()
        try await withServer(loops: 1) { exchange in
            reached.add()
            ok(exchange)
        } test: { server in
            let port = server.port
            let statuses = try await blocking {
                let client = try RawClient(port)
                let served = try (0..<4).map { _ in
                    try client.send("GET / HTTP/1.1\r\nHost: a\r\nX: a\r\nY: b\r\n\r\n")
                    return try client.reply().status
                }
                let hostile = try RawClient(port)
                try hostile.send("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n")
                return served + [try hostile.reply().status]
            }
            #expect(statuses == [200, 200, 200, 200, 400])
            #expect(reached.count == 4)
        }
    }

    /// What is refused once is refused always.
    @Test func aRefusedHeadIsNotRemembered() async throws {
        try await withServer(loops: 1) {
            ok($0)
        } test: { server in
            let port = server.port
            let statuses = try await blocking {
                try (0..<4).map { _ in
                    let client = try RawClient(port)
                    try client.send("GET / HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n")
                    return try client.reply().status
                }
            }
            #expect(statuses == [400, 400, 400, 400])
        }
    }
}
