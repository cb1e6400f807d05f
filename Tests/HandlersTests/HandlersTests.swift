import Drawbridge
import DrawbridgeHandlers
import HTTPTypes
import Testing

/// The handlers as the command registers them, asked in process.
private func gateway(answers: [String] = []) throws -> Gateway {
    let presenter = try ScriptedPresenter(answers)
    let gateway = Gateway()
    gateway.register(EchoHandler.self, at: "/echo")
    gateway.register(at: "/login") { LoginHandler(presenter: presenter) }
    gateway.register(at: "/alert") { AlertHandler(presenter: presenter) }
    return gateway
}

private func reply(
    _ gateway: Gateway, _ method: HTTPRequest.Method = .get, _ target: String, _ body: String = ""
) async throws -> JSON {
    let response = await gateway.respond(to: Request(method, target, body: .init(body)))
    return try JSON(parsing: try await response.body.collect())
}

@Suite struct EchoHandlerTests {
    @Test(arguments: [
        #"{"message":"Hello"}"#, #"[1,2.50,12345678901234567890123]"#, #"{"nested":{"é":"\u0000\u2028😀"}}"#,
    ])
    func givesBackWhatCame(_ body: String) async throws {
        let reply = try await reply(gateway(), .post, "/__jsbridge__/echo", body)
        #expect(reply["code"] == 200)
        #expect(reply["data"] == (try JSON(parsing: Array(body.utf8))))
    }

    @Test func readsTheQuery() async throws {
        let reply = try await reply(gateway(), .get, "/echo?_mobile_bridge=1&message=Hello+there")
        #expect(reply == ["code": 200, "data": ["message": "Hello there"], "message": ""])
    }
}

@Suite struct LoginHandlerTests {
    @Test func issuesAFreshTokenEachTime() async throws {
        let call = #"{"action":"login","data":{"user":"ann"}}"#
        let first = try await reply(gateway(), .post, "/__jsbridge__", call)
        let second = try await reply(gateway(), .post, "/__jsbridge__", call)
        #expect(first["data"]?["user"] == "ann")
        #expect(first["data"]?["token"]?.stringValue?.count == 32)
        #expect(first["data"]?["token"] != second["data"]?["token"])
    }

    @Test func asksThePersonWhereThePageNamesNobody() async throws {
        let asked = try await reply(
            gateway(answers: [#"login={"user":"bob"}"#]), .post, "/__jsbridge__/login")
        #expect(asked["data"]?["user"] == "bob")
    }

    @Test func refusesWhereNobodyIsNamed() async throws {
        #expect(try await reply(gateway(), .post, "/__jsbridge__/login")["code"] == 401)
        #expect(try await reply(gateway(), .post, "/__jsbridge__/login", #"{"user":""}"#)["code"] == 401)
    }

    @Test func namesTheFieldThatDoesNotFit() async throws {
        let reply = try await reply(gateway(), .post, "/__jsbridge__/login", #"{"user":5}"#)
        #expect(reply["code"] == 400)
        #expect(reply["message"]?.stringValue?.contains("user: expected a string") == true)
    }
}

@Suite struct AlertHandlerTests {
    @Test(arguments: [("alert=ok", "ok"), ("alert=cancel", "cancel"), ("login=ok", "cancel")])
    func answersWithWhatWasTapped(_ answer: String, _ result: JSON) async throws {
        let reply = try await reply(gateway(answers: [answer]), .get, "/alert?_mobile_bridge=1&message=Sure")
        #expect(reply == ["code": 200, "data": ["result": result], "message": ""])
    }
}

@Suite struct ScriptedPresenterTests {
    @Test func takesJSONOrPlainText() async throws {
        let presenter = try ScriptedPresenter([#"login={"user":"ann"}"#, "alert=ok", "count=3", "empty="])
        #expect(try await presenter.present(Question("login")) == ["user": "ann"])
        #expect(try await presenter.present(Question("alert")) == "ok")
        #expect(try await presenter.present(Question("count")) == 3)
        #expect(try await presenter.present(Question("empty")) == "")
        #expect(try await presenter.present(Question("unknown")) == nil)
    }

    @Test(arguments: ["ok", "=ok", ""])
    func saysHowAnAnswerIsWritten(_ text: String) {
        #expect(throws: InvalidAnswer.self) { try ScriptedPresenter([text]) }
    }
}
