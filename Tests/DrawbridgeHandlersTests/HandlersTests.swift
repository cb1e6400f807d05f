import Drawbridge
import DrawbridgeHandlers
import DrawbridgeTesting
import HTTPTypes
import Synchronization
import Testing

/// A gateway with one handler, asked in process.
struct App {
    let gateway: Gateway

    init<H: Handler>(_ type: H.Type, answers: [String: JSON] = [:]) throws {
        try self.init(type, presenter: ScriptedPresenter(answers))
    }

    init<H: Handler>(_ type: H.Type, presenter: any Presenter) throws {
        gateway = Gateway(presenter: presenter)
        try gateway.register(type, at: "/handler")
    }

    init<H: Handler>(answers: [String: JSON] = [:], _ make: @escaping @Sendable (Request) throws -> H) throws
    {
        gateway = Gateway(presenter: ScriptedPresenter(answers))
        try gateway.register(at: "/handler", make)
    }

    /// Sends a body to the handler, and gives the envelope.
    func call(_ body: String = "") async throws -> JSON {
        try await gateway.respond(to: Request(.post, "/__jsbridge__/handler", body: .init(body))).json()
    }
}

@Suite struct EchoHandlerTests {
    @Test(arguments: [
        #"{"message":"Hello"}"#, #"[1,2.50,12345678901234567890123]"#, #"{"nested":{"é":"\u0000\u2028😀"}}"#,
    ])
    func echoGivesBackItsInput(_ body: String) async throws {
        let reply = try await App(EchoHandler.self).call(body)
        #expect(reply["code"] == 200)
        #expect(reply["data"] == (try JSON(parsing: Array(body.utf8))))
    }

    @Test func echoReadsTheQuery() async throws {
        let request = Request("/handler?_mobile_bridge=1&message=Hello+there")
        let response = try await App(EchoHandler.self).gateway.respond(to: request)
        let reply = try JSON(parsing: try await response.body.collect())
        #expect(reply == ["code": 200, "data": ["message": "Hello there"], "message": ""])
    }
}

