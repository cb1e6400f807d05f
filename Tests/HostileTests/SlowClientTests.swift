import Drawbridge
import DrawbridgeServer
import MicroHTTPD
import TestSupport
import Testing

/// Callers that hold what they have and ask for nothing; the rates are tried in `DeadlineTests`.
@Suite("Hostile 24: slow clients at the limit of connections", .serialized, .timeLimit(.minutes(5)))
struct SlowClientTests {
    private static let limit = 500

    /// Serves a file that is larger than any socket holds.
    private static func serving(_ limits: Limits, _ test: (Int) async throws -> Void) async throws {
        let folder = try Folder()
        try folder.write("large.txt", String(repeating: "a", count: 16 << 20))
        try await HostileTests.serving(.quiet(passThrough: [.staticFiles(folder.path)]), limits: limits, test)
    }

    enum Slowness: String, CaseIterable {
        case nothing = ""
        case head = "GET /alive?_mobile_bridge=1 HTTP/1.1\r\nHost: local"
        case body = "POST /alive?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\na"
        case reader = "GET /large.txt HTTP/1.1\r\nHost: localhost\r\n\r\n"
    }

    /// Twice as many as fit, where they make room for each other; else as many as fit.
    private static func callers(_ slowness: Slowness, _ port: Int) async throws -> [RawClient] {
        let count = slowness == .nothing || slowness == .head ? 2 * limit : limit
        return try await blocking {
            try (0..<count).map { _ in
                let client = try RawClient(port, receiveBuffer: slowness == .reader ? 4096 : nil)
                try client.send(slowness.rawValue)
                return client
            }
        }
    }

    /// Limits whose deadlines are an hour away: whoever has to wait for one is not answered while a test runs.
    private static func patient(connections: Int) -> Limits {
        var limits = Limits()
        limits.connections = connections
        limits.headTime = .seconds(3600)
        limits.graceTime = .seconds(3600)
        limits.idleTime = .seconds(3600)
        return limits
    }

    @Test(arguments: Slowness.allCases)
    func aNewClientIsAnsweredBeforeSlowClientsReachTheirDeadline(_ slowness: Slowness) async throws {
        try await Self.serving(Self.patient(connections: Self.limit)) { port in
            let slow = try await Self.callers(slowness, port)
            for _ in 0..<11 { try await isAlive(port) }
            for client in slow { client.close() }
        }
    }

    @Test(arguments: Slowness.allCases) func slowClientsAreCutOffAtTheirDeadline(_ slowness: Slowness)
        async throws
    {
        var limits = Limits()
        limits.connections = Self.limit
        limits.headTime = .seconds(2)
        limits.graceTime = .seconds(2)
        limits.idleTime = .seconds(3)
        try await Self.serving(limits) { port in
            let slow = try await Self.callers(slowness, port)
            // Nobody closes but the server: what it has is what listens, here and in each loop.
            #expect(await eventually { sockets(on: port) <= 2 })
            withExtendedLifetime(slow) {}
        }
    }

    /// A few of each kind, all at once.
    @Test func allKindsOfSlowClientsAtOnceHoldNobodyUp() async throws {
        try await Self.serving(Self.patient(connections: 200)) { port in
            let slow = try await blocking {
                try (0..<300).map { number in
                    let client = try RawClient(port, receiveBuffer: 4096)
                    try client.send(Slowness.allCases[number % 4].rawValue)
                    return client
                }
            }
            for _ in 0..<11 { try await isAlive(port) }
            for client in slow { client.close() }
        }
    }
}
