import Drawbridge
import Testing

struct DeleteHandler: JSONHandler {
    struct Input: Decodable { var name: String }

    // A person may take their time.
    static let options = HandlerOptions(deadline: nil)

    let request: Request

    func handle(_ input: Input) async throws -> Bool {
        let question = Question(
            "delete", title: "Delete", message: "Delete \(input.name)?", choices: ["delete", "keep"])
        return try await request.present(question) == "delete"
    }
}

struct UsualChoice: Presenter {
    func present(_ question: Question, for request: Request) async throws -> JSON? {
        guard case .choice(let choices) = question.kind, let usual = choices.first else { return nil }
        return .string(usual)
    }
}

@Suite struct PresenterManual {
    private func isDeleted(_ gateway: Gateway) async throws -> JSON? {
        try gateway.register(DeleteHandler.self, at: "/delete")
        let response = await gateway.respond(to: Request("/delete?_mobile_bridge=1&name=letter.txt"))
        return try JSON(parsing: await response.body.collect())["data"]
    }

    @Test func aScriptAnswersQuestions() async throws {
        let gateway = Gateway(presenter: ScriptedPresenter(["delete": "delete", "login": ["user": "ann"]]))
        #expect(try await isDeleted(gateway) == true)
    }

    @Test func withoutAPresenterAQuestionIsCancelled() async throws {
        #expect(try await isDeleted(Gateway()) == false)
    }

    @Test func aCustomPresenterAnswersQuestions() async throws {
        let gateway = Gateway(presenter: UsualChoice())
        #expect(try await isDeleted(gateway) == true)
    }

    @Test func aScriptAnswersBeforeAPersonIsAsked() async throws {
        let person = UsualChoice()
        let gateway = Gateway(presenter: ScriptedPresenter(["delete": "keep"], next: person))
        #expect(try await isDeleted(gateway) == false)
    }
}
