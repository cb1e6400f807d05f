import Dispatch
import Drawbridge
import Glibc
import TestSupport
import Testing

/// SIGTERM while requests wait, stream and come in.
@Suite("Hostile 33: SIGTERM under load ends in good order", .serialized, .timeLimit(.minutes(10)))
struct SIGTERMTests {
    /// A hundred times with all tests, a few times else.
    static let rounds = getenv("DRAWBRIDGE_ALL") == nil ? 5 : 100

    @Test func theServerEndsCleanlyUnderLoad() async throws {
        for round in 1...Self.rounds {
            let server = try Program.product("test-server", ["-p", "0", "--grace", "0.1"])
            let traffic = try await Traffic(port: server.port())
            let code = await server.stop()
            #expect(code == 0, "round \(round): \(server.output.suffix(400))")
            traffic.end()
        }
    }

    @Test func runningRequestsFinishByDefault() async throws {
        let server = try Program.product("test-server", ["-p", "0"])
        let port = try await server.port()
        let client = try await blocking {
            let client = try RawClient(port)
            try client.send("GET /soon?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return client
        }
        _ = try await server.line(with: "soon has begun")
        #expect(await server.stop() == 0, "\(server.output)")
        let reply = try await blocking { try client.reply() }
        #expect(reply.text == #"{"code":200,"data":"done","message":""}"#)
    }
}

extension SIGTERMTests {
    @Test func aHandlerThatBlocksItsLoopDoesNotPreventTheExit() async throws {
        let server = try Program.product("test-server", ["-p", "0", "--grace", "0"])
        let port = try await server.port()
        let client = try await blocking {
            let client = try RawClient(port)
            try client.send("GET /block?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return client
        }
        _ = try await server.line(with: "block has begun")
        #expect(await server.stop() == 1)
        _ = try await server.line(with: "a handler blocks its thread")
        client.close()
    }
}

extension SIGTERMTests {
    /// SIGTERM, Ctrl-C and SIGHUP are the same to callers: who has no answer yet is told, and the log says why.
    @Test(arguments: [SIGTERM, SIGINT, SIGHUP], ["/wait?_mobile_bridge=1", "/slow"])
    func waitingCallersAreToldThatTheServerStops(_ number: Int32, _ target: String) async throws {
        let upstream = try RawUpstream { connection in
            _ = try connection.readHead()
            // It never answers.
            try connection.drain()
        }
        let server = try Program.product(
            "test-server",
            [
                "-p", "0", "--grace", "0.2", "--upstream", "http://127.0.0.1:\(upstream.port)",
                "--log", "native,upstream,files",
            ])
        let port = try await server.port()
        let client = try await blocking {
            let client = try RawClient(port)
            try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return client
        }
        if target == "/slow" {
            #expect(await eventually { !upstream.connections.value.isEmpty })
        } else {
            _ = try await server.line(with: "wait has begun")
        }
        kill(server.child.processIdentifier, number)
        let replies = try await blocking { try client.repliesToEnd() }
        #expect(replies.map(\.status) == [503])
        #expect(await server.child.exitCode() == 0)
        let line = try await server.line(with: target == "/slow" ? "GET /slow" : "handler Wait")
        #expect(line.contains("stopped") && !line.contains("caller left"), "\(line)")
    }

    /// As the man page says.
    @Test func aHandlerThatIgnoresItsCancellationMakesTheExitCodeOne() async throws {
        let server = try Program.product("test-server", ["-p", "0", "--grace", "0.1"])
        let port = try await server.port()
        let client = try await blocking {
            let client = try RawClient(port)
            try client.send("GET /stays?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return client
        }
        _ = try await server.line(with: "stays has begun")
        #expect(await server.stop() == 1)
        _ = try await server.line(with: "1 handlers ignored their cancellation and were left behind")
        client.close()
    }
}

extension SIGTERMTests {
    /// What a call of a page may wait for, in vain.
    enum Awaited: String, CaseIterable {
        case alert, choice, program
    }

    @Test(arguments: Awaited.allCases)
    func waitingCallsOfPagesEndCleanly(_ awaited: Awaited) async throws {
        let program = try RawUpstream { connection in
            _ = try connection.readHead()
            // It never answers.
            try connection.drain()
        }
        let address = "http://127.0.0.1:\(program.port)"
        let tester = String(repeating: "t", count: 32)
        for round in 1...Self.rounds {
            let server = try Program.product(
                "test-server",
                [
                    "-p", "0", "--grace", "0.1", "--forward-to", address,
                    "--reply", #"program={"$forward": "\#(address)/"}"#,
                    "--reply", #"choice={"$ask": "Which?", "$choices": {"this": 1}}"#,
                ], environment: ["DRAWBRIDGE_TOKEN": tester])
            let port = try await server.port()
            let seen = program.connections.value.count
            func questions() async throws -> Int {
                let answer = try await replies(
                    port, get("/__drawbridge__/questions", "Authorization: Bearer \(tester)"))
                return try JSON(parsing: Array(answer[0].text.utf8))["data"]?.arrayValue?.count ?? 0
            }
            // Who has asked for questions is asked, though there is no terminal.
            #expect(try await questions() == 0)
            let page = try await Self.page(on: port, calling: awaited.rawValue)
            while awaited != .program, try await questions() < 10 {}
            if awaited == .program { try await program.connections.wait { $0.count >= seen + 10 } }
            #expect(await server.stop() == 0, "round \(round): \(server.output.suffix(400))")
            page.socket.raw.close()
        }
    }

