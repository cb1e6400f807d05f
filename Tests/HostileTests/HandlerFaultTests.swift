import Drawbridge
import TestSupport
import Testing

/// Handlers with a fault, in a process of their own; a trap of Swift's ends that process, and is its supervisor's.
@Suite("Hostile 31: a faulty handler affects no other", .timeLimit(.minutes(5)))
struct HandlerFaultTests {
    /// Starts the test server, runs a test, and sees that the next request is served.
    private static func testServer(_ test: (Program, Int) async throws -> Void) async throws {
        let server = try Program.product("test-server", ["-p", "0", "--grace", "0.2"])
        let port = try await server.port()
        try await test(server, port)
        try await isAlive(port, by: "/echo")
        #expect(await server.stop() == 0, "\(server.output)")
    }

    private static func ask(_ port: Int, _ path: String) async throws -> RawAnswer {
        let replies = try await replies(port, get("\(path)?_mobile_bridge=1"))
        return try #require(replies.first)
    }

    @Test func aHandlerThatThrowsIsA500WithItsReasonInTheLog() async throws {
        try await Self.testServer { server, port in
            let reply = try await Self.ask(port, "/throws")
            #expect(reply.status == 200)
            #expect(try JSON(parsing: reply.body)["code"] == 500)
            #expect(!reply.text.contains("Broken"))
            _ = try await server.line(with: "Broken")
        }
    }

    @Test(arguments: ["/leaks", "/late"]) func aHandlerThatDoesNotAnswerInTimeIsA504(_ path: String)
        async throws
    {
        try await Self.testServer { server, port in
            let reply = try await Self.ask(port, path)
            #expect(reply.status == 200)
            let envelope = try JSON(parsing: reply.body)
            #expect(envelope["code"] == 504)
            #expect(envelope["message"]?.stringValue?.contains("did not answer within") == true)
            _ = try await server.line(with: "did not answer within")
        }
    }

    @Test(arguments: [("/late", "droppedAnswers"), ("/twice", "droppedChunks")])
    func aSecondAnswerIsDroppedAndCounted(_ path: String, _ counter: String) async throws {
        try await Self.testServer { _, port in
            let reply = try await Self.ask(port, path)
            #expect(!reply.text.contains("again"))
            var count = 0
            // The time limit ends what never comes.
            while count == 0 {
                try Task.checkCancellation()
                let health = try await replies(port, get("/__drawbridge__/health"))
                let data = try #require(try health.first.map { try JSON(parsing: $0.body) }?["data"])
                count = try data[counter]?.decode(Int.self) ?? 0
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(count == 1)
        }
    }

    @Test func aHundredMegabytesArriveWhileOthersAreServedAndTheirMemoryIsGivenBack() async throws {
        try await Self.testServer { server, port in
            let process = String(server.child.processIdentifier)
            let reader = try await blocking {
                let client = try RawClient(port, receiveBuffer: 64 << 10)
                try client.send(String(get("/huge?_mobile_bridge=1")))
                _ = try client.head()
                return client
            }
            try await isAlive(port, by: "/echo")
            let count = try await blocking { try reader.drainToEnd() }
            #expect(count == 100 << 20)
            #expect(await eventually { residentBytes(of: process) < 100 << 20 })
        }
    }

    @Test func handlersThatBlockTheirOwnThreadHoldNobodyUp() async throws {
        try await Self.testServer { server, port in
            let blocked = try await blocking {
                try (0..<20).map { _ in
                    let client = try RawClient(port)
                    try client.send(String(get("/blocks?_mobile_bridge=1")))
                    return client
                }
            }
            _ = try await server.line(with: "blocks has begun")
            // They block until they are told: were one on the loop, nobody could tell it.
            for _ in 0..<10 { try await isAlive(port, by: "/echo") }
            _ = try await Self.ask(port, "/unblocks")
            let texts = try await blocking { try blocked.map { try $0.reply().text } }
            #expect(texts.allSatisfy { $0 == #"{"code":200,"data":"blocked","message":""}"# })
        }
    }

    @Test func aHandlerThatBlocksItsLoopForAMomentIsNamedInTheLog() async throws {
        try await Self.testServer { server, port in
            _ = try await Self.ask(port, "/holds")
            let line = try await server.line(with: "held its loop for")
            #expect(line.contains("Holds held its loop for 1") && line.contains(".thread"), "\(line)")
        }
    }

    @Test func aHandlerThatBlocksItsLoopForEverIsNamedWhileItDoes() async throws {
        let server = try Program.product("test-server", ["-p", "0", "--grace", "0"])
        let port = try await server.port()
        let client = try await blocking {
            let client = try RawClient(port)
            try client.send(String(get("/block?_mobile_bridge=1")))
            return client
        }
        let line = try await server.line(with: "Block has blocked its loop")
        #expect(line.contains(".thread"), "\(line)")
        #expect(await server.stop() == 1)
        client.close()
    }
}
