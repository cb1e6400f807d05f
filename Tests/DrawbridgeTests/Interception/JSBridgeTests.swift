import HTTPTypes
import Testing

@testable import Drawbridge

@Suite("The __jsbridge__ request")
struct JSBridgeTests {
    private func answer(
        _ body: String, target: String = "/__jsbridge__", authority: String = "localhost",
        type: String? = nil,
        method: HTTPRequest.Method = .post
    ) async throws -> String {
        var headers = HTTPFields()
        headers[.contentType] = type
        let request = Request(method, target, authority: authority, headers: headers, body: .init(body))
        let gateway = Gateway.testing()
        gateway.answer(at: "/order/cancel") {
            Response(text: "cancelled \(try await $0.input(as: JSON.self))")
        }
        gateway.answer(at: "/a b/ü") { _ in Response(text: "odd") }
        gateway.answer(at: "/seen") { Response(text: "\($0.method) \($0.head.path ?? "")") }
        return try await gateway.respond(to: request).text()
    }

    @Test(arguments: [
        "text/plain;charset=UTF-8", "application/json", "application/x-www-form-urlencoded", "image/png", nil,
    ])
    func theActionInTheBodyNamesTheHandlerWhateverTheContentType(type: String?) async throws {
        let text = try await answer(#"{"action":"echo","data":{"user":"ann"}}"#, type: type)
        #expect(text == #"{"code":200,"data":{"user":"ann"},"message":""}"#)
    }

    @Test(arguments: [
        ("/__jsbridge__", "localhost"), ("/__jsbridge__/", "127.0.0.1:8080"), ("/", "__jsbridge__"),
        ("/", "__jsbridge__:80"), ("", "__jsbridge__"),
    ])
    func theBridgeIsReachedByItsPathOrItsHost(target: String, authority: String) async throws {
        let text = try await answer(#"{"action":"echo","data":1}"#, target: target, authority: authority)
        #expect(text == #"{"code":200,"data":1,"message":""}"#)
    }

    @Test(arguments: [
        #""text""#, #""12""#, #""{\"a\":1}""#, "12", "true", "[1,[2]]", #"{"a":null}"#, #""""#, "0",
    ])
    func dataMayBeAnyValue(data: String) async throws {
        let text = try await answer(#"{"action":"echo","data":\#(data)}"#)
        #expect(text == #"{"code":200,"data":\#(data),"message":""}"#)
    }

    @Test(arguments: [#"{"action":"echo"}"#, #"{"action":"echo","data":null}"#])
    func dataMayBeMissing(body: String) async throws {
        #expect(try await answer(body) == #"{"code":200,"message":""}"#)
    }

    @Test(arguments: ["order/cancel", "/order/cancel", "order/cancel/"])
    func anActionMayBeAPath(action: String) async throws {
        #expect(try await answer(#"{"action":"\#(action)","data":[7]}"#) == "cancelled [7]")
    }

    @Test func anActionIsNotPercentDecoded() async throws {
        #expect(try await answer(#"{"action":"a b/ü"}"#) == "odd")
        #expect(try await answer(#"{"action":"a%20b/ü"}"#) == #"{"code":400,"message":"No response"}"#)
        #expect(try await answer(#"{"action":"echo?x=1"}"#) == #"{"code":400,"message":"No response"}"#)
        #expect(try await answer(#"{"action":"../echo"}"#) == #"{"code":400,"message":"No response"}"#)
    }

    @Test func theBridgesPathAndActionAreRemovedBeforeTheHandler() async throws {
        let text = try await answer(#"{"action":"seen","data":1}"#, target: "/__jsbridge__?x=1&action=other")
        #expect(text == "POST /seen?x=1")
    }

    @Test(arguments: [
        ("/__jsbridge__?action=echo&data=%7B%22a%22%3A1%7D", #""data":{"a":1},"#),
        ("/__jsbridge__/?action=echo&data=plain", #""data":"plain","#),
        ("/__jsbridge__?action=echo&data=1+1%201%2B1", #""data":"1+1 1+1","#),
        ("/__jsbridge__?action=echo&data=%5B1%5D", #""data":[1],"#),
        ("/__jsbridge__?action=echo", ""),
        ("/__jsbridge__?x=1&data=a&action=echo", #""data":"a","#),
    ])
    func theCallMayBeInTheQuery(target: String, data: String) async throws {
        let text = try await answer("", target: target, method: .get)
        #expect(text == #"{"code":200,\#(data)"message":""}"#)
    }

    @Test(arguments: [
        "", "{}", "null", #"{"data":{}}"#, #"{"action":null}"#, #"{"action":""}"#, "data=1",
    ])
    func aCallWithoutAnActionSaysWhatToSend(body: String) async throws {
        #expect(
            try await answer(body)
                == #"{"code":400,"message":"the call names no action: send {\"action\":\"login\",\"data\":…}, "#
                + #"or post to /__jsbridge__/login"}"#)
    }

    @Test(arguments: [#"{"action":1}"#, #"{"action":["echo"]}"#, "[1]", #""echo""#, "1"])
    func anInvalidActionIsABadRequest(body: String) async throws {
        #expect(try await answer(body).hasPrefix(#"{"code":400,"message":""#))
    }

    @Test func anUnknownActionIsAnsweredWithCode400() async throws {
        #expect(try await answer(#"{"action":"missing"}"#) == #"{"code":400,"message":"No response"}"#)
    }

    @Test func otherQueryItemsAreInputWhereDataIsMissing() async throws {
        let target = "/__jsbridge__?action=echo&x=1&_mobile_bridge=1"
        #expect(
            try await answer("", target: target, method: .get)
                == #"{"code":200,"data":{"x":"1"},"message":""}"#)
    }

    @Test func withTheNameInThePathTheBodyIsTheInput() async throws {
        let text = try await answer(#"{"user":"ann"}"#, target: "/__jsbridge__/echo")
        #expect(text == #"{"code":200,"data":{"user":"ann"},"message":""}"#)
    }

    @Test func aHandlerMayAnswerWithoutTheEnvelope() async throws {
        #expect(try await answer(#"{"data":"x"}"#, target: "/__jsbridge__/seen") == "POST /seen")
    }

    @Test(arguments: [
        ("action=echo&user=ann&tag=a&tag=b", #"{"user":"ann","tag":["a","b"]}"#),
        (#"action=echo&data={"user":"ann"}"#, #"{"user":"ann"}"#), ("action=echo&data=plain", #""plain""#),
    ])
    func aFormMayNameTheActionToo(form: String, data: String) async throws {
        let gateway = Gateway.testing()
        let response = await gateway.respond(to: Request(.post, "/__jsbridge__", body: .init(form)))
        #expect(try await response.text() == #"{"code":200,"data":\#(data),"message":""}"#)
    }
}
