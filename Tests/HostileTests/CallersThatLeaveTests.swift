import Drawbridge
import Glibc
import TestSupport
import Testing

/// Callers that leave while their handler waits; in a process of its own, whose memory and descriptors are its alone.
@Suite("Hostile 30: callers that leave leave nothing behind", .timeLimit(.minutes(5)))
struct CallersThatLeaveTests {
    /// After so many rounds of a thousand, the allocator has what it needs.
    static let warmUp = 5
    /// Five thousand callers are measured with all tests; else descriptors alone, with two thousand.
    static let rounds = getenv("DRAWBRIDGE_ALL") == nil ? 2 : warmUp + 5

    @Test func callersThatLeaveLeaveNothingBehind() async throws {
        let callers = 1000
        let server = try Program.product("test-server", ["-p", "0"])
        let port = try await server.port()
        let process = String(server.child.processIdentifier)
        _ = try await Self.counts(port)
        if Self.rounds > Self.warmUp { try await FullJournal.ofRecords(port) }
        let descriptors = openDescriptors(of: process).count
        var memory: [Int] = []
        for round in 1...Self.rounds {
            let waiting = try await blocking {
                try (0..<callers).map { _ in
                    let client = try RawClient(port)
                    try client.send("GET /wait?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    return client
                }
            }
            try await Self.reaches(port, [round * callers, (round - 1) * callers])
            for client in waiting { client.close() }
            try await Self.reaches(port, [round * callers, round * callers])
            memory.append(residentBytes(of: process))
        }
        #expect(await eventually { openDescriptors(of: process).count <= descriptors + 1 })
        if Self.rounds > Self.warmUp {
            #expect(memory[Self.rounds - 1] - memory[Self.warmUp - 1] < 2 << 20, "\(memory)")
        }
        #expect(await server.stop() == 0)
    }

    private static func reaches(_ port: Int, _ expected: [Int]) async throws {
        var seen: [Int] = []
        for _ in 0..<5000 {
            seen = try await counts(port)
            if seen == expected { return }
        }
        Issue.record("\(seen) instead of \(expected)")
    }

    private static func counts(_ port: Int) async throws -> [Int] {
        try await blocking {
            let client = try RawClient(port)
            try client.send(
                "GET /counts?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return try JSON(parsing: client.reply().body)["data"]?.decode([Int].self) ?? []
        }
    }
}
