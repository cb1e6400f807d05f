import EngineSupport
import HTTPTypes
import MicroHTTPD
import TestSupport
import Testing

/// The memory that all large bodies may take together.
@Suite(.timeLimit(.minutes(5)))
struct BodyMemoryTests {
    private static let megabyte = 1 << 20

    private static var limits: Limits {
        var limits = Limits()
        limits.memoryForBodies = 4 * megabyte
        return limits
    }

    /// Serves `/size`, which answers the body's length, and `/large`, which answers 3 MB.
    private static func serving(_ test: @escaping (HTTPServer) async throws -> Void) async throws {
        try await withServer(limits: limits, loops: 1) { exchange in
            if exchange.request.path == "/large" {
                exchange.send(HTTPResponse(status: .ok), [UInt8](repeating: 1, count: 3 * megabyte))
            } else {
                ok(exchange, "\(exchange.body.count)")
            }
        } test: { server in
            try await test(server)
            // Nothing stays counted when all have gone.
            #expect(await eventually { server.bodyMemory.count == 0 })
        }
    }

    @Test func aBodyWhoseLengthExceedsTheMemoryIsRefusedByItsHead() async throws {
        try await Self.serving { server in
            let port = server.port
            let replies = try await blocking {
                let client = try RawClient(port)
                try client.send(
                    "POST /size HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: \(5 << 20)\r\n\r\n"
                )
                return try client.repliesToEnd()
            }
            #expect(replies.map(\.status) == [503])
            #expect(replies.first?["Retry-After"] == "1")
            #expect(replies.first?.text.contains("--memory-for-bodies") == true)
        }
    }

    @Test(arguments: [false, true])
    func aBodyThatExceedsTheMemoryWhileItArrivesIsRefusedAndClosed(_ isChunked: Bool) async throws {
        try await Self.serving { server in
            let port = server.port
            let (first, second) = try await blocking {
                // The first takes 3 MB and waits; then 2 MB begin to come, which the head could not know.
                let first = try RawClient(port)
                let second = try RawClient(port)
                let head = "POST /size HTTP/1.1\r\nHost: a\r\n"
                try second.send(
                    head
                        + (isChunked
                            ? "Transfer-Encoding: chunked\r\n\r\n" : "Content-Length: \(2 << 20)\r\n\r\n"))
                try first.send(head + "Content-Length: \(3 << 20)\r\n\r\n")
                try first.send([UInt8](repeating: 1, count: 2 * Self.megabyte))
                return (first, second)
            }
            #expect(await eventually { server.bodyMemory.count >= 3 * Self.megabyte })
            try await blocking {
                let piece = [UInt8](repeating: 2, count: Self.megabyte)
                // Who is refused may be closed before all is sent; the answer is there all the same.
                for _ in 0..<2 {
                    if isChunked { try? second.send("100000\r\n") }
                    try? second.send(piece)
                    if isChunked { try? second.send("\r\n") }
                }
                if isChunked { try? second.send("0\r\n\r\n") }
                let refused = try second.repliesToEnd()
                #expect(refused.map(\.status) == [503])
                #expect(refused.first?["Retry-After"] == "1")
                try first.send([UInt8](repeating: 1, count: Self.megabyte))
                #expect(try first.reply().text == "\(3 << 20)")
                // There is room again.
                try first.send("POST /size HTTP/1.1\r\nHost: a\r\nContent-Length: \(3 << 20)\r\n\r\n")
                try first.send([UInt8](repeating: 1, count: 3 * Self.megabyte))
                #expect(try first.reply().text == "\(3 << 20)")
            }
        }
    }

    /// A body that is only announced takes nothing.
    @Test func callersThatOnlyAnnounceLargeBodiesDelayNobody() async throws {
        try await Self.serving { server in
            let port = server.port
            try await blocking {
                let announcing = try (0..<100).map { _ in
                    let client = try RawClient(port)
                    try client.send("POST /size HTTP/1.1\r\nHost: a\r\nContent-Length: \(3 << 20)\r\n\r\nx")
                    return client
                }
                let client = try RawClient(port)
                try client.send("POST /size HTTP/1.1\r\nHost: a\r\nContent-Length: \(3 << 20)\r\n\r\n")
                try client.send([UInt8](repeating: 1, count: 3 * Self.megabyte))
                #expect(try client.reply().text == "\(3 << 20)")
                for client in announcing { client.close() }
            }
        }
    }

    @Test func unreadAnswersCountAgainstTheMemoryAndOneTooManyIsA503()
        async throws
    {
        try await Self.serving { server in
            let port = server.port
            let slow = try await blocking {
                let slow = try RawClient(port, receiveBuffer: 4096)
                try slow.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try slow.head()
                return slow
            }
            #expect(server.bodyMemory.count == 3 * Self.megabyte)
            let (get, post) = try await blocking {
                let client = try RawClient(port)
                try client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
                let get = try client.reply()
                let other = try RawClient(port)
                try other.send("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
                return (get, try other.reply())
            }
            #expect(get.status == 503)
            #expect(get["Retry-After"] == "1")
            // What a POST did would be done twice.
            #expect(post.status == 200)
            slow.close()
        }
    }

    @Test(
        arguments: [
            ("0::/\n", ["/sys/fs/cgroup/memory.max": "1000\n"], 1000),
            ("0::/\n", ["/sys/fs/cgroup/memory.max": "max\n"], nil),
            (
                "0::/a/b\n",
                ["/sys/fs/cgroup/a/b/memory.max": "max\n", "/sys/fs/cgroup/a/memory.max": "700\n"], 700
            ),
            ("0::/a\n", ["/sys/fs/cgroup/a/memory.max": "900\n", "/sys/fs/cgroup/memory.max": "800\n"], 800),
            (
                "5:cpu,memory:/docker/x\n0::/\n", ["/sys/fs/cgroup/memory/memory.limit_in_bytes": "600\n"],
                600
            ),
            ("", [:], nil),
        ] as [(String, [String: String], Int?)])
    func theMemoryLimitOfAControlGroupIsFound(_ membership: String, _ files: [String: String], _ limit: Int?)
    {
        #expect(MemoryLimit.ofControlGroups(membership) { files[$0] } == limit)
    }

    @Test func bodiesMayTakeAtLeast256MBByDefault() {
        #expect(MemoryLimit.usualForBodies >= 256 << 20)
    }
}
