import TestSupport
import Testing

/// A server that is killed while it is asked.
@Suite("A server that is killed", .timeLimit(.minutes(5))) struct KilledUpstreamTests {
    private enum End: Equatable {
        case answered(Int)
        case broken
        case whole
    }

    /// Half of them wait for an answer, half have begun to get one; then the server starts again.
    @Test func runningRequestsEndAndARestartedServerIsAskedAgain() async throws {
        let port = try freePort()
        try await fronting("http://127.0.0.1:\(port)") { gateway in
            for round in 0..<20 {
                let node = try await DevServer(port: port)
                try await Self.isServed(gateway)
                let begun = Observed(0)
                let ends = try await withThrowingTaskGroup(of: End.self) { group in
                    for number in 0..<64 {
                        group.addTask {
                            try await blocking { try Self.ask(gateway, number, begun) }
                        }
                    }
                    try await begun.wait { $0 == 64 }
                    await node.kill()
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(ends.filter { $0 == .answered(502) }.count == 32, "round \(round): \(ends)")
                #expect(ends.filter { $0 == .broken }.count == 32, "round \(round): \(ends)")
            }
            let node = try await DevServer(port: port)
            try await Self.isServed(gateway)
            withExtendedLifetime(node) {}
        }
    }

    private static func ask(_ port: Int, _ number: Int, _ begun: Observed<Int>) throws -> End {
        let client = try RawClient(port)
        let isSilent = number % 2 == 0
        let path = isSilent ? "/silence" : "/endless"
        // What is asked by GET may be asked again, of nobody.
        let method = number % 4 < 2 ? "GET" : "POST"
        try client.send(
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 2\r\n\r\nhi")
        if isSilent {
            begun.change { $0 += 1 }
            return .answered(try client.reply().status)
        }
        guard try client.head().status == 200 else { return .whole }
        begun.change { $0 += 1 }
        do {
            while try client.chunk() != nil {}
            return .whole
        } catch RawClient.Failure.closed {
            return .broken
        }
    }

    private static func isServed(_ port: Int) async throws {
        let answer = try await curl("http://127.0.0.1:\(port)/sum")
        #expect(answer.hasPrefix("GET 0 "), "\(answer)")
    }
}
