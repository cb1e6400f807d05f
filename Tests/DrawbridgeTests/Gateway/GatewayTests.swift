import Glibc
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge

@Suite("Registering handlers")
struct GatewayTests {
    @Test func aHandlerAnswersAtItsPathFromEitherBridge() async throws {
        let gateway = Gateway.testing()
        let requests = [
            Request("/echo?_mobile_bridge=1&user=ann"),
            Request(.post, "/__jsbridge__/echo", body: .init(#"{"user":"ann"}"#)),
            Request(.post, "/__jsbridge__", body: .init(#"{"action":"echo","data":{"user":"ann"}}"#)),
            Request(.post, "/echo", authority: "__jsbridge__", body: .init("user=ann")),
        ]
        for request in requests {
            let text = try await gateway.respond(to: request).text()
            #expect(text == #"{"code":200,"data":{"user":"ann"},"message":""}"#)
        }
    }

    @Test func registeringAPathAgainReplacesItsHandlerAndIsLogged() async throws {
        let book = LogBook()
        let gateway = Gateway.testing(logger: book.logger)
        #expect(book.entries.isEmpty)
        try gateway.register(at: "/echo/") { Named(name: "new") }
        #expect(try await gateway.text(at: "/echo") == "new")
        #expect(book.entries == ["notice: /echo: Named replaces Echo"])
        #expect(gateway.registered == ["/echo": ["Named"]])
    }

    @Test func unregisteringRemovesAHandlerOnce() async throws {
        let gateway = Gateway.testing()
        #expect(gateway.unregister("/echo"))
        #expect(!gateway.unregister("/echo"))
        #expect(!gateway.unregister("/never"))
        #expect(try await gateway.text(at: "/echo") == #"{"code":400,"message":"No response"}"#)
    }

    @Test func registeredListsThePathsWithTheirHandlers() throws {
        let gateway = Gateway.testing()
        try gateway.register(Echo.self, at: "/b/:x")
        try gateway.register(Echo.self, at: "/a/*")
        #expect(gateway.registered == ["/a/*": ["Echo"], "/b/:x": ["Echo"], "/echo": ["Echo"]])
    }

    @Test func everyRequestGetsAFreshInstance() async throws {
        final class Counting: Handler {
            static let made = Atomic<Int>(0)
            private let calls = Atomic<Int>(0)

            init() { Self.made.add(1, ordering: .relaxed) }

            func handle(_ request: Request) async throws -> Response {
                Response(text: "\(calls.add(1, ordering: .relaxed).newValue)")
            }
        }
        let gateway = Gateway.testing()
        try gateway.register(Counting.self, at: "/count")
        // One shows that it can be made.
        #expect(Counting.made.load(ordering: .relaxed) == 1)
        for _ in 1...3 { #expect(try await gateway.text(at: "/count") == "1") }
        #expect(Counting.made.load(ordering: .relaxed) == 4)
    }

    @Test(.timeLimit(.minutes(5)))
    func aRequestUnderWayKeepsItsHandler() async throws {
        let gateway = Gateway.testing()
        let (started, released) = (Event(), Event())
        gateway.answer(at: "/slow") { _ in
            started.happen()
            await released.wait()
            return Response(text: "old")
        }
        async let text = gateway.text(at: "/slow")
        await started.wait()
        try gateway.register(at: "/slow") { Named(name: "new") }
        #expect(try await gateway.text(at: "/slow") == "new")
        gateway.unregister("/slow")
        released.happen()
        #expect(try await text == "old")
    }

    @Test(.timeLimit(.minutes(5)))
    func registeringWhileThousandsOfRequestsRunLosesNone() async throws {
        let rounds = getenv("DRAWBRIDGE_ALL") == nil ? 60 : 250
        let gateway = Gateway.testing()
        let known: Set = ["a", "b", #"{"code":400,"message":"No response"}"#]
        let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for round in 0..<rounds {
                        switch (number + round) % 4 {
                        case 0: try gateway.register(at: "/x/\(number % 2)") { Named(name: "a") }
                        case 1: try gateway.register(at: "/x/:id") { Named(name: "b") }
                        case 2: gateway.unregister("/x/\(number % 2)")
                        default: gateway.unregister("/x/:id")
                        }
                        await Task.yield()
                    }
                    return 0
                }
                group.addTask {
                    var wrong = 0
                    for _ in 0..<rounds * 4 {
                        let text = try? await gateway.text(at: "/x/\(number % 2)")
                        if !known.contains(text ?? "") { wrong += 1 }
                    }
                    return wrong
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    @Test(.timeLimit(.minutes(5)))
    func manyRequestsAtOnceGetTheirOwnAnswers() async {
        let gateway = Gateway.testing()
        let right = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let response = await gateway.respond(to: Request("/echo?_mobile_bridge=1&n=\(number)"))
                    return (try? await response.json()["data"]) == ["n": .string("\(number)")]
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(right == 1_000)
    }

    @Test func aCallersOwnRequestIDIsKeptIfItIsHarmless() async throws {
        let gateway = Gateway.testing()
        func id(_ sent: String?) async -> String? {
            var headers = HTTPFields()
            headers[.requestID] = sent
            let request = Request("/echo?_mobile_bridge=1", headers: headers)
            return await gateway.respond(to: request).headers[.requestID]
        }
        #expect(await id("abc-1.2:3_4") == "abc-1.2:3_4")
        for bad in [nil, "", "a b", "é", "a\"", String(repeating: "a", count: 129)] {
            let made = try #require(await id(bad))
            #expect(made != bad)
            #expect(!made.isEmpty)
        }
        #expect(await id(nil) != id(nil))
    }
}
