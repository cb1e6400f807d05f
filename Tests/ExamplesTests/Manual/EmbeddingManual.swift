import DrawbridgeCommand
import DrawbridgeServer
import Testing

@testable import hello

func answer(_ action: String, _ data: JSON, from gateway: Gateway) async throws -> JSON {
    let call: JSON = ["action": .string(action), "data": data]
    let request = Request(.post, "/__jsbridge__", body: .init(call.bytes))
    let response = await gateway.respond(to: request)
    return try JSON(parsing: await response.body.collect())
}

/// Only a process of its own may do it: it can be done once.
func logAmongTheRequests() {
    LineLogHandler.format = .json  // for programs; text is for people
    LoggingSystem.bootstrap { _ in LineLogHandler() }
}

@Suite(.timeLimit(.minutes(5))) struct EmbeddingManual {
    @Test func aGatewayRunsNextToOtherTasks() async throws {
        let gateway = Gateway()
        let (listening, isListening) = AsyncStream.makeStream(of: ServerAddress.self)
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await gateway.run(.init(port: 0)) { isListening.yield($0) }
            }
            group.addTask {
                for await address in listening {
                    #expect("\(address)".hasPrefix("http://127.0.0.1:"))
                    return
                }
            }
            try await group.next()  // whichever ends first, the other is cancelled
            group.cancelAll()
        }
    }

    @Test func aGatewayAnswersWithoutASocket() async throws {
        let gateway = Gateway()
        try gateway.register(HelloHandler.self, at: "/hello")
        #expect(
            try await answer("hello", ["name": "Ann"], from: gateway)
                == ["code": 200, "data": ["greeting": "Hello, Ann!"], "message": ""])
    }
}
