import Drawbridge
import Testing

struct BookHandler: JSONHandler {
    struct Input: Decodable { var seat: Int }

    func handle(_ input: Input) async throws -> Nothing {
        if input.seat == 1 { throw HTTPError(.conflict, "seat 1 is taken; choose another", code: 1001) }
        return Nothing()
    }
}

struct Errno: Envelope {
    func success(_ output: JSON?, code: Int, message: String) -> JSON {
        ["errno": 0, "result": output ?? .null]
    }

    func failure(_ error: HTTPError) -> JSON {
        ["errno": .number(error.code), "errmsg": .string(error.message)]
    }
}

struct CreateHandler: Handler {
    func handle(_ request: Request) async throws -> Response {
        var response = try Response(output: ["id": 7])
        response.status = .created
        response.headers[.location] = "/order/7"
        return response
    }
}

struct VersionHandler: Handler {
    func handle(_ request: Request) async throws -> Response { Response(text: "1.4") }
}

@Suite struct RepliesManual {
    private func answer(_ gateway: Gateway, _ target: String) async throws -> (status: Int, text: String) {
        try gateway.register(BookHandler.self, at: "/book")
        try gateway.register(CreateHandler.self, at: "/create")
        try gateway.register(VersionHandler.self, at: "/version")
        let response = await gateway.respond(to: Request("\(target)_mobile_bridge=1"))
        return (response.status.code, String(decoding: try await response.body.collect(), as: UTF8.self))
    }

    @Test func anEnvelopeAlwaysHasStatus200() async throws {
        let gateway = Gateway()
        #expect(try await answer(gateway, "/book?seat=2&") == (200, #"{"code":200,"message":""}"#))
        #expect(
            try await answer(gateway, "/book?seat=1&")
                == (200, #"{"code":1001,"message":"seat 1 is taken; choose another"}"#))
        #expect(try await answer(gateway, "/create?") == (200, #"{"code":201,"data":{"id":7},"message":""}"#))
        #expect(try await answer(gateway, "/version?") == (200, "1.4"))
        #expect(try await answer(gateway, "/bok?") == (200, #"{"code":400,"message":"No response"}"#))
    }

    @Test func answersCanHaveTheirHTTPStatus() async throws {
        let gateway = Gateway(answers: .http, unhandled: .fail)

        #expect(try await answer(gateway, "/book?seat=1&").status == 409)
        #expect(try await answer(gateway, "/create?").status == 201)
        #expect(
            try await answer(gateway, "/bok?")
                == (
                    404,
                    #"{"code":404,"message":"no handler at /bok; the nearest registered path is /book"}"#
                ))
    }

    @Test func anAppCanHaveItsOwnEnvelope() async throws {
        let gateway = Gateway(answers: .envelope(Errno()))
        try gateway.register(BookHandler.self, at: "/book")
        func answer(_ seat: Int) async throws -> String {
            let response = await gateway.respond(to: Request("/book?_mobile_bridge=1&seat=\(seat)"))
            return String(decoding: try await response.body.collect(), as: UTF8.self)
        }
        #expect(try await answer(2) == #"{"errno":0,"result":null}"#)
        #expect(try await answer(1) == #"{"errno":1001,"errmsg":"seat 1 is taken; choose another"}"#)
    }
}
