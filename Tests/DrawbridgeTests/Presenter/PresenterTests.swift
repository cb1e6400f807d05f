import Testing

@testable import Drawbridge

@Suite struct QuestionTests {
    private let choice = Question("share", choices: ["done", "fail"])
    private let name = Question("login", fields: ["user"])
    private let form = Question("form", fields: ["street", "town"])

    @Test func aQuestionAcceptsOneOfItsChoices() throws {
        #expect(try choice.answer(from: "done") == .some("done"))
        #expect(try choice.answer(from: "cancel") == .none)
        #expect(try choice.answer(from: .null) == .none)
        // Where it is among the choices, it is the person's choice.
        #expect(try Question("alert", choices: ["ok", "cancel"]).answer(from: "cancel") == .some("cancel"))
        let error = #expect(throws: AnswerError.self) { try choice.answer(from: "maybe") }
        #expect(error?.description == #""maybe" is not one of the choices of share: done, fail"#)
    }

    @Test func aQuestionAcceptsFieldsOrTheValueOfItsOnlyField() throws {
        #expect(try name.answer(from: "ann") == .some(["user": "ann"]))
        #expect(try name.answer(from: ["user": "ann"]) == .some(["user": "ann"]))
        #expect(try name.answer(from: "cancel") == .none)
        let both: JSON = ["town": "Bern", "street": "Elm"]
        #expect(try form.answer(from: both) == .some(both))
        for wrong in ["Elm", ["street": "Elm"], ["street": "Elm", "twon": "Bern"], 7, [1]] as [JSON] {
            let error = #expect(throws: AnswerError.self) { try form.answer(from: wrong) }
            #expect(error?.description.contains(#"{"street":"…","town":"…"}"#) == true)
        }
    }

    @Test func aQuestionAcceptsTextThatLooksLikeANumber() throws {
        #expect(try name.answer(from: 10086) == .some(["user": "10086"]))
        #expect(try name.answer(from: true) == .some(["user": "true"]))
        #expect(try Question("q", choices: ["1", "2"]).answer(from: 1) == .some("1"))
    }
}

@Suite struct ScriptedPresenterTests {
    private let log = LogBook()
    private let request: Request

    init() {
        var request = Request("/")
        request.answerer = Gateway(logger: log.logger)
        self.request = request
    }

    @Test func aScriptAnswersByTheNameOfTheQuestion() async throws {
        let presenter = ScriptedPresenter(["alert": "ok", "login": ["user": "ann"]])
        #expect(try await presenter.present(Question("alert", choices: ["ok"]), for: request) == .some("ok"))
        #expect(
            try await presenter.present(Question("login", fields: ["user"]), for: request)
                == .some(["user": "ann"]))
    }

    @Test func aScriptLeavesOtherQuestionsToTheNextPresenter() async throws {
        let presenter = ScriptedPresenter(["alert": "ok"], next: ScriptedPresenter(["pay": "ok"]))
        #expect(try await presenter.present(Question("pay", choices: ["ok"]), for: request) == .some("ok"))
    }

    @Test func withNobodyToAskAQuestionIsCancelledAndTheOptionLogged() async throws {
        let presenter: any Presenter = .nobody
        #expect(
            try await presenter.present(Question("alert", choices: ["ok", "cancel"]), for: request) == .none)
        #expect(try await presenter.present(Question("login", fields: ["user"]), for: request) == .none)
        #expect(log.entries.count == 2)
        let why =
            "alert: nobody could be asked: there is no terminal, and no inspector is open; it was cancelled."
        #expect(log.entries.first?.contains(why) == true, "\(log.entries)")
        #expect(!log.entries.contains { $0.contains("ScriptedPresenter") })
        #expect(log.entries.first?.contains("--choose 'alert=ok'") == true)
        #expect(log.entries.last?.contains(#"--choose 'login={"user":"…"}'"#) == true)
    }

    @Test func aNoticeIsShownWithoutAnAnswer() async throws {
        let presenter = ScriptedPresenter(["toast": "ok"])
        #expect(try await presenter.present(Question("toast", message: "Saved"), for: request) == .none)
        #expect(log.entries == ["info: toast  Saved"])
    }

    @Test func anAnswerThatIsNotAmongTheChoicesIsRefused() async throws {
        let presenter = ScriptedPresenter(["alert": "maybe"])
        let error = await #expect(throws: HTTPError.self) {
            try await presenter.present(Question("alert", choices: ["ok", "cancel"]), for: request)
        }
        #expect(error?.message.contains("ok, cancel; change --choose alert=") == true)
    }
}

/// A handler reaches the presenter of its gateway, and none where there is no gateway.
@Suite struct RequestPresenterTests {
    private struct Asking: Handler {
        func handle(_ request: Request) async throws -> Response {
            let answer = try await request.present(Question("ask", choices: ["yes"]))
            return try Response(output: answer ?? "nobody")
        }
    }

    @Test func aRequestAsksThePresenterOfTheGateway() async throws {
        let gateway = Gateway(presenter: ScriptedPresenter(["ask": "yes"]))
        try gateway.register(Asking.self, at: "/ask")
        let text = try await gateway.text(at: "/ask")
        #expect(text.contains(#""data":"yes""#), "\(text)")
        #expect(try await Request("/").present(Question("ask", choices: ["yes"])) == .none)
    }
}
