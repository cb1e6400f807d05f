import HTTPGrammar
import HTTPTypes
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeJournal
@testable import DrawbridgeMessages

/// Questions that are shown over the page whose call asks.
@Suite("Questions over pages", .timeLimit(.minutes(5))) struct AskedPageTests {
    private let log = LogBook()

    /// A gateway with `/alert`, which may be shown over pages, `/open`, which may not, and a notice.
    private func gateway(
        _ asking: Question.Asking = .auto, presenter: any Presenter = .nobody
    ) throws -> Gateway {
        let runtime = PageRuntime(asking: asking)
        let gateway = Gateway(presenter: presenter, pageRuntime: runtime, logger: log.logger)
        func answers(_ path: String, _ question: Question) throws {
            try gateway.register(at: path) { Asks(request: $0, question: question) }
        }
        try answers("/alert", Question("alert", message: "Sure?", choices: ["ok", "cancel"], overPage: true))
        try answers("/open", Question("open", choices: ["ok", "cancel"]))
        try answers(
            "/login", Question("login", fields: ["user", .init("pin", label: "PIN")], overPage: true))
        try answers("/toast", Question("toast", message: "Saved", overPage: true))
        return gateway
    }

    private struct Asks: JSONHandler {
        static let options = HandlerOptions(deadline: nil)
        let request: Request
        let question: Question

        func handle(_ input: JSON?) async throws -> JSON? { try await request.present(question) }
    }

    private static let person: JSON.Object = ["viewer": "person"]

    /// A request of a page by HTTP.
    private func request(
        _ path: String, of id: String, _ gateway: Gateway, _ more: HTTPFields = [:], from: String? = nil
    ) -> Request {
        var headers: HTTPFields = [
            .pageToken: gateway.access.token.text, .pageID: id, .pagePath: "/a.html",
            .secFetchSite: "same-origin", .origin: "http://localhost", .host: "localhost",
        ]
        for field in more { headers[field.name] = field.value }
        return Request("\(path)?_mobile_bridge=1", headers: headers, remoteAddress: from)
    }

    private static let id = String(repeating: "a", count: 32)

    @Test func aPageThatCallsByItsChannelIsAskedAndItsAnswerCounts() async throws {
        let gateway = try gateway()
        let page = TestPage(gateway, saying: Self.person)
        page.tell(["call": "alert", "id": 1])
        let asked = try await page.message { $0["ask"] != nil }
        #expect(
            asked["ask"] == [
                "name": "alert", "title": "", "message": "Sure?", "choices": ["ok", "cancel"], "number": 1,
            ])
        page.tell(["answer": 1, "value": "ok"])
        #expect(try await page.reply(1)["value"] == "ok")
        #expect(gateway.questions.waiting.isEmpty)
        #expect(log.entries.contains { $0.contains("? 1  alert  Sure?  [ok/cancel]; answer it in the page") })
        // Answered once more, and with a number that never was.
        page.tell(["answer": 1, "value": "cancel"])
        page.tell(["answer": 99, "value": "ok"])
        page.tell(["call": "login", "id": 2])
        let form = try await page.message { $0["ask"]?["fields"] != nil }
        #expect(
            form["ask"]?["fields"] == [["name": "user", "label": "user"], ["name": "pin", "label": "PIN"]])
        page.tell(["answer": 2, "value": ["user": "ann", "pin": "1"]])
        #expect(try await page.reply(2)["value"] == ["user": "ann", "pin": "1"])
    }

    @Test func aPageWithoutAChannelIsAskedWhenItHasOpenedIt() async throws {
        let gateway = try gateway()
        async let answer = gateway.respond(to: request("/alert", of: Self.id, gateway))
        await until { gateway.questions.waiting.count == 1 }
        let page = TestPage(gateway, id: Self.id, saying: Self.person)
        _ = try await page.message { $0["ask"]?["number"] == 1 }
        page.tell(["answer": 1, "value": "cancel"])
        #expect(try await answer.json()["data"] == "cancel")
    }

    @Test func aQuestionIsCancelledWhereThePageOpensNoChannel() async throws {
        let gateway = try gateway()
        let answer = await gateway.respond(to: request("/alert", of: Self.id, gateway))
        #expect(try await answer.json()["data"] == nil)
        #expect(
            log.entries.contains { $0.contains("alert: its page does not show it: no channel within 2.0 s") })
        #expect(log.entries.contains { $0.contains("alert: nobody could be asked") })
        #expect(gateway.questions.waiting.isEmpty)
    }

    /// What keeps a question from being shown over its page, and what the log says.
    @Test(
        arguments: [
            (Question.Asking.off, "/alert", HTTPFields(), nil, "--ask off"),
            (.auto, "/open", [:], nil, "open may act outside of the page"),
            (.page, "/open", [:], nil, "open may act outside of the page"),
            (.page, "/alert", [.pageWaits: "1"], nil, "it waits in a synchronous call"),
            (.page, "/alert", [.origin: "null"], nil, "it is in a sandbox"),
            (.auto, "/alert", [.pageDriven: "1"], nil, "its browser is driven by a program; --ask page"),
            (.auto, "/alert", [.session: "ann"], nil, "it is in a session of a test; --ask page"),
            (.auto, "/alert", [:], "192.0.2.7", "it is on another device; --ask page"),
        ] as [(Question.Asking, String, HTTPFields, String?, String)])
    func aQuestionThatIsNotShownIsAskedAsBefore(
        _ asking: Question.Asking, _ path: String, _ fields: HTTPFields, _ from: String?, _ reason: String
    ) async throws {
        let gateway = try gateway(asking)
        var call = request(path, of: Self.id, gateway, fields, from: from)
        call.answerer = gateway
        let question =
            path == "/open"
            ? Question("open", choices: ["ok"]) : Question("alert", choices: ["ok"], overPage: true)
        #expect(try await gateway.present(question, for: call) == nil)
        let name = question.name
        #expect(
            log.entries.contains { $0.contains("\(name) is not asked over the page: \(reason)") },
            "\(log.entries)")
        #expect(log.entries.contains { $0.contains("\(name): nobody could be asked") })
        #expect(gateway.questions.waiting.isEmpty)
    }

    /// A page of a test plays no page runtime; one in a driven browser is asked by `--ask page`, or where its session says so.
    @Test func drivenPagesAreAskedWhereThatIsSaid() async throws {
        for (asking, viewer, isAsked) in [
            (Question.Asking.auto, "driver", false), (.page, "driver", true), (.page, nil, false),
        ] {
            let gateway = try gateway(asking)
            let page = TestPage(gateway, saying: viewer.map { ["viewer": .string($0)] } ?? [:])
            page.tell(["call": "alert", "id": 1])
            if isAsked {
                _ = try await page.message { $0["ask"] != nil }
                page.tell(["answer": 1, "value": "ok"])
            }
            #expect(try await page.reply(1)["value"] == (isAsked ? "ok" : .null))
            #expect(page.down.contains { $0.message["ask"] != nil } == isAsked)
        }
        let gateway = try gateway()
        let ann = try #require(Session("ann"))
        gateway.questions.ask(.page, in: ann)
        let page = TestPage(gateway, session: "ann", saying: ["viewer": "driver"])
        page.tell(["call": "alert", "id": 1])
        _ = try await page.message { $0["ask"] != nil }
        page.tell(["answer": 1, "value": "ok"])
        #expect(try await page.reply(1)["value"] == "ok")
        gateway.reset(ann)
        page.tell(["call": "alert", "id": 2])
        #expect(try await page.reply(2)["value"] == .null)
    }

    @Test func onlyTheAskedPageAnswers() async throws {
        let gateway = try gateway()
        let (page, other) = (TestPage(gateway, saying: Self.person), TestPage(gateway, saying: Self.person))
        page.tell(["call": "alert", "id": 1])
        _ = try await page.message { $0["ask"] != nil }
        other.tell(["answer": 1, "value": "ok"])
        page.tell(["answer": 1, "value": "perhaps"])
        #expect(gateway.questions.waiting.count == 1)
        page.tell(["answer": 1, "value": "cancel"])
        #expect(try await page.reply(1)["value"] == "cancel")
        #expect(log.entries.contains { $0.contains(#""perhaps" is not one of the choices of alert"#) })
    }

    @Test func whatAPageCannotShowIsAskedElsewhere() async throws {
        let gateway = try gateway()
        let page = TestPage(gateway, saying: Self.person)
        _ = gateway.questions.watch(.usual)
        page.tell(["call": "alert", "id": 1])
        _ = try await page.message { $0["ask"] != nil }
        page.tell(["answer": 1, "error": ["code": 501, "message": "its policy"]])
        #expect(log.entries.contains { $0.contains("cannot show question 1: its policy") })
        try gateway.questions.answer(1, "ok", in: .usual, by: "a program")
        #expect(try await page.reply(1)["value"] == "ok")
    }

    @Test func whatOthersAnswerIsWithdrawnAndAPageThatGoesTakesItsQuestionAlong() async throws {
        let gateway = try gateway()
        let page = TestPage(gateway, saying: Self.person)
        page.tell(["call": "alert", "id": 1])
        _ = try await page.message { $0["ask"] != nil }
        try gateway.questions.answer(1, "cancel", in: .usual, by: "a program")
        #expect(try await page.reply(1)["value"] == "cancel")
        _ = try await page.message { $0["withdraw"] == 1 }
        page.tell(["call": "alert", "id": 2])
        _ = try await page.message { $0["ask"]?["number"] == 2 }
        try page.page.end(.left)
        await until { gateway.questions.waiting.isEmpty }
    }

    @Test func aPageIsAskedAnewInItsNextLife() async throws {
        let gateway = try gateway()
        let first = TestPage(gateway, id: Self.id, saying: Self.person)
        async let answer = gateway.respond(to: request("/alert", of: Self.id, gateway))
        _ = try await first.message { $0["ask"] != nil }
        try first.page.end(.lost)
        #expect(gateway.questions.waiting.count == 1)
        let second = TestPage(gateway, id: Self.id, life: 2, saying: Self.person)
        _ = try await second.message { $0["ask"]?["number"] == 1 }
        second.tell(["answer": 1, "value": "ok"])
        #expect(try await answer.json()["data"] == "ok")
    }

    /// Page, terminal, inspector and program answer at the same time.
    @Test func ofManyAnswersOneCountsAndTheOthersAreWithdrawn() async throws {
        struct Terminal: Presenter {
            let answers: AsyncStream<Void>

            func present(_ question: Question, for request: Request) async throws -> JSON? {
                for await _ in answers { return "terminal" }
                throw CancellationError()
            }
        }
        var winners: Set<String> = []
        for round in 0..<100 {
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            let gateway = Gateway(presenter: Terminal(answers: answers), logger: log.logger)
            let names = ["page", "terminal", "inspector", "program"]
            let question = Question("race", choices: names, overPage: true)
            try gateway.register(at: "/race") { Asks(request: $0, question: question) }
            let page = TestPage(gateway, saying: Self.person)
            page.tell(["call": "race", "id": 1])
            _ = try await page.message { $0["ask"] != nil }
            await withTaskGroup(of: Void.self) { group in
                let ways: [@Sendable () -> Void] = [
                    { page.tell(["answer": 1, "value": "page"]) }, { answer.yield() },
                    { try? gateway.questions.answer(1, "inspector", in: .usual, by: "inspector") },
                    { try? gateway.questions.answer(1, "program", in: .usual, by: "program") },
                ]
                for index in ways.indices { group.addTask { ways[(index + round) % ways.count]() } }
            }
            let winner = try #require(try await page.reply(1)["value"]?.stringValue)
            winners.insert(winner)
            _ = try await page.message { $0["withdraw"] == 1 }
            #expect(page.down.count { $0.message["reply"] != nil } == 1)
            #expect(gateway.questions.waiting.isEmpty)
            #expect(throws: HTTPError.self) {
                try gateway.questions.answer(1, "program", in: .usual, by: "program")
            }
        }
        #expect(winners.count > 1, "\(winners)")
    }

    @Test func aNoticeIsShownToAPageAlsoBeforeItHasAChannel() async throws {
        let gateway = try gateway()
        async let answer = gateway.respond(to: request("/toast", of: Self.id, gateway))
        await until { log.entries.contains { $0.contains("toast  Saved") } }
        #expect(gateway.questions.waiting.isEmpty && gateway.questions.watch(.usual).isEmpty)
        let page = TestPage(gateway, id: Self.id, saying: Self.person)
        #expect(try await answer.json()["code"] == 200)
        let asked = try await page.message { $0["ask"] != nil }
        #expect(asked["ask"]?["message"] == "Saved" && asked["ask"]?["choices"] == nil)
        page.tell(["call": "toast", "id": 1])
        #expect(try await page.reply(1)["value"] == .null)
        #expect(page.down.count { $0.message["ask"] != nil } == 2)
        #expect(!page.down.contains { $0.message["withdraw"] != nil })
        #expect(log.entries.filter { $0.contains("toast  Saved") }.count == 2)
    }
}
