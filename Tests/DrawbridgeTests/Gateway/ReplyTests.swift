import HTTPTypes
import Testing

@testable import Drawbridge

@Suite("Answers that the page gets")
struct ReplyTests {
    private func response(
        of gateway: Gateway = .testing(), _ answer: @escaping @Sendable (Request) async throws -> Response
    ) async -> Response {
        gateway.answer(at: "/x") { try await answer($0) }
        return await gateway.respond(to: Request("/x?_mobile_bridge=1"))
    }

    @Test func anOutputIsInTheEnvelope() async throws {
        struct Output: Encodable { var result = "ok" }
        let response = await response { _ in try Response(output: Output()) }
        #expect(response.status == .ok)
        #expect(try await response.text() == #"{"code":200,"data":{"result":"ok"},"message":""}"#)
        #expect(response.headers[.contentType] == "text/json")
        #expect(response.headers[.cacheControl] == "no-store")
        #expect(response.headers[.xContentTypeOptions] == "nosniff")
        #expect(response.headers[.crossOriginResourcePolicy] == "same-origin")
        #expect(response.body.length == (try await response.body.collect().count))
    }

    @Test(
        arguments: [
            (JSON.null, nil), ([:], "{}"), ([], "[]"), ("", #""""#), ("null", #""null""#), (0, "0"),
            (false, "false"),
            ([.null], "[null]"),
        ] as [(JSON, String?)])
    func everyOutputButNullIsTheEnvelopesData(output: JSON, data: String?) async throws {
        let text = try await response { _ in try Response(output: output) }.text()
        #expect(text == #"{"code":200,\#(data.map { #""data":\#($0),"# } ?? "")"message":""}"#)
    }

    @Test func withoutOutputTheEnvelopeHasNoData() async throws {
        let expected = #"{"code":200,"message":""}"#
        #expect(try await response { _ in try Response(output: nil as String?) }.text() == expected)
        #expect(try await response { _ in try Response(output: Nothing()) }.text() == expected)
    }

    @Test func theStatusOfAnOutputIsTheEnvelopesCode() async throws {
        let create: @Sendable (Request) async throws -> Response = { _ in
            var response = try Response(output: ["id": 1])
            response.status = .created
            return response
        }
        let envelope = await response(create)
        #expect(envelope.status == .ok)
        #expect(try await envelope.text() == #"{"code":201,"data":{"id":1},"message":""}"#)
        let http = await response(of: .testing(answers: .http), create)
        #expect(http.status == .created)
        #expect(try await http.text() == #"{"code":201,"data":{"id":1},"message":""}"#)
    }

    @Test func theEnvelopeIsTheSameIfAnswersHaveTheirHTTPStatus() async throws {
        let gateway = Gateway.testing(answers: .http)
        let found = await response(of: gateway) { _ in try Response(output: ["a": 1]) }
        #expect(found.status == .ok)
        #expect(found.headers[.contentType] == "application/json")
        #expect(try await found.text() == #"{"code":200,"data":{"a":1},"message":""}"#)

        let failed = await response(of: gateway) { _ in throw HTTPError(.conflict, "taken", code: 4001) }
        #expect(failed.status == .conflict)
        #expect(failed.headers[.contentType] == "application/json")
        #expect(try await failed.text() == #"{"code":4001,"message":"taken"}"#)

        let missing = await gateway.respond(to: Request("/missing?_mobile_bridge=1"))
        #expect(missing.status == .badRequest)
        #expect(try await missing.text() == #"{"code":400,"message":"No response"}"#)
    }

    @Test func aThrownErrorHasItsOwnCodeMessageAndHeaders() async throws {
        let response = await response { _ in
            throw HTTPError(.forbidden, "pay \"first\"\n", code: -7, headers: [.retryAfter: "5"])
        }
        #expect(response.status == .ok)
        #expect(try await response.text() == #"{"code":-7,"message":"pay \"first\"\n"}"#)
        #expect(response.headers[.retryAfter] == "5")
        #expect(response.headers[.contentType] == "text/json")
        #expect(response.headers[.cacheControl] == "no-store")
    }

    @Test func theReasonOfAnUnknownErrorIsInTheLogOnly() async throws {
        struct Secret: Error { var password = "hunter2" }
        let book = LogBook()
        let response = await response(of: .testing(logger: book.logger)) { _ in throw Secret() }
        let text = try await response.text()
        #expect(try await response.json()["code"] == 500)
        #expect(!text.contains("hunter2") && !text.contains("Secret"))
        #expect(text.contains(try #require(response.headers[.requestID])))
        #expect(book.entries.contains { $0.hasPrefix("error: ") && $0.contains("hunter2") })
    }

    @Test func anOutputThatIsNotJSONIsAnErrorOfTheHandler() async throws {
        let response = await response { _ in try Response(output: Double.nan) }
        #expect(try await response.json()["code"] == 500)
    }

    @Test func textGoesOutExactlyAsItIs() async throws {
        let text = "{\"not\": wrapped}\r\n\u{0}é\u{2028}"
        let response = await response { _ in Response(text: text) }
        #expect(try await response.body.collect() == Array(text.utf8))
        #expect(response.headers[.contentType] == "text/plain; charset=utf-8")
        #expect(response.headers[.xContentTypeOptions] == "nosniff")
        let empty = await self.response { _ in Response(text: "") }
        #expect(try await empty.body.collect().isEmpty)
    }

    @Test func bytesKeepTheirStatusHeadersAndCaching() async throws {
        let response = await response { _ in
            var response = Response(bytes: [0, 255], contentType: "image/x")
            response.status = .accepted
            response.headers[.cacheControl] = "max-age=60"
            return response
        }
        #expect(response.status == .accepted)
        #expect(response.headers[.contentType] == "image/x")
        #expect(response.headers[.cacheControl] == "max-age=60")
        #expect(try await response.body.collect() == [0, 255])
    }

    @Test(arguments: ["a\r\nSet-Cookie: b", "a\nb", "a\0b", "a\rb"])
    func aHeaderCannotSmuggleALine(value: String) async {
        let response = await response { _ in
            Response(headers: [.location: value, .setCookie: value])
        }
        for field in response.headers {
            #expect(!field.value.utf8.contains { $0 < 0x20 || $0 == 0x7F })
        }
    }

    @Test func aHeaderWithAControlCharacterIsAnError() async throws {
        let response = await response { _ in
            var response = Response(text: "x")
            response.headers.append(HTTPField(name: .location, lenientValue: [0x61, 0x01]))
            return response
        }
        #expect(try await response.json()["code"] == 500)
        #expect(response.headers[.location] == nil)
    }

    // MARK: - No handler

    @Test func theAnswerForAMissingHandlerHintsAtTheNearestPath() async throws {
        let book = LogBook()
        let gateway = Gateway.testing(passThrough: [Behind()], logger: book.logger)
        let response = await gateway.respond(to: Request("/ehco?_mobile_bridge=1"))
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "text/json")
        #expect(try await response.text() == #"{"code":400,"message":"No response"}"#)
        let hint = "no handler at /ehco; the nearest registered path is /echo"
        #expect(response.headers[.hint] == hint)
        #expect(
            book.entries == ["warning: \(hint); add a handler: gateway.register(…, at: \"/ehco\")"])
    }

    /// What a parameter matches is not compared.
    @Test(arguments: [
        ("/transfers/ann", "/transfer/:account"), ("/transfer/ann/x", nil), ("/user/a-very-long-name", nil),
        ("/usr/ann/mail", "/user/:id/mail"),
    ])
    func theNearestPathMayHaveParameters(path: String, nearest: String?) async throws {
        let gateway = Gateway.testing()
        for path in ["/transfer/:account", "/user/:id/mail", "/:any"] {
            gateway.answer(at: path) { _ in Response() }
        }
        let hint = await gateway.respond(to: Request("\(path)?_mobile_bridge=1")).headers[.hint] ?? ""
        #expect(hint.contains("nearest") == (nearest != nil), "\(hint)")
        #expect(hint.hasSuffix(nearest ?? ""), "\(hint)")
    }

    @Test func theHintIsAlwaysAValidHeader() async throws {
        let gateway = Gateway.testing()
        try gateway.register(Echo.self, at: "/café/:id")
        let response = await gateway.respond(to: Request("/caf%C3%A8/%0Aid?_mobile_bridge=1"))
        #expect(
            response.headers[.hint]
                == "no handler at /caf%C3%A8/%0Aid; the nearest registered path is /caf%C3%A9/:id")
        let far = await gateway.respond(to: Request("/something/else?_mobile_bridge=1"))
        #expect(far.headers[.hint] == "no handler at /something/else")
        let long = await gateway.respond(
            to: Request("/\(String(repeating: "!", count: 10_000))?_mobile_bridge=1"))
        #expect(long.headers[.hint]?.hasSuffix("...") == true)
        #expect((long.headers[.hint] ?? "").utf8.count < 300)
    }

    @Test func unhandledRequestsCanPassThroughAsTheyWereSent() async throws {
        let gateway = Gateway.testing(passThrough: [Behind(declined: "/no")], unhandled: .passThrough)
        let response = await gateway.respond(to: Request("/x?_mobile_bridge=1&a=%31"))
        #expect(try await response.text() == "behind: GET /x?_mobile_bridge=1&a=%31")
        let bridge = await gateway.respond(to: Request(.post, "/__jsbridge__/x?a=+"))
        #expect(try await bridge.text() == "behind: POST /__jsbridge__/x?a=+")
        #expect(await gateway.respond(to: Request("/no?_mobile_bridge=1")).status == .notFound)
    }

    @Test func unhandledRequestsCanFailWithA404() async throws {
        let gateway = Gateway.testing(passThrough: [Behind()], unhandled: .fail)
        let response = await gateway.respond(to: Request("/ehco?_mobile_bridge=1"))
        #expect(response.status == .notFound)
        let message = "no handler at /ehco; the nearest registered path is /echo"
        #expect(try await response.json() == ["code": 404, "message": .string(message)])
        #expect(response.headers[.hint] == message)
    }
}
