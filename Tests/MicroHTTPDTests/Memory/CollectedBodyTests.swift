import EngineSupport
import HTTPTypes
import MicroHTTPD
import TestSupport
import Testing

/// A collected body reaches its handler as it was sent, wherever its pieces and its memory begin and end.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CollectedBodyTests {
    private static let head = "POST / HTTP/1.1\r\nHost: a\r\n"

    private static func announcing(_ count: Int) -> String { head + "Content-Length: \(count)\r\n\r\n" }

    /// Answers whether the body is what ``pattern(_:from:)`` makes of its first byte's place, and its size.
    private static func check(_ exchange: Exchange, from start: Int = 0) {
        let body = exchange.body
        ok(exchange, body == pattern(body.count, from: start) ? "\(body.count)" : "another body")
    }

    /// Around each size in which memory is taken.
    @Test(arguments: [1, 200, 4 << 10, 64 << 10, 1 << 20])
    func bodiesOfEverySizeArriveAsTheyWereSent(_ size: Int) async throws {
        try await withServer(loops: 1, handle: { Self.check($0) }) { server in
            let port = server.port
            try await blocking {
                let client = try RawClient(port)
                for count in size - 1...size + 1 {
                    let body = pattern(count)
                    // At once, in pieces of an odd size after a byte alone, and in chunks: all on one connection.
                    try client.send(Array(Self.announcing(count).utf8) + body)
                    #expect(try client.reply().text == "\(count)")
                    try client.send(Self.announcing(count))
                    try client.send(Array(body.prefix(1)))
                    for start in stride(from: 1, to: count, by: 30_011) {
                        try client.send(Array(body[start..<min(count, start + 30_011)]))
                    }
                    #expect(try client.reply().text == "\(count)")
                    try client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
                    for start in stride(from: 0, to: count, by: 50_021) {
                        let chunk = body[start..<min(count, start + 50_021)]
                        try client.send("\(String(chunk.count, radix: 16))\r\n")
                        try client.send(Array(chunk) + Array("\r\n".utf8))
                    }
                    try client.send("0\r\n\r\n")
                    #expect(try client.reply().text == "\(count)")
                }
            }
            #expect(await eventually { server.bodyMemory.count == 0 })
        }
    }

    /// So many that they are copied past the caches, and on every loop.
    @Test(arguments: [1, 2]) func manyBodiesAtOnceArriveAsTheyWereSent(_ loops: Int) async throws {
        let (bodies, count) = (24, 1 << 20 + 77)
        try await withServer(
            loops: loops,
            handle: { exchange in
                let start = Int(exchange.request.path?.dropFirst() ?? "") ?? 0
                // Another thread than the one that has copied.
                await Task.detached { Self.check(exchange, from: start) }.value
            }
        ) { server in
            let port = server.port
            let (clients, sent) = try await blocking {
                let clients = try (0..<bodies).map { _ in try RawClient(port) }
                let sent = (0..<bodies).map { pattern(count, from: $0 * 1009) }
                for (number, client) in clients.enumerated() {
                    try client.send(
                        "POST /\(number * 1009) HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n")
                }
                for start in stride(from: 0, to: count - 1, by: 99_991) {
                    for (client, body) in zip(clients, sent) {
                        try client.send(Array(body[start..<min(count - 1, start + 99_991)]))
                    }
                }
                return (clients, sent)
            }
            #expect(await eventually { server.bodyMemory.count == bodies * count })
            try await blocking {
                for (client, body) in zip(clients, sent) { try client.send(Array(body.suffix(1))) }
                for client in clients { #expect(try client.reply().text == "\(count)") }
            }
            #expect(await eventually { server.bodyMemory.count == 0 })
        }
    }

    @Test func aBodyThatAHandlerKeepsIsNotWrittenAgain() async throws {
        let kept = Box<[[UInt8]]>([])
        try await withServer(
            loops: 1,
            handle: { exchange in
                let body = exchange.body
                kept.change { $0.append(body) }
                ok(exchange)
            }
        ) { server in
            let port = server.port
            let count = 200_000
            try await blocking {
                let client = try RawClient(port)
                for turn in 0..<20 {
                    try client.send(Array(Self.announcing(count).utf8) + pattern(count, from: turn * 1009))
                    #expect(try client.reply().status == 200)
                }
            }
            for (turn, body) in kept.value.enumerated() { #expect(body == pattern(count, from: turn * 1009)) }
            #expect(kept.value.count == 20)
        }
    }

    @Test(arguments: [100, 100_000, 2_000_000])
    func aBodyThatIsCutLeavesNothingCounted(_ sent: Int) async throws {
        let handled = Tally()
        try await withServer(
            loops: 1,
            handle: { exchange in
                handled.add()
                Self.check(exchange)
            }
        ) { server in
            let port = server.port
            let clients = try await blocking {
                try (0..<12).map { _ in
                    let client = try RawClient(port)
                    try client.send(Array(Self.announcing(3 << 20).utf8) + pattern(sent))
                    return client
                }
            }
            if sent > 4096 { #expect(await eventually { server.bodyMemory.count > 0 }) }
            for client in clients { client.reset() }
            #expect(await eventually { server.bodyMemory.count == 0 })
            // What comes next has memory that a cut body may have had.
            try await blocking {
                let client = try RawClient(port)
                try client.send(Array(Self.announcing(3 << 20).utf8) + pattern(3 << 20))
                #expect(try client.reply().text == "\(3 << 20)")
            }
            #expect(handled.count == 1)
        }
    }
}
