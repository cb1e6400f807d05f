import TestSupport
import Testing

/// Connections that are used again, and answers that do not end.
@Suite("Connections and event streams", .timeLimit(.minutes(5))) struct StreamingTests {
    @Test func aThousandRequestsOverSixteenConnectionsOpenNoMoreToTheServer() async throws {
        let nginx = try await Nginx()
        try nginx.files.write("file.txt", "small")
        try await fronting(nginx.address) { port in
            let request = "GET /numbered/file.txt HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
            let numbers = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        try await blocking {
                            let client = try RawClient(port)
                            return try (0..<63).map { _ in
                                try client.send(request)
                                let reply = try client.reply()
                                #expect(reply.text == "small")
                                return reply["X-Connection"] ?? "none"
                            }
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(numbers.count == 1008)
            #expect(Set(numbers).count <= 16)
            #expect(!numbers.contains("none"))
        }
        withExtendedLifetime(nginx) {}
    }

    @Test func eachEventArrivesBeforeTheNextIsSentAndALeavingCallerIsNoticed() async throws {
        let node = try await DevServer()
        try await fronting(node.address) { port in
            let client = try RawClient(port)
            let head = try await blocking {
                try client.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
                return try client.head()
            }
            #expect(head["Content-Type"] == "text/event-stream")
            for number in 0..<50 {
                _ = try await curl("\(node.address)/say?text=\(number)")
                let event = try await blocking { try client.chunk() ?? [] }
                #expect(String(decoding: event, as: UTF8.self) == "data: \(number)\n\n")
            }
            #expect(try await curl("\(node.address)/watchers") == "1")
            client.close()
            var left = ""
            for _ in 0..<100 where left != "0" { left = try await curl("\(node.address)/watchers") }
            #expect(left == "0")
        }
        withExtendedLifetime(node) {}
    }
}
