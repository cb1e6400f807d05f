import Glibc
import TestSupport
import Testing

/// Pages that keep their connections open, and one that asks.
@Suite("Hostile 25: idle connections do not slow the active one", .serialized, .timeLimit(.minutes(5)))
struct IdleConnectionTests {
    /// Ten thousand with all tests, as far as this process may open files, and as the server takes connections by
    /// default: half of those.
    private static let count: Int = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, 1 << 20)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let wanted = getenv("DRAWBRIDGE_ALL") == nil ? 1000 : 10_000
        return min(wanted, (Int(clamping: limit.rlim_cur) - 24) / 2 - 50)
    }()

    /// The time of processors is judged, not that of clocks; the two servers are asked by turns.
    ///
    /// So a slow machine is slow with both. Work that grows with the connections is there in every round.
    @Test func idleConnectionsAtMostDoubleTheWorkOfAnAnswer() async throws {
        let (alone, crowded) = try (
            Program.product("test-server", ["-p", "0", "-q"]),
            Program.product("test-server", ["-p", "0", "-q"])
        )
        let (alonePort, crowdedPort) = try await (alone.port(), crowded.port())
        let idle = try await blocking {
            try (0..<Self.count).map { _ in
                let client = try RawClient(crowdedPort)
                try client.send("GET /echo?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try client.reply()
                return client
            }
        }
        let process = String(crowded.child.processIdentifier)
        #expect(openDescriptors(of: process).count > Self.count)
        let (before, after) = try await blocking {
            let one = try Asking(alonePort, String(alone.child.processIdentifier))
            let other = try Asking(crowdedPort, process)
            // The best of each: what else goes on here empties the processor's caches, and makes it more.
            var (before, after) = (Double.infinity, Double.infinity)
            for round in 0..<20 where round < 5 || after > 2 * before {
                before = min(before, try one.work())
                after = min(after, try other.work())
            }
            return (before, after)
        }
        let figures = "\(Int(before)) µs of work without, \(Int(after)) µs with \(Self.count) of them"
        print(figures)
        #expect(after <= 2 * before, "\(figures)")
        #expect(openDescriptors(of: process).count > Self.count)
        for client in idle { client.close() }
        #expect(await alone.stop() == 0)
        #expect(await crowded.stop() == 0)
    }
}

/// One connection that asks again and again.
private struct Asking {
    private let client: RawClient
    private let process: String

    init(_ port: Int, _ process: String) throws {
        client = try RawClient(port)
        self.process = process
    }

    /// What the server worked for one of three hundred answers, in microseconds of a processor.
    func work() throws -> Double {
        let start = processorSeconds(of: process)
        for _ in 0..<300 {
            try client.send("GET /echo?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try client.reply()
        }
        return (processorSeconds(of: process) - start) / 300 * 1_000_000
    }
}