    @Test func questionsAtATerminalEndCleanly() async throws {
        for round in 1...Self.rounds {
            let screen = Observed<[UInt8]>([])
            let server = try TerminalChild(
                Program.path(of: "test-server"), ["-p", "0", "--grace", "0.1"],
                environment: ["TERM": "xterm", "XDG_STATE_HOME": "/nonexistent"]
            ) { bytes in screen.change { $0 += bytes } }
            let port = try #require(Self.port(in: try await screen.wait { Self.port(in: $0) != nil }))
            let page = try await Self.page(on: port, calling: "alert")
            try await screen.wait { String(decoding: $0, as: UTF8.self).contains("? 10  alert") }
            server.send(SIGTERM)
            let code = await server.exitCode()
            #expect(
                code == 0, "round \(round): \(String(decoding: screen.value, as: UTF8.self).suffix(400))")
            page.socket.raw.close()
        }
    }

    /// The port in what a terminal shows, as soon as something follows it.
    private static func port(in screen: [UInt8]) -> Int? {
        String(decoding: screen, as: UTF8.self).firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)[^0-9]/)
            .flatMap { Int($0.1) }
    }

    /// A page that has called ten times.
    private static func page(on port: Int, calling name: String) async throws -> ChannelPage {
        let id = String(repeating: "a", count: 32)
        let answer = try await replies(port, get("/__drawbridge__/token", "X-Drawbridge-Page: \(id)"))
        let token = try JSON(parsing: Array(answer[0].text.utf8))["token"]
        let page = try await ChannelPage.open(port, try #require(token?.stringValue), id: id)
        for number in 1...10 {
            let id = JSON.number(.init(number))
            let call: JSON = ["call": .string(name), "data": ["message": "x"], "id": id]
            try await page.tell(["up": [[id, call]]])
        }
        return page
    }
}

extension SIGTERMTests {
    @Test func aLogThatNobodyReadsDoesNotPreventTheExit() async throws {
        let server = try Unread()
        let port = try await server.port()
        server.turnAway()
        try await server.fill(port)
        // Its reader comes back only when this test is over.
        server.child.terminate()
        #expect(await server.child.exitCode() == 0)
    }
}

/// The test server with a reader that reads only until it is told not to.
private final class Unread: Sendable {
    let seen = Observed("")
    let child: Child
    private let isAway: Observed<Bool>
    private let isBack: DispatchSemaphore

    init() throws {
        let (seen, isAway, isBack) = (seen, Observed(false), DispatchSemaphore(value: 0))
        (self.isAway, self.isBack) = (isAway, isBack)
        child = try Child(Program.path(of: "test-server"), ["-p", "0", "--grace", "0"]) { bytes in
            seen.change { $0 += String(decoding: bytes, as: UTF8.self) }
            if isAway.value { isBack.wait() }
        }
    }

    // It reads to the end, so that its thread ends too.
    deinit {
        isAway.change { $0 = false }
        isBack.signal()
    }

    func port() async throws -> Int {
        let output = try await seen.wait { $0.contains(#/http:[0-9.:\/]+\n/#) }
        return try #require(output.firstMatch(of: #/http:\/\/[0-9.]+:(\d+)/#).flatMap { Int($0.1) })
    }

    /// Reads no more, but what is being read.
    func turnAway() { isAway.change { $0 = true } }

    /// Has more lines written than any pipe holds.
    func fill(_ port: Int) async throws {
        let target = "/echo?_mobile_bridge=1&text=\(String(repeating: "x", count: 400))"
        try await blocking {
            let client = try RawClient(port)
            defer { client.close() }
            for _ in 0..<2000 {
                try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try client.reply()
            }
        }
    }
}

/// Requests that wait, that stream, and that follow each other without end.
private struct Traffic {
    private let clients: [RawClient]

    /// Returns when the streams stream and the busy clients have had an answer.
    init(port: Int) async throws {
        clients = try await blocking {
            let waiting = try (0..<20).map { _ in try Self.asking(port, "/wait") }
            let streaming = try (0..<10).map { _ in try Self.asking(port, "/ticks") }
            for client in streaming { _ = try client.head() }
            let busy = try (0..<4).map { _ in try Self.asking(port, "/echo") }
            for client in busy { _ = try client.reply() }
            for client in busy {
                Task {
                    try await blocking {
                        while true {
                            try client.send(Self.request("/echo"))
                            _ = try client.reply()
                        }
                    }
                }
            }
            return waiting + streaming
        }
    }

    func end() {
        for client in clients { client.close() }
    }

    private static func asking(_ port: Int, _ path: String) throws -> RawClient {
        let client = try RawClient(port)
        try client.send(request(path))
        return client
    }

    private static func request(_ path: String) -> String {
        "GET \(path)?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    }
}
