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
    @Test(arguments: Slowness.allCases)
    func aNewClientIsAnsweredWithinASecondAndTheSlowGoAtTheirDeadline(_ slowness: Slowness) async throws {
        var limits = Limits()
        limits.connections = Self.limit
        limits.headSeconds = 2
        limits.graceSeconds = 2
        limits.idleSeconds = 3
        try await Self.serving(limits) { port in
            let count = slowness == .nothing || slowness == .head ? 2 * Self.limit : Self.limit
            let slow = try await blocking {
                try (0..<count).map { _ in
                    let client = try RawClient(port, receiveBuffer: slowness == .reader ? 4096 : nil)
                    try client.send(slowness.rawValue)
                    return client
                }
            }
            try await Self.newClientsAreAnswered(port)
            // Nobody closes but the server: what it has is what listens, here and in each loop.
            #expect(await eventually(within: 20) { sockets(on: port) <= 2 })
            withExtendedLifetime(slow) {}
        }
    }

    /// Each within a second; half of them count, for what else goes on here makes some wait.
    private static func newClientsAreAnswered(_ port: Int) async throws {
        var times: [Double] = []
        for _ in 0..<11 {
            let start = now()
            try await isAlive(port)
            times.append(now() - start)
        }
        #expect(times.sorted()[5] < 1, "\(times)")
    }

    /// A few of each kind, all at once.
    @Test func allKindsAtOnceHoldNobodyUp() async throws {
        var limits = Limits()
        limits.connections = 200
        try await Self.serving(limits) { port in
            let slow = try await blocking {
                try (0..<300).map { number in
                    let client = try RawClient(port, receiveBuffer: 4096)
                    try client.send(Slowness.allCases[number % 4].rawValue)
                    return client
                }
            }
            try await Self.newClientsAreAnswered(port)
            for client in slow { client.close() }
        }
    }
}
