import Drawbridge
import DrawbridgeServer
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// What was decided about a head holds for the next requests that have it, and no longer than it is true.
@Suite(.timeLimit(.minutes(5)), .serialized) struct DecisionTests {
    /// Starts a gateway with one loop, and gives what asks it often enough for a head to be known, and decided about:
    /// all the different statuses and texts of its answers.
    private static func serving(
        _ gateway: Gateway, _ test: ((String) async throws -> Set<String>) async throws -> Void
    ) async throws {
        let server = try GatewayServer(gateway, .init(port: 0, loops: 1, logsRequests: false))
        let port = server.address.port
        do {
            try await test { request in
                try await blocking {
                    let replies = try (0..<4).map { _ in
                        let client = try RawClient(port)
                        try client.send(request)
                        return try client.reply()
                    }
                    return Set(replies.map { "\($0.status) \($0.text)" })
                }
            }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// A gateway whose requests come straight to their handlers, or through middleware that changes nothing.
    private static func gateway(_ isBehind: Bool) -> Gateway {
        Gateway(middleware: isBehind ? [Unchanging()] : [])
    }

    private static func get(_ target: String, _ fields: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
    }

    @Test(arguments: [false, true])
    func aHandlerRegisteredLaterAtAPathReplacesTheFirst(isBehind: Bool) async throws {
        let gateway = Self.gateway(isBehind)
        try gateway.register(at: "/who") { Text("first") }
        try await Self.serving(gateway) { ask in
            let request = Self.get("/who?_mobile_bridge=1")
            let first = try await ask(request)
            try gateway.register(at: "/who") { Text("second") }
            let second = try await ask(request)
            gateway.unregister("/who")
            let none = try await ask(request)
            #expect(first == ["200 first"])
            #expect(second == ["200 second"])
            #expect(none == [#"200 {"code":400,"message":"No response"}"#])
        }
    }

    @Test func theJournalNamesTheBridgeOfEachCallWithTheSameHead() async throws {
        let gateway = Gateway(keepsJournal: true)
        try gateway.register(at: "/who") { Text("me") }
        try await Self.serving(gateway) { ask in
            let (bridged, flagged) = (
                try await ask(Self.get("/__jsbridge__/who")),
                try await ask(Self.get("/who?_mobile_bridge=1"))
            )
            #expect(bridged == ["200 me"] && flagged == ["200 me"])
        }
        let bridges = gateway.journal.calls().map(\.bridge)
        #expect(bridges == Array(repeating: "__jsbridge__", count: 4) + Array(repeating: "flag", count: 4))
    }

    @Test(arguments: [false, true])
    func aHandlerMayDeclineARequestWhoseHeadIsKnown(isBehind: Bool) async throws {
        let gateway = Self.gateway(isBehind)
        Whimsical.takes.store(true, ordering: .sequentiallyConsistent)
        try gateway.register(at: "/who") { Whimsical() }
        try gateway.register(at: "/*") { Text("another") }
        try await Self.serving(gateway) { ask in
            let request = Self.get("/who?_mobile_bridge=1")
            let taken = try await ask(request)
            Whimsical.takes.store(false, ordering: .sequentiallyConsistent)
            let declined = try await ask(request)
            #expect(taken == ["200 mine"])
            #expect(declined == ["200 another"])
        }
    }

    @Test(arguments: [false, true])
    func aHandlerThatDeclinesIsAskedOnceForEachRequest(isBehind: Bool) async throws {
        let gateway = Self.gateway(isBehind)
        Declining.asked.store(0, ordering: .sequentiallyConsistent)
        Declining.takes.store(true, ordering: .sequentiallyConsistent)
        try gateway.register(at: "/who") { Declining() }
        try gateway.register(at: "/*") { Text("another") }
        try await Self.serving(gateway) { ask in
            let request = Self.get("/who?_mobile_bridge=1")
            let taken = try await ask(request)
            #expect(taken == ["200 mine"])
            #expect(Declining.asked.load(ordering: .sequentiallyConsistent) == 4)
            Declining.takes.store(false, ordering: .sequentiallyConsistent)
            let declined = try await ask(request)
            #expect(declined == ["200 another"])
            #expect(Declining.asked.load(ordering: .sequentiallyConsistent) == 8)
        }
    }

    @Test func middlewareMayChangeARequestWhoseHeadIsKnown() async throws {
        let gateway = Gateway(middleware: [Numbering()])
        try gateway.register(at: "/count") { request in Text(request.headers[.from] ?? "none") }
        try await Self.serving(gateway) { ask in
            let unchanged = try await ask(Self.get("/count?_mobile_bridge=1"))
            let changed = try await ask(Self.get("/count?_mobile_bridge=1"))
            #expect(unchanged == ["200 none"])
            #expect(changed == ["200 5", "200 6", "200 7", "200 8"])
        }
    }

    @Test(arguments: [false, true])
    func handlersForSomePagesAreFoundOnceTheyAreRegistered(isBehind: Bool) async throws {
        let gateway = Self.gateway(isBehind)
        try gateway.register(at: "/pay") { Text("everybody's") }
        let token = gateway.access.token.text
        let request = Self.get(
            "/pay?_mobile_bridge=1", "X-Drawbridge-Token: \(token)\r\nX-Drawbridge-Path: /checkout\r\n")
        try await Self.serving(gateway) { ask in
            let before = try await ask(request)
            try gateway.pages(matching: "/checkout") {
                try $0.register(at: "/pay") { Text("the checkout's") }
            }
            let after = try await ask(request)
            #expect(before == ["200 everybody's"])
            #expect(after == ["200 the checkout's"])
        }
    }

    @Test func aCustomRuleSeesEveryRequest() async throws {
        let gateway = Gateway(rules: [Counting()])
        try gateway.register(at: "/count") { request in Text(request.headers[.from] ?? "") }
        try await Self.serving(gateway) { ask in
            let numbers = try await ask(Self.get("/count"))
            #expect(numbers == ["200 1", "200 2", "200 3", "200 4"])
        }
    }

    @Test(arguments: [false, true])
    func aTooLongBodyIsRefusedThoughItsHeadIsKnown(isBehind: Bool) async throws {
        let gateway = Self.gateway(isBehind)
        try gateway.register(at: "/small") { Small() }
        let head =
            "POST /small?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await Self.serving(gateway) { ask in
            let small = try await ask("\(head)4\r\n1234\r\n0\r\n\r\n")
            let large = try await ask("\(head)5\r\n12345\r\n0\r\n\r\n")
            #expect(small == ["200 4"])
            #expect(large.count == 1 && large.first?.hasPrefix("413") == true)
        }
    }

    @Test(arguments: [false, true])
    func aForeignPageIsRefusedAfterAnOwnPageWasAccepted(isBehind: Bool) async throws {
        let gateway = Self.gateway(isBehind)
        try gateway.register(at: "/who") { Text("mine") }
        try await Self.serving(gateway) { ask in
            let own = try await ask(Self.get("/who?_mobile_bridge=1", "Sec-Fetch-Site: same-origin\r\n"))
            let foreign = try await ask(Self.get("/who?_mobile_bridge=1", "Sec-Fetch-Site: cross-site\r\n"))
            #expect(own == ["200 mine"])
            #expect(foreign.allSatisfy { $0.hasPrefix("403") })
        }
    }

    private struct Text: SynchronousHandler {
        let text: String

        init(_ text: String) { self.text = text }

        func handle(_ request: Request) -> Response { Response(text: text) }
    }

    private struct Whimsical: SynchronousHandler {
        static let takes = Atomic<Bool>(true)

        static func canInit(with request: Request) -> Bool { takes.load(ordering: .sequentiallyConsistent) }

        func handle(_ request: Request) -> Response { Response(text: "mine") }
    }

    private struct Declining: SynchronousHandler {
        static let takes = Atomic<Bool>(true)
        static let asked = Atomic<Int>(0)

        static func canInit(with request: Request) -> Bool {
            asked.add(1, ordering: .sequentiallyConsistent)
            return takes.load(ordering: .sequentiallyConsistent)
        }

        func handle(_ request: Request) -> Response { Response(text: "mine") }
    }

    private struct Unchanging: Middleware {
        func handle(
            _ request: Request, next: @Sendable (Request) async -> Response
        ) async throws -> Response {
            await next(request)
        }
    }

    /// Leaves the first four requests as they are, and numbers the others.
    private final class Numbering: Middleware {
        private let count = Atomic<Int>(0)

        func handle(
            _ request: Request, next: @Sendable (Request) async -> Response
        ) async throws -> Response {
            let number = count.add(1, ordering: .sequentiallyConsistent).newValue
            guard number > 4 else { return await next(request) }
            var request = request
            request.headers[.from] = "\(number)"
            return await next(request)
        }
    }

    private struct Small: Handler {
        static let options = HandlerOptions(body: .collected(upTo: 4))

        func handle(_ request: Request) async -> Response {
            Response(text: "\(request.body.bytes?.count ?? 0)")
        }
    }

    /// Takes every request, and numbers them.
    private final class Counting: InterceptionRule {
        private let count = Atomic<Int>(0)

        func canonicalRequest(for request: Request) -> Request? {
            var plain = request
            plain.headers[.from] = "\(count.add(1, ordering: .sequentiallyConsistent).newValue)"
            return plain
        }
    }
}
