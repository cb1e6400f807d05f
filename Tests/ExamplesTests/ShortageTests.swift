import Glibc
import TestSupport
import Testing

/// A process that may open few files.
@Suite(.timeLimit(.minutes(3))) struct ShortageTests {
    private static let echo = "GET /echo?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test func whereDescriptorsRunOutTheIdleMakeRoomAndNewcomersAreServed() async throws {
        let binary = try Program.path(of: "test-server")
        let server = try Program("sh", ["-c", "ulimit -n 48; exec \(binary) -p 0 --grace 0"])
        let port = try await server.port()
        let (waiting, idle) = try await blocking {
            let waiting = try (0..<8).map { _ in
                let client = try RawClient(port)
                try client.send("GET /wait?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return client
            }
            // Each is answered and stays; together they are more than there are descriptors.
            let idle = try (0..<40).map { _ in
                let client = try RawClient(port)
                try client.send(Self.echo)
                #expect(try client.reply().status == 200)
                return client
            }
            return (waiting, idle)
        }
        // Nobody but those who wait is left, and they all still do.
        for client in waiting { client.close() }
        for client in idle { client.close() }
        let status = try await blocking {
            let client = try RawClient(port)
            try client.send(Self.echo)
            return try client.reply().status
        }
        #expect(status == 200)
        #expect(await server.stop() == 0)
    }
}
