import DrawbridgeServer
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeJournal

/// A full journal takes seconds to read: nobody else waits for a program that asks for it.
@Suite("The tester's API and the loops", .timeLimit(.minutes(5))) struct TesterApartTests {
    @Test(
        "the loop answers others while a reader is held back",
        arguments: [
            "GET /__drawbridge__/calls", "GET /__drawbridge__/calls?count=1",
            "GET /__drawbridge__/calls/events", "POST /__drawbridge__/calls/verify",
            "GET /__drawbridge__/handlers", "GET /__drawbridge__/record",
        ])
    func theLoopAnswersWhileAReaderIsHeldBack(asked: String) async throws {
        let gateway = Gateway(keepsJournal: true)
        _ = await gateway.respond(to: Request("/nobody?_mobile_bridge=1"))
        try await serving(gateway, ServerConfiguration(port: 0, loops: 1)) { port in
            let (held, gate) = (BlockingGate(), BlockingGate())
            async let holding: Void = blocking {
                gateway.journal.state.withLock { _ in
                    held.open()
                    gate.wait()
                }
            }
            let token = gateway.testerToken.text
            // One step, since whoever is held back may have the last thread of the pool.
            let (reader, health) = try await blocking {
                held.wait()
                defer { gate.open() }
                let body = asked.hasPrefix("POST") ? #"{"name": "nobody"}"# : ""
                let reader = try RawClient(port)
                try reader.send(
                    """
                    \(asked) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\
                    Content-Length: \(body.utf8.count)\r\n\r\n\(body)
                    """)
                // The one loop takes connections in their order.
                let other = try RawClient(port, timeout: 20)
                try other.send("GET /__drawbridge__/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return (reader, try? other.reply().status)
            }
            #expect(health == 200)
            #expect(try await blocking { try reader.head().status } == 200)
            try await holding
        }
    }
}
