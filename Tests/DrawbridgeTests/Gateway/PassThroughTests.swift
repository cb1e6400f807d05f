import HTTPTypes
import Testing

@testable import Drawbridge

@Suite("Requests that are not for native")
struct PassThroughTests {
    @Test(arguments: [
        "/", "/a?b=c&d=%20+", "/a?_mobile_bridge=10", "/a?x_mobile_bridge=1", "/a?_mobile_bridge=0", "/echo",
        "/echo?", "//a//b/../c?x=/?&&", "/%2e%2E/%00?%zz",
    ])
    func requestsThatAreNotForNativePassThroughUnchanged(target: String) async throws {
        let gateway = Gateway.testing(passThrough: [Behind()])
        for method in [HTTPRequest.Method.get, .post, .options, .head] {
            let response = await gateway.respond(to: Request(method, target))
            #expect(try await response.text() == "behind: \(method) \(target)")
        }
    }

    @Test func headersAndBodyPassThroughToo() async throws {
        struct Mirror: Responder {
            func respond(to request: Request) async throws -> Response? {
                Response(.accepted, headers: request.headers, body: .bytes(request.body.bytes ?? []))
            }
        }
        let headers: HTTPFields = [.contentType: "x/y", .cookie: "a=b", .secFetchSite: "cross-site"]
        let request = Request(.post, "/a", headers: headers, body: .init([0, 255]))
        let response = await Gateway.testing(passThrough: [Mirror()]).respond(to: request)
        #expect(response.status == .accepted)
        var rest = response.headers
        rest[.requestID] = nil
        #expect(rest == headers)
        #expect(try await response.body.collect() == [0, 255])
    }

    @Test func respondersAreAskedInOrder() async throws {
        struct Other: Responder {
            func respond(to request: Request) async throws -> Response? { Response(text: "other") }
        }
        let gateway = Gateway.testing(passThrough: [Behind(declined: "/a"), Other()])
        #expect(try await gateway.respond(to: Request("/a")).text() == "other")
        #expect(try await gateway.respond(to: Request("/b")).text() == "behind: GET /b")
    }

    @Test func withoutAnUpstreamARequestIsA404ThatSaysWhy() async throws {
        for gateway in [Gateway.testing(), Gateway.testing(passThrough: [Behind(declined: "/a")])] {
            let response = await gateway.respond(to: Request("/a?b"))
            #expect(response.status == .notFound)
            let message =
                "nothing at /a: no file and no upstream answers this path"
            #expect(try await response.json() == ["code": 404, "message": .string(message)])
        }
    }

    @Test func anErrorThrownByAResponderKeepsItsStatus() async throws {
        struct Down: Responder {
            func respond(to request: Request) async throws -> Response? {
                throw HTTPError(.badGateway, "the page's server is down")
            }
        }
        let response = await Gateway.testing(passThrough: [Down()]).respond(to: Request("/a"))
        #expect(response.status == .badGateway)
        #expect(try await response.json()["message"] == "the page's server is down")
    }

    @Test func aHandlerChangesItsRequestAndSendsItOn() async throws {
        let gateway = Gateway.testing(passThrough: [Behind()])
        gateway.answer(at: "/old") { request in
            var request = request
            request.path = "/new"
            request.method = .put
            return try await request.passThrough()
        }
        let response = await gateway.respond(to: Request("/old?_mobile_bridge=1&a=%31"))
        #expect(try await response.text() == "behind: PUT /new?a=%31")
    }

    @Test func aRequestThatIsSentOnIsNotInterceptedAgain() async throws {
        let gateway = Gateway.testing(passThrough: [Behind()])
        gateway.answer(at: "/loop") { request in
            var request = request
            request.query["_mobile_bridge"] = "1"
            return try await request.passThrough()
        }
        #expect(try await gateway.text(at: "/loop") == "behind: GET /loop?_mobile_bridge=1")
    }

    @Test func passingOnWithoutAnUpstreamIsAnErrorOfTheHandler() async throws {
        let gateway = Gateway.testing()
        gateway.answer(at: "/on") { try await $0.passThrough() }
        #expect(try await gateway.respond(to: Request("/on?_mobile_bridge=1")).json()["code"] == 404)
        await #expect(throws: HTTPError.self) { try await Request("/a").passThrough() }
    }

    @Test func the404OfAHandlersPathNamesTheMissingFlag() async throws {
        let gateway = Gateway.testing()
        let response = await gateway.respond(to: Request("/echo?message=Hello"))
        #expect(response.status == .notFound)
        #expect(try await response.text().contains("add _mobile_bridge=1 to the query"))
    }
}
