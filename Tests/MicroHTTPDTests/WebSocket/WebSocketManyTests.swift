import Glibc
import MicroHTTPD
import TestSupport
import Testing

extension OneAtATime {
    /// Many sockets at once, what each of them costs, and what is left of them.
    @Suite(.timeLimit(.minutes(5))) struct WebSocketManyTests {
        @Test func aThousandSocketsAtOnceAreServedAndLeaveNothingBehind() async throws {
            try await withWebSockets { server, log in
                let port = server.port
                let idle = sockets(on: port)
                try await blocking {
                    let clients = try (0..<1000).map { _ in try WebSocketClient.open(port) }
                    for round in 0..<3 {
                        for (index, client) in clients.enumerated() { try client.send("\(round) \(index)") }
                        for (index, client) in clients.enumerated() {
                            #expect(try client.receive() == .text("\(round) \(index)"))
                        }
                    }
                    for (index, client) in clients.enumerated() {
                        switch index % 3 {
                        case 0: client.raw.reset()
                        case 1: client.raw.close()
                        default:
                            try client.send(8, [0x03, 0xE8])
                            #expect(try client.receiveToEnd() == [.close(1000)])
                        }
                    }
                }
                #expect(await eventually { sockets(on: port) == idle })
                #expect(await eventually { log.ends.value.count == 1000 })
            }
        }

        @Test func anIdleSocketTakesLessThanFourKilobytes() async throws {
            let each = try await costOfEach { port in
                let client = try WebSocketClient.open(port)
                // It has been used once.
                try client.send("hello")
                _ = try client.receive()
                return client
            }
            if isAlone { #expect(each < 4096, "\(each) bytes") }
        }

        @Test func webSocketsAreIncludedInTheLimitOfConnections() async throws {
            try await withWebSockets(connections: 20, loops: 1) { server, log in
                let port = server.port
                let clients = try await blocking { try (0..<20).map { _ in try WebSocketClient.open(port) } }
                #expect(await log.opened.reaches(20))
                // None of them makes room: those that are too many wait for it, or are closed.
                let others = try await blocking {
                    try (0..<40).map { _ in try RawClient(port, timeout: 0.5) }
                }
                try await blocking {
                    for client in clients {
                        try client.send("still here")
                        #expect(try client.receive() == .text("still here"))
                    }
                }
                #expect(sockets(on: port) <= 20 + 11 + 2)
                for client in others { client.close() }
                for client in clients { client.raw.close() }
                #expect(
                    await eventually {
                        (try? RawClient(port).exchange("GET /plain HTTP/1.1\r\nHost: a\r\n\r\n"))?.text
                            == "ok"
                    })
            }
        }
    }
}

extension RawClient {
    fileprivate func exchange(_ request: String) throws -> RawAnswer {
        try send(request)
        return try reply()
    }
}
