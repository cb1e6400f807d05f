import Glibc
import TestSupport
import Testing

/// A burst of large bodies: what they take is bounded, and comes back.
@Suite("Memory: bursts of large bodies", .serialized, .timeLimit(.minutes(10)))
struct BodyMemoryTests {
    /// All with all tests, a few else.
    private static let count = getenv("DRAWBRIDGE_ALL") == nil ? 40 : 200
    private static let rounds = getenv("DRAWBRIDGE_ALL") == nil ? 1 : 3
    private static let length = 7 << 20

    /// Sends bodies at once, and gives the statuses of the answers.
    private static func burst(_ count: Int, to port: Int) async throws -> [Int] {
        try await withThrowingTaskGroup(of: Int.self) { group in
            let body = [UInt8](repeating: UInt8(ascii: "a"), count: length)
            let clients = try await blocking {
                try (0..<count).map { _ in try RawClient(port, timeout: 120) }
            }
            for client in clients {
                group.addTask {
                    try await blocking {
                        try client.send(
                            """
                            POST /takes?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                            Content-Type: text/plain\r\nContent-Length: \(length)\r\n\r\n
                            """)
                        try client.send(body)
                        defer { client.close() }
                        return try client.reply().status
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func memoryComesBackAfterABurst() async throws {
        let server = try Program.product("test-server", ["-p", "0", "--quiet"])
        let port = try await server.port()
        let process = String(server.child.processIdentifier)
        _ = try await Self.burst(1, to: port)
        #expect(await eventually { residentBytes(of: process) < 60 << 20 })
        try await FullJournal.ofBytes(port)
        let before = residentBytes(of: process)
        for _ in 0..<Self.rounds {
            let statuses = try await Self.burst(Self.count, to: port)
            #expect(statuses.allSatisfy { $0 == 200 || $0 == 503 })
            #expect(statuses.contains(200))
            #expect(
                await eventually { residentBytes(of: process) < before + 10 << 20 },
                "\(residentBytes(of: process) >> 20) MB, \(before >> 20) before")
        }
        #expect(await server.stop() == 0)
    }

    /// Bodies of several sizes, which leave gaps.
    @Test func successiveBodiesReuseTheSameMemory() async throws {
        let server = try Program.product("test-server", ["-p", "0", "--quiet"])
        let port = try await server.port()
        let process = String(server.child.processIdentifier)
        let sizes = [1 << 20, 300 << 10, 3 << 20, 900 << 10].map { $0 / 4096 * 4096 }
        let clients = try await blocking { try (0..<8).map { _ in try RawClient(port, timeout: 60) } }
        /// What each round sends on each connection, in pages.
        func rounds(_ count: Int) async throws -> Int {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in clients {
                    group.addTask {
                        try await blocking {
                            for size in Array(repeating: sizes, count: count).joined() {
                                try client.send(
                                    """
                                    POST /takes?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\
                                    Content-Type: text/plain\r\nContent-Length: \(size)\r\n\r\n
                                    """)
                                try client.send([UInt8](repeating: UInt8(ascii: "a"), count: size))
                                #expect(try client.reply().status == 200)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            return clients.count * count * sizes.reduce(0, +) / 4096
        }
        try await FullJournal.ofBytes(port)
        // As many as may be there at a time have been there then.
        _ = try await rounds(6)
        try await blocking { try Self.sendAtOnce(3 << 20, by: clients) }
        let before = try #require(pageFaults(of: process))
        let pages = try await rounds(10)
        let faults = try #require(pageFaults(of: process)) - before
        #expect(faults < pages / 20, "\(faults) for \(pages) pages")
        for client in clients { client.close() }
        #expect(await server.stop() == 0)
    }

    /// All of them are there but for a byte before the first is whole, however slow the machine is.
    private static func sendAtOnce(_ size: Int, by clients: [RawClient]) throws {
        for client in clients {
            try client.send(
                """
                POST /takes?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\
                Content-Type: text/plain\r\nContent-Length: \(size)\r\n\r\n
                """)
            try client.send([UInt8](repeating: UInt8(ascii: "a"), count: size - 1))
        }
        for client in clients {
            try client.send("a")
            #expect(try client.reply().status == 200)
        }
    }

    @Test func theMemoryForBodiesBoundsThePeak() async throws {
        let server = try Program.product(
            "test-server", ["-p", "0", "--quiet", "--memory-for-bodies", "256MB"])
        let port = try await server.port()
        let process = String(server.child.processIdentifier)
        for _ in 0..<Self.rounds {
            let statuses = try await Self.burst(Self.count, to: port)
            #expect(statuses.allSatisfy { $0 == 200 || $0 == 503 })
            #expect(statuses.contains(200))
        }
        #expect(peakBytes(of: process) < 400 << 20, "\(peakBytes(of: process) >> 20) MB")
        #expect(await server.stop() == 0)
    }

    /// To a handler, and to a path of the gateway's own, which finds that it is not JSON.
    @Test(arguments: [("/takes?_mobile_bridge=1", 200), ("/__drawbridge__/call", 400)])
    func incompleteBodiesCountAgainstTheMemoryForBodies(_ target: String, _ answer: Int) async throws {
        let server = try Program.product(
            "test-server", ["-p", "0", "--quiet", "--memory-for-bodies", "256MB"])
        let port = try await server.port()
        let statuses = try await blocking {
            let body = [UInt8](repeating: UInt8(ascii: "a"), count: Self.length)
            let clients = try (0..<40).map { _ in
                let client = try RawClient(port, timeout: 60)
                try client.send(
                    """
                    POST \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                    Content-Type: text/plain\r\nContent-Length: \(Self.length)\r\n\r\n
                    """)
                // Who is refused before that reads no more.
                try? client.send(Array(body.dropLast()))
                return client
            }
            return try clients.map { client in
                try? client.send(Array(body.suffix(1)))
                defer { client.close() }
                return try client.reply().status
            }
        }
        let fitting = (256 << 20) / Self.length
        #expect(statuses.count { $0 == answer } <= fitting && statuses.contains(answer))
        #expect(statuses.count { $0 == 503 } >= 40 - fitting)
        #expect(await server.stop() == 0)
    }

    /// Without a bound the array that gets no memory ends the process.
    @Test func aBurstInASmallAddressSpaceIsSurvived() async throws {
        let server = try Program(
            "bash",
            [
                "-c", "ulimit -v 1048576; exec \"$0\" -p 0 --quiet", try Program.path(of: "test-server"),
            ], environment: ["XDG_STATE_HOME": "/nonexistent"])
        let port = try await server.port()
        for _ in 0..<2 {
            let statuses = try await Self.burst(60, to: port)
            #expect(statuses.allSatisfy { $0 == 200 || $0 == 503 })
            #expect(statuses.contains(200))
        }
        #expect(await server.stop() == 0)
    }
}
