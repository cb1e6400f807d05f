import Drawbridge
import Glibc
import MicroHTTPD
import TestSupport
import Testing

@testable import DrawbridgeServer

/// What comes after a request that was broken, refused or left: the next ones are as good as ever.
@Suite("After a broken request to an upstream", .serialized, .timeLimit(.minutes(5)))
struct AfterwardsTests {
    /// How often, and how often where there is time.
    private static let rounds = isLong ? 1_000 : 200

    private static var isLong: Bool { getenv("DRAWBRIDGE_ALL") != nil }

    @Test func requestsAfterBrokenOnesAreAnsweredAtOnce() async throws {
        let echo: Answering = { connection, head in
            try connection.send(ok("\(try connection.readBody(after: head).count)"))
        }
        let broken = ["0x5\r\nhello\r\n", "12345678901234567\r\nhello", "5\r\nhelloXX\r\n"]
        try await proxying(to: echo) { port, _ in
            let head = "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            try await blocking {
                for round in 0..<Self.rounds {
                    if round.isMultiple(of: 2) {
                        let client = try RawClient(port, timeout: 20)
                        try client.send(head + "5\r\nhello\r\n")
                        try client.send(broken[round / 2 % broken.count])
                        _ = try? client.readToEnd()
                        client.close()
                    } else {
                        let client = try RawClient(port, timeout: 20)
                        try client.send(head + "5\r\nhello\r\n0\r\n\r\n")
                        #expect(try client.reply().text == "5")
                    }
                }
            }
        }
    }

    @Test func anUnknownHostHoldsUpNobodyElse() async throws {
        let upstream = try RawUpstream { connection, _ in try connection.send(ok("ok")) }
        defer { upstream.stop() }
        let unknown = try Upstream("/unknown=http://unknown.invalid")
        let known = try Upstream("/known=http://127.0.0.1:\(upstream.port)")
        try await serving(.quiet([unknown, known])) { port in
            try await withThrowingTaskGroup { group in
                for _ in 0..<10 {
                    group.addTask {
                        for _ in 0..<(Self.isLong ? 50 : 2) {
                            let lost = try await reply(port, get("/unknown"))
                            #expect(lost.status == 502)
                            let found = try await reply(port, get("/known"))
                            #expect(found.text == "ok")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// What came from behind, whole or not, is over once: who still works when the gateway stops has its time.
    @Test func handlersStillGetTheirGraceAtAStopAfterUpstreamAnswers() async throws {
        let body = String(repeating: "x", count: 3 << 20)
        let upstream = try RawUpstream { connection, head in
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
            try? connection.send(body)
        }
        defer { upstream.stop() }
        let gateway = Gateway.quiet([.upstream("http://127.0.0.1:\(upstream.port)")])
        let (isAsked, mayAnswer) = (Observed(false), Observed(false))
        try gateway.register(at: "/slow") { Slow(isAsked, mayAnswer) }
        let server = try GatewayServer(
            gateway, .init(port: 0, loops: 1, grace: .seconds(60), logsRequests: false))
        let port = server.address.port
        do {
            for _ in 0..<3 {
                let whole = try await reply(port, get("/file"))
                #expect(whole.text.utf8.count == body.utf8.count)
                try await blocking {
                    let client = try RawClient(port, timeout: 30)
                    try client.send(get("/file"))
                    client.close()
                }
            }
            async let slow = reply(port, get("/slow?_mobile_bridge=1"))
            try await isAsked.wait { $0 }
            async let stopped: Void = server.stop()
            // From then on nobody new is let in.
            #expect(await eventually { (try? RawClient(port)) == nil })
            mayAnswer.change { $0 = true }
            #expect(try await slow.text == "done")
            await stopped
        } catch {
            mayAnswer.change { $0 = true }
            await server.stop()
            throw error
        }
    }

    /// Answers when it may.
    private struct Slow: Handler {
        let isAsked: Observed<Bool>
        let mayAnswer: Observed<Bool>

        init(_ isAsked: Observed<Bool>, _ mayAnswer: Observed<Bool>) {
            (self.isAsked, self.mayAnswer) = (isAsked, mayAnswer)
        }

        func handle(_ request: Request) async throws -> Response {
            isAsked.change { $0 = true }
            try await mayAnswer.wait { $0 }
            return Response(text: "done")
        }
    }

    /// A server that closes after each answer, and does not say so before.
    @Test func anUpstreamThatClosesWithoutNoticeIsAskedAgain() async throws {
        let closing: Answering = { connection, head in
            _ = try connection.readBody(after: head)
            try connection.send(ok("ok"))
            connection.close()
        }
        try await proxying(to: closing) { port, _ in
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await blocking {
                            let client = try RawClient(port, timeout: 30)
                            for _ in 0..<(Self.isLong ? 1_000 : 25) {
                                try client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                                #expect(try client.reply().status == 200)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Files are asked first, so answers are relayed by a task of their own.
    @Test func callersThatLeaveBetweenTwoPartsLeaveNothingBehind() async throws {
        let upstream = try RawUpstream { connection, _ in
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 320000\r\n\r\n")
            for _ in 0..<10 { try connection.send(pattern(32_000)) }
        }
        defer { upstream.stop() }
        let folder = try Folder()
        let gateway = Gateway.quiet([
            .staticFiles(folder.path), .upstream("/u=http://127.0.0.1:\(upstream.port)"),
        ])
        // The grace is longer than the test may take: a task that never ends holds it up.
        let server = try GatewayServer(
            gateway, .init(port: 0, loops: 2, grace: .seconds(3600), logsRequests: false))
        let port = server.address.port
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<8 {
                group.addTask {
                    try await blocking {
                        for round in 0..<(Self.isLong ? 3_000 : 250) {
                            let client = try RawClient(port)
                            try client.send("GET /u HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            // Within 20 ms, each at another moment.
                            usleep(UInt32((round * 8 + caller) * 7 % 200) * 100)
                            client.close()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await server.end() == 0)
    }

    @Test func anEarlyRefusalArrivesWholeWhileItsRequestIsStillSent() async throws {
        let (isHalfSent, goesOn) = (BlockingGate(), BlockingGate())
        let refusing: Answering = { connection, _ in
            try connection.send("HTTP/1.1 403 No\r\nContent-Length: 200000\r\n\r\n")
            try connection.send(pattern(100_000))
            isHalfSent.open()
            goesOn.wait()
            try connection.send(Array(pattern(200_000).dropFirst(100_000)))
            try connection.drain()
        }
        try await proxying(to: refusing) { port, _ in
            isHalfSent.close()
            goesOn.close()
            let body = try await blocking {
                let client = try RawClient(port, timeout: 30)
                try client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 300000\r\n\r\n")
                try client.send([UInt8](repeating: 1, count: 1000))
                isHalfSent.wait()
                // The engine begins no answer before it has taken the body, which it drops now.
                try client.send([UInt8](repeating: 1, count: 299_000))
                let head = try client.head()
                #expect(head.status == 403)
                let first = try client.bytes(1000)
                goesOn.open()
                return first + (try client.bytes(199_000))
            }
            #expect(body == pattern(200_000))
        }
    }

    @Test func aServerThatStallsInTheMiddleIsGivenUp() async throws {
        let stalling: Answering = { connection, _ in
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc")
            try connection.drain()
        }
        var options = Upstream.Options()
        // Its head comes within that on the slowest machine.
        options.answerTimeout = .seconds(3)
        try await proxying(to: stalling, options) { port, _ in
            let error = await #expect(throws: RawClient.Failure.self) { try await reply(port, get("/")) }
            // A connection that stays open would be a timeout.
            #expect(error != .timeout)
        }
    }

    @Test func aBodyEndedByTheConnectionNeedsCloseNotifyOverTLS() async throws {
        let ending: Answering = { connection, head in
            try connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it")
            if head.hasPrefix("GET /cut ") { connection.cutOff() } else { connection.close() }
        }
        try await proxying(to: ending, by: [.encrypted]) { port, _ in
            let whole = try await reply(port, get("/whole"))
            #expect(whole.text == "all of it")
            await #expect(throws: RawClient.Failure.self) { try await reply(port, get("/cut")) }
        }
        let announced: Answering = { connection, _ in
            try connection.send(ok("all of it"))
            connection.cutOff()
        }
        try await proxying(to: announced, by: [.encrypted]) { port, _ in
            let announcedWhole = try await reply(port, get("/"))
            #expect(announcedWhole.text == "all of it")
        }
    }

    @Test func aRequestWithMaxForwardsZeroIsAnsweredByTheGateway() async throws {
        let counting: Answering = { connection, head in
            try connection.send(ok(head.field("Max-Forwards") ?? "none"))
        }
        try await proxying(to: counting) { port, upstream in
            let last = try await reply(port, request("OPTIONS", "/", "Max-Forwards: 0"))
            #expect(last.status == 200)
            #expect(last["Allow"] != nil)
            #expect(upstream.count == 0)
            let passed = try await reply(port, request("OPTIONS", "/", "Max-Forwards: 2"))
            #expect(passed.text == "1")
            let got = try await reply(port, get("/", "Max-Forwards: 0"))
            #expect(got.text == "0")
        }
    }

    @Test(arguments: ["-9223372036854775808", "-5", "+3", "9223372036854775808", "2, 2", "x"])
    func anInvalidMaxForwardsIsPassedOnUnchanged(_ value: String) async throws {
        let telling: Answering = { connection, head in
            try connection.send(ok(head.field("Max-Forwards") ?? "none"))
        }
        try await proxying(to: telling) { port, _ in
            let passed = try await reply(port, request("OPTIONS", "/", "Max-Forwards: \(value)"))
            #expect(passed.text == value)
        }
    }
}
