import Glibc
import Testing

/// SIGTERM while requests wait, stream and come in.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StoppingTests {
    /// A hundred times with all tests, a few times else.
    static let rounds = getenv("DRAWBRIDGE_ALL") == nil ? 5 : 100

    @Test func endsInGoodOrderUnderLoad() async throws {
        for round in 1...Self.rounds {
            let server = try Program.product("test-server", ["-p", "0", "--grace", "0.1"])
            let port = try await server.port()
            let load = try Load(port: port)
            try await load.isUnderWay()
            let start = ContinuousClock.now
            let code = await server.stop()
            #expect(code == 0, "round \(round): \(server.output.suffix(400))")
            #expect(start.duration(to: .now) < .seconds(5))
            load.end()
        }
    }

    @Test func letsRunningRequestsFinishByDefault() async throws {
        let server = try Program.product("test-server", ["-p", "0"])
        let port = try await server.port()
        let waiting = try RawConnection(port: port)
        waiting.send("GET /soon?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = try await server.line(with: "soon has begun")
        #expect(await server.stop() == 0, "\(server.output)")
        let answer: String = await Thread.value { waiting.readAll() }
        #expect(answer.contains(#"{"code":200,"data":"done","message":""}"#))
    }
}

/// Requests that wait, that stream, and that follow each other without end.
private final class Load: Sendable {
    private let waiting: [RawConnection]
    private let busy: [RawConnection]

    init(port: UInt16) throws {
        waiting = try (0..<30).map { number in
            let connection = try RawConnection(port: port)
            let path = number % 3 == 0 ? "/ticks" : "/wait"
            connection.send("GET \(path)?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return connection
        }
        busy = try (0..<4).map { _ in try RawConnection(port: port) }
        for connection in busy {
            Thread.run {
                while connection.ask("GET /echo?_mobile_bridge=1&a=1 HTTP/1.1\r\nHost: localhost\r\n\r\n") {}
            }
        }
    }

    /// Returns when the streams stream and the busy connections have had answers.
    func isUnderWay() async throws {
        for number in stride(from: 0, to: waiting.count, by: 3) {
            let stream = waiting[number]
            let head: String = await Thread.value { stream.read() }
            #expect(head.contains("200 OK"))
        }
    }

    func end() {
        for connection in waiting + busy { connection.close() }
    }
}
