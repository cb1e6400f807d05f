import Drawbridge
import DrawbridgeServer
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// The task of a handler serves others after it, and nothing of one is seen by the next.
@Suite(.timeLimit(.minutes(5))) struct HandlerTaskTests {
    /// What handlers see of their tasks, and when those that wait may go on.
    private final class Stage: Sendable {
        let seen = Observed<[String]>([])
        let gate = Observed(false)

        func tell(_ word: String) { seen.change { $0.append(word) } }
    }

    /// Does to its task what the query says, then answers what it found there.
    private struct Player: Handler {
        @TaskLocal static var word = "none"

        actor Elsewhere {
            func answer() -> String { Player.word }
        }

        let request: Request
        let stage: Stage

        func handle(_ request: Request) async throws -> Response {
            let found = "\(Task.isCancelled) \(Self.word)"
            switch request.query["do"] {
            case "cancel": withUnsafeCurrentTask { $0?.cancel() }
            case "hop": return text(await Self.$word.withValue("kept") { await Elsewhere().answer() })
            case "leave":
                stage.tell("waits")
                // One that goes on whatever happens to it.
                await Task.detached { [stage] in _ = try? await stage.gate.wait { $0 } }.value
                stage.tell("goes on, cancelled: \(Task.isCancelled)")
            case "wait":
                stage.tell("waits")
                _ = try await stage.gate.wait { $0 }
            default: break
            }
            return text(found)
        }

        private func text(_ text: String) -> Response {
            Response(bytes: Array(text.utf8), contentType: "text/plain")
        }
    }

    /// The same with less time.
    private struct Late: Handler {
        let request: Request
        let stage: Stage

        static let options = HandlerOptions(deadline: .milliseconds(200))

        func handle(_ request: Request) async throws -> Response {
            try await Player(request: request, stage: stage).handle(request)
        }
    }

    /// Tells when its own task is not as new.
    private struct Looking: Middleware {
        let stage: Stage

        func handle(_ request: Request, next: Next) async throws -> Response {
            if Task.isCancelled || Player.word != "none" { stage.tell("middleware has another one's task") }
            return await next(request)
        }
    }

    /// Sets a value in its task, as tracing does.
    private struct Setting: Middleware {
        func handle(_ request: Request, next: Next) async throws -> Response {
            await Player.$word.withValue(request.query["set"] ?? "") { await next(request) }
        }
    }

    private let stage = Stage()

    /// Starts a gateway with one loop; what asks it may open several connections.
    ///
    /// - Parameter isWrapped: behind middleware, which has such a task too.
    private func serving(_ isWrapped: Bool, _ test: (Int) async throws -> Void) async throws {
        let gateway = Gateway(middleware: isWrapped ? [Looking(stage: stage)] : [])
        try gateway.register(at: "/task") { [stage] request in Player(request: request, stage: stage) }
        try gateway.register(at: "/late") { [stage] request in Late(request: request, stage: stage) }
        try await DrawbridgeServerTests.serving(
            gateway, .init(port: 0, loops: 1, logsRequests: false), test)
    }

    private static func send(_ word: String, to port: Int, _ path: String = "/task") throws -> RawClient {
        let client = try RawClient(port)
        try client.send("GET \(path)?_mobile_bridge=1&do=\(word) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return client
    }

    private static func ask(_ word: String, at port: Int, _ path: String = "/task") async throws -> String {
        try await blocking { try send(word, to: port, path).reply().text }
    }

    /// Nothing of earlier handlers is to be seen.
    private static func expectUsual(at port: Int) async throws {
        let seen = try await ask("", at: port)
        #expect(seen == "false none")
    }

    @Test(arguments: [false, true])
    func aCancelledTaskIsNotReusedForAnotherHandler(_ isWrapped: Bool) async throws {
        try await serving(isWrapped) { port in
            for word in ["", "cancel", "", "cancel", ""] {
                let seen = try await Self.ask(word, at: port)
                #expect(seen == "false none")
            }
        }
    }

    @Test(arguments: [false, true])
    func taskValuesEndWithTheHandlerThatSetThem(_ isWrapped: Bool) async throws {
        try await serving(isWrapped) { port in
            for (word, answer) in [("hop", "kept"), ("", "false none"), ("hop", "kept"), ("", "false none")] {
                let seen = try await Self.ask(word, at: port)
                #expect(seen == answer)
            }
        }
    }

    @Test func taskValuesOfMiddlewareReachItsOwnHandlerOnly() async throws {
        let gateway = Gateway(middleware: [Setting()])
        try gateway.register(at: "/task") { [stage] request in Player(request: request, stage: stage) }
        try await DrawbridgeServerTests.serving(
            gateway, .init(port: 0, loops: 1, logsRequests: false)
        ) { port in
            for word in ["one", "two", "three"] {
                let seen = try await Self.ask("&set=\(word)", at: port)
                #expect(seen == "false \(word)")
            }
        }
    }

    @Test(arguments: [false, true])
    func aHandlerWhoseCallerLeftIsCancelledAndTheNextIsNot(_ isWrapped: Bool) async throws {
        try await serving(isWrapped) { port in
            for round in 1...3 {
                let client = try await blocking { try Self.send("leave", to: port) }
                _ = try await stage.seen.wait { $0.count == 2 * round - 1 }
                client.close()
                // Others are served while it still runs, and after it ended.
                try await Self.expectUsual(at: port)
                stage.gate.change { $0 = true }
                let seen = try await stage.seen.wait { $0.count == 2 * round }
                #expect(seen.last == "goes on, cancelled: true")
                stage.gate.change { $0 = false }
                try await Self.expectUsual(at: port)
            }
        }
    }

    @Test(arguments: [false, true])
    func aHandlerThatIsTooLateIsCancelledAndTheNextIsNot(_ isWrapped: Bool) async throws {
        try await serving(isWrapped) { port in
            let late = try await Self.ask("leave", at: port, "/late")
            #expect(late.contains("did not answer within"))
            try await Self.expectUsual(at: port)
            stage.gate.change { $0 = true }
            let seen = try await stage.seen.wait { $0.count == 2 }
            #expect(seen.last == "goes on, cancelled: true")
            try await Self.expectUsual(at: port)
        }
    }

    @Test(arguments: [false, true])
    func allHandlersAnswerThoughFewerTasksAreKept(_ isWrapped: Bool) async throws {
        try await serving(isWrapped) { port in
            for round in 1...2 {
                let clients = try await blocking {
                    try (0..<200).map { _ in try Self.send("wait", to: port) }
                }
                _ = try await stage.seen.wait { $0.count == 200 * round }
                stage.gate.change { $0 = true }
                let answers = try await blocking { try Set(clients.map { try $0.reply().text }) }
                #expect(answers == ["false none"])
                stage.gate.change { $0 = false }
            }
        }
    }
}
