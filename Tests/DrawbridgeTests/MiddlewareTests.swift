import HTTPTypes
import TestSupport
import Testing

@testable import Drawbridge

@Suite("Middleware")
struct MiddlewareTests {
    /// Notes what it sees before and after.
    struct Noting: Middleware {
        let name: String
        let journal: Notebook

        func handle(_ request: Request, next: Next) async throws -> Response {
            journal.note("\(name) in")
            let response = await next(request)
            journal.note("\(name) out \(response.status.code)")
            return response
        }
    }

    /// Does what a closure says.
    struct Doing: Middleware {
        let action: @Sendable (Request, Next) async throws -> Response

        init(_ action: @escaping @Sendable (Request, Next) async throws -> Response) { self.action = action }

        func handle(_ request: Request, next: Next) async throws -> Response {
            try await action(request, next)
        }
    }

    @Test(arguments: [
        ("/echo?_mobile_bridge=1", 200), ("/page", 200), ("/missing", 404), ("/none?_mobile_bridge=1", 200),
        ("/fails?_mobile_bridge=1", 200), ("/__drawbridge__/health", 200), ("/__jsbridge__", 200),
    ])
    func middlewareWrapsEveryAnswerAndTheFirstIsOutermost(target: String, status: Int) async {
        let journal = Notebook()
        let gateway = Gateway.testing(
            passThrough: [Behind(declined: "/missing")],
            middleware: [Noting(name: "a", journal: journal), Noting(name: "b", journal: journal)])
        gateway.answer(at: "/fails") { _ in throw HTTPError(.conflict, "no") }
        _ = await gateway.respond(to: Request(target))
        #expect(journal.entries == ["a in", "b in", "b out \(status)", "a out \(status)"])
    }

    @Test func middlewareSeesRefusedCallersButNoForeignHosts() async {
        let journal = Notebook()
        let gateway = Gateway.testing(middleware: [Noting(name: "a", journal: journal)])
        let headers: HTTPFields = [.origin: "https://evil.example"]
        _ = await gateway.respond(to: Request("/echo?_mobile_bridge=1", headers: headers))
        #expect(journal.entries == ["a in", "a out 403"])
        _ = await gateway.respond(to: Request("/page", authority: "evil.example"))
        #expect(journal.entries.count == 2)
    }

    /// More of them than wrong tokens that are looked at in a second.
    @Test func aTokenThatMiddlewareReplacesDoesNotCountAsAGuess() async {
        let gateway = Gateway.testing(
            middleware: [
                Doing { request, next in
                    var request = request
                    request.headers[.pageToken] = (request.answerer as? Gateway)?.access.token.text
                    return await next(request)
                }
            ], access: AccessPolicy(requiresToken: true))
        for _ in 0..<50 {
            let headers: HTTPFields = [.pageToken: String(repeating: "0", count: 32)]
            let answer = await gateway.respond(to: Request("/echo?_mobile_bridge=1", headers: headers))
            #expect(answer.status == .ok)
        }
    }

    @Test func middlewareChangesRequestsAndAnswers() async throws {
        let middleware = Doing { request, next in
            var request = request
            request.path = "/echo"
            var response = await next(request)
            response.headers[.server] = "changed"
            return response
        }
        let gateway = Gateway.testing(middleware: [middleware])
        let response = await gateway.respond(to: Request("/other?_mobile_bridge=1&a=b"))
        #expect(try await response.json()["data"] == ["a": "b"])
        #expect(response.headers[.server] == "changed")
    }

    @Test func middlewareMayAnswerItself() async throws {
        let gateway = Gateway.testing(middleware: [Doing { _, _ in Response(.gone) }])
        #expect(await gateway.respond(to: Request("/echo?_mobile_bridge=1")).status == .gone)
    }

    @Test func anErrorThrownByMiddlewareSetsTheHTTPStatus() async throws {
        let journal = Notebook()
        let gateway = Gateway.testing(
            middleware: [
                Noting(name: "outer", journal: journal),
                Doing { _, _ in throw HTTPError(.tooManyRequests, "slow down", headers: [.retryAfter: "1"]) },
            ])
        let response = await gateway.respond(to: Request("/echo?_mobile_bridge=1"))
        #expect(response.status == .tooManyRequests)
        #expect(response.headers[.retryAfter] == "1")
        #expect(try await response.text() == #"{"code":429,"message":"slow down"}"#)
        #expect(journal.entries == ["outer in", "outer out 429"])
    }

    @Test func anUnknownErrorOfMiddlewareIsA500WithoutItsReason() async throws {
        struct Secret: Error {}
        let gateway = Gateway.testing(middleware: [Doing { _, _ in throw Secret() }])
        let response = await gateway.respond(to: Request("/page"))
        #expect(response.status == .internalServerError)
        #expect(try await !response.text().contains("Secret"))
    }

    @Test(.timeLimit(.minutes(5)))
    func middlewareChangesTheChunksOfAStreamOnTheirWay() async throws {
        let upper = Doing { request, next in
            var response = await next(request)
            response.body = response.body.map { $0.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 } }
            return response
        }
        let gateway = Gateway.testing(middleware: [upper])
        let released = Event()
        gateway.answer(at: "/stream") { _ in
            Response(contentType: "text/plain", length: 6) { client in
                try await client.didLoad("one")
                await released.wait()
                try await client.didLoad("two")
            }
        }
        let response = await gateway.respond(to: Request("/stream?_mobile_bridge=1"))
        #expect(response.body.length == nil)
        let journal = Notebook()
        let client = Client { chunk in
            journal.note(String(decoding: chunk, as: UTF8.self))
            // The second is made only after the first has arrived: nothing is held back.
            released.happen()
        }
        try await response.body.write(to: client)
        #expect(journal.entries == ["ONE", "TWO"])
        #expect(try await gateway.text(at: "/echo") == #"{"CODE":200,"MESSAGE":""}"#)
    }
}