@Suite struct LoginHandlerTests {
    @Test func loginIssuesAFreshTokenEachTime() async throws {
        let app = try App(LoginHandler.self)
        let first = try await app.call(#"{"user":"ann"}"#)
        let second = try await app.call(#"{"user":"ann"}"#)
        #expect(first["data"]?["user"] == "ann")
        #expect(first["data"]?["token"]?.stringValue?.count == 32)
        #expect(first["data"]?["token"] != second["data"]?["token"])
    }

    @Test(arguments: [["user": "bob"], "bob"] as [JSON])
    func loginAsksThePersonIfThePageSendsNoUser(_ answer: JSON) async throws {
        let asked = try await App(LoginHandler.self, answers: ["login": answer]).call()
        #expect(asked["data"]?["user"] == "bob")
    }

    @Test func loginIsRefusedIfNoUserIsGiven() async throws {
        #expect(try await App(LoginHandler.self).call()["code"] == 401)
        #expect(try await App(LoginHandler.self).call(#"{"user":""}"#)["code"] == 401)
    }

    @Test func loginNamesTheFieldOfAWrongType() async throws {
        let reply = try await App(LoginHandler.self).call(#"{"user":5}"#)
        #expect(reply["code"] == 400)
        #expect(reply["message"]?.stringValue?.contains("user: expected a string") == true)
    }
}

/// Those that ask a person: what the page sends, what the person says, what the page gets.
@Suite struct AskingHandlersTests {
    @Test(arguments: [("ok", "ok"), ("cancel", "cancel"), (nil, "cancel")] as [(JSON?, JSON)])
    func alertReturnsTheButtonThatWasTapped(_ answer: JSON?, _ result: JSON) async throws {
        let app = try App(AlertHandler.self, answers: answer.map { ["alert": $0] } ?? [:])
        #expect(
            try await app.call(#"{"message":"Sure?"}"#)
                == ["code": 200, "data": ["result": result], "message": ""])
        #expect(try await app.call()["data"] == ["result": result])
    }

    @Test(arguments: [("done", 1), ("fail", 0), ("cancel", 2), (nil, 2)] as [(JSON?, JSON)])
    func shareAnswersWithAStatusCode(_ answer: JSON?, _ status: JSON) async throws {
        let app = try App(ShareHandler.self, answers: answer.map { ["share": $0] } ?? [:])
        let body = #"{"title":"t","content":"c","url":"u","image":{"nested":[1]}}"#
        #expect(try await app.call(body)["data"] == ["statusCode": status])
        #expect(try await app.call()["data"] == ["statusCode": status])
    }

    @Test(arguments: [#"{"type":"book","price":"12.50"}"#, #"{"type":"book","price":12.50}"#])
    func payShowsTheItemAndThePrice(_ body: String) async throws {
        let presenter = RecordingPresenter(["pay": "ok", "makeACall": "ok"])
        #expect(try await App(PayHandler.self, presenter: presenter).call(body)["data"] == ["result": "ok"])
        #expect(
            presenter.asked == [
                Question(
                    "pay", title: "Pay", message: "12.50 for book", choices: ["ok", "cancel"], overPage: true)
            ])
        #expect(try await App(PayHandler.self).call(body)["data"] == ["result": "cancel"])
        #expect(try await App(PayHandler.self).call(#"{"type":"book"}"#)["code"] == 400)
    }

    @Test(arguments: [#"{"number":"10086"}"#, #"{"number":10086}"#])
    func makeACallShowsTheNumber(_ body: String) async throws {
        let presenter = RecordingPresenter(["makeACall": "ok"])
        #expect(
            try await App(MakeACallHandler.self, presenter: presenter).call(body)["data"] == ["result": "ok"])
        #expect(presenter.asked.map(\.message) == ["10086"])
        #expect(try await App(MakeACallHandler.self).call(body)["data"] == ["result": "cancel"])
        #expect(try await App(MakeACallHandler.self).call()["code"] == 400)
    }

    @Test(arguments: [
        "{}", "[]", "true", "null", #""\#(String(repeating: "1", count: 41))""#,
        #""1\#(String(repeating: "\u{301}", count: 40))""#,
    ])
    func unreadablePricesAndNumbersAreRefused(_ value: String) async throws {
        let presenter = RecordingPresenter(["pay": "ok", "makeACall": "ok"])
        let pay = try App(PayHandler.self, presenter: presenter)
        #expect(try await pay.call(#"{"type":"book","price":\#(value)}"#)["code"] == 400)
        let call = try App(MakeACallHandler.self, presenter: presenter)
        #expect(try await call.call(#"{"number":\#(value)}"#)["code"] == 400)
        #expect(presenter.asked.isEmpty)
    }

    @Test func aToastIsShownWithoutAnAnswer() async throws {
        let presenter = RecordingPresenter()
        #expect(
            try await App(ToastHandler.self, presenter: presenter).call(#"{"message":"Saved"}"#)
                == ["code": 200, "message": ""])
        #expect(presenter.asked == [Question("toast", message: "Saved", overPage: true)])
        #expect(presenter.asked.first?.kind == .notice)
    }
}

@Suite struct OpenURLHandlerTests {
    @Test(arguments: ["https://example.com/a?b=c", "HTTP://EXAMPLE.COM", "mailto:a@b.example", "tel:10086"])
    func openURLOpensWhatThePersonAllows(_ url: String) async throws {
        let opened = Opened()
        #expect(try await opened.app(answer: "ok").call(#"{"url":"\#(url)"}"#)["data"] == ["result": "ok"])
        #expect(opened.urls == [url])
    }

    @Test func openURLOpensNothingWithoutConsent() async throws {
        let opened = Opened()
        let reply = try await opened.app(answer: nil).call(#"{"url":"https://example.com"}"#)
        #expect(reply["data"] == ["result": "cancel"])
        #expect(opened.urls.isEmpty)
    }

    @Test(arguments: [
        "file:///etc/passwd", "javascript:alert(1)", "--help", "", "https:", "vscode://x", "https://a b",
        "/etc/passwd", "smb://host/share", "https://a\\nb",
    ])
    func openURLRefusesWhatAPageMayNotOpen(_ url: String) async throws {
        let opened = Opened()
        let reply = try await opened.app(answer: "ok").call(#"{"url":"\#(url)"}"#)
        #expect(reply["code"] == 400, "\(reply)")
        #expect(reply["message"]?.stringValue?.contains("https") == true)
        #expect(opened.urls.isEmpty)
    }
}

@Suite struct DeviceHandlersTests {
    @Test func deviceInfoDescribesThisMachineOrAGivenDevice() async throws {
        let here = try await App(DeviceInfoHandler.self).call()
        for member in ["platform", "system", "systemVersion", "model", "name", "language"] {
            #expect(here["data"]?[member]?.stringValue?.isEmpty == false, "\(member)")
        }
        #expect(here["data"]?["platform"] == "linux")

        let phone = DeviceInfoHandler.Device(
            platform: "ios", system: "iOS", systemVersion: "26.1", model: "iPhone18,1", name: "Phone",
            language: "sv-SE")
        let there = try await App { _ in DeviceInfoHandler(device: phone) }.call()
        #expect(try there["data"]?.decode(DeviceInfoHandler.Device.self) == phone)
    }

    @Test func requestLocationAnswersWithAString() async throws {
        #expect(try await App(RequestLocationHandler.self).call()["data"] == "51.4779,-0.0015")
        let denied = try App { _ in RequestLocationHandler(.denied) }
        #expect(try await denied.call()["code"] == 1)
        let unknown = try App { _ in RequestLocationHandler(.unknown) }
        #expect(try await unknown.call()["code"] == 2)
        let there = try App { _ in RequestLocationHandler(location: "上海市") }
        #expect(try await there.call()["data"] == "上海市")
    }
}

/// Keeps what was opened.
private final class Opened: Sendable {
    private let opened = Mutex<[String]>([])

    var urls: [String] { opened.withLock { $0 } }

    func app(answer: JSON?) throws -> App {
        try App(answers: answer.map { ["openURL": $0] } ?? [:]) { request in
            OpenURLHandler(request: request) { url in self.opened.withLock { $0.append(url) } }
        }
    }
}
