import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeJournal
@testable import DrawbridgeMessages

/// What a program that tests changes: replies, scenarios, events, questions.
@Suite("Changes by testers", .timeLimit(.minutes(10))) struct TesterTests {
    private static func ask(
        _ gateway: Gateway, _ method: HTTPRequest.Method, _ target: String, _ body: String = ""
    ) async -> Response {
        await gateway.respond(
            to: Request(
                method, "/__drawbridge__/\(target)",
                headers: [
                    .authorization: "Bearer \(gateway.testerToken.text)", .contentType: "application/json",
                ], body: .init(body)))
    }

    private static func gateway(_ text: String) throws -> Gateway {
        let gateway = Gateway.testing()
        gateway.reply(by: try SessionTests.layers(text))
        return gateway
    }

    @Test func aMockIsSetAndRemovedByTheAPI() async throws {
        let gateway = Gateway.testing()
        let set = await Self.ask(
            gateway, .put, "replies?name=echo&session=ann", #"{"$reply": "{{input.a}}"}"#)
        #expect(try await set.json()["data"] == ["echo": ["$reply": "{{input.a}}"]])
        let asked = Request("/echo?_mobile_bridge=1&a=1", headers: [.session: "ann"])
        #expect(try await gateway.respond(to: asked).json()["data"] == "1")
        #expect(try await gateway.text(at: "/echo").contains("code"))
        #expect(await Self.ask(gateway, .delete, "replies?name=echo").status == .notFound)
        #expect(await Self.ask(gateway, .delete, "replies?name=echo&session=ann").status == .ok)
        #expect(try await gateway.respond(to: asked).json()["data"] != "1")
        #expect(try await Self.ask(gateway, .get, "replies?session=ann").json()["data"] == [:])
    }

    @Test func removingAMockWithAnInvalidNameIsABadRequest() async throws {
        let gateway = try Self.gateway(#"{"replies": {"a": 1}}"#)
        #expect(await Self.ask(gateway, .delete, "replies?name=*/b").status == .badRequest)
    }

    @Test(arguments: [
        ("replies", "1", "name: say which call"),
        ("replies?name=pay", "{", "line 1"),
        ("replies?name=*/b", "1", "the last part"), ("replies?name=/a/*/b/", "1", "the last part"),
        ("replies?name=pay", #"{"$replyy": 1}"#, "did you mean $reply?"),
        (
            "replies?name=pay", #"{"$response": {"headers": {"a": "b"}}}"#,
            "headers is only allowed in a file that -c or --replies names"
        ),
        ("replies?name=pay", #"{"$reply": 1, "$then": [{"scenario": "offlin"}]}"#, "did you mean offline?"),
        ("replies?name=pay&session=a%20b", "1", "session: the name"),
        ("scenario", #"{"scenario": "offlin"}"#, "did you mean offline?"),
        ("scenario", #"{}"#, "scenario"),
    ])
    func wrongRequestsOfTestersAreExplainedAndChangeNothing(_ target: String, _ body: String, _ words: String)
        async throws
    {
        let gateway = try Self.gateway(#"{"replies": {"a": 1}, "scenarios": {"offline": {"a": 2}}}"#)
        let answer = await Self.ask(gateway, .put, target, body)
        #expect(answer.status.kind == .clientError)
        #expect(try await answer.text().contains(words))
        #expect(try await gateway.respond(to: Request("/a?_mobile_bridge=1")).json()["data"] == 1)
    }

    @Test func aScenarioIsSwitchedForOneSession() async throws {
        let gateway = try Self.gateway(#"{"replies": {"a": 1}, "scenarios": {"offline": {"a": 2}}}"#)
        let on = await Self.ask(gateway, .put, "scenario?session=ann", #"{"scenario": "offline"}"#)
        #expect(try await on.json()["data"] == ["on": ["offline"], "scenarios": ["offline"]])
        let asked = Request("/a?_mobile_bridge=1", headers: [.session: "ann"])
        #expect(try await gateway.respond(to: asked).json()["data"] == 2)
        #expect(try await gateway.respond(to: Request("/a?_mobile_bridge=1")).json()["data"] == 1)
        #expect(await Self.ask(gateway, .post, "reset?session=ann").status == .ok)
        #expect(try await gateway.respond(to: asked).json()["data"] == 1)
    }

    @Test(arguments: ["reset/t1", "replies/t1", "scenario/t1"])
    func aSessionInThePathOfAnEndpointIsNotFound(_ target: String) async throws {
        let gateway = Gateway.testing()
        _ = await Self.ask(gateway, .put, "replies?name=a", "1")
        for method in [HTTPRequest.Method.post, .put, .get, .delete] {
            #expect(await Self.ask(gateway, method, target, "{}").status == .notFound)
        }
        #expect(try await Self.ask(gateway, .get, "replies/").json()["data"] == ["a": 1])
    }

    /// A program that answers when it is let.
    private struct Program: ReplySupplier {
        let asked = Event()
        let released = Event()

        func ask(_ call: [UInt8], at target: ForwardTarget, for request: Request) async throws -> [UInt8] {
            asked.happen()
            await released.wait()
            return Array("1".utf8)
        }

        func open(_ file: AnswerFile, for request: Request?) throws -> Response? { nil }
    }

    /// However many sessions are reset while a call is under way, its own is another one.
    @Test func resetsOfOtherSessionsDoNotEndTheStepsOfACall() async throws {
        let gateway = try Self.gateway(
            #"""
            {"replies": {"soon": {"$forward": "http://127.0.0.1:1/", "$then": [{"scenario": "on"}]}},
             "scenarios": {"on": {}}}
            """#)
        let program = Program()
        gateway.configure { $0.replySupplier = program }
        gateway.reset(.usual)
        let call = Task { await gateway.respond(to: Request("/soon?_mobile_bridge=1")) }
        await program.asked.wait()
        for number in 0...10 * Session.most {
            gateway.replySteps.cancel(in: Session("test-\(number)"))
        }
        program.released.happen()
        #expect(try await call.value.json()["data"] == 1)
        #expect(gateway.replyBook.scenarios() == ["on"])
    }

    /// The answer of a login may be followed at once by the call that needs it.
    @Test func aScenarioIsSwitchedBeforeTheAnswerLeaves() async throws {
        let gateway = try Self.gateway(
            #"""
            {"replies": {"in": {"$reply": 1, "$then": [{"scenario": "in"}, {"scenario": "on"}, {"emit": "in"}]},
                         "slow": {"$delay": 86400000, "$reply": 1, "$then": [{"scenario": "off"}]}, "a": 0,
                         "soon": {"$forward": "http://127.0.0.1:1/", "$then": [{"scenario": "off"}]}},
             "scenarios": {"in": {"a": 1}, "on": {}, "off": {}}}
            """#)
        let program = Program()
        gateway.configure { $0.replySupplier = program }
        for _ in 0..<200 {
            gateway.reset(.usual)
            #expect(try await gateway.respond(to: Request("/a?_mobile_bridge=1")).json()["data"] == 0)
            _ = await gateway.respond(to: Request("/in?_mobile_bridge=1"))
            #expect(try await gateway.respond(to: Request("/a?_mobile_bridge=1")).json()["data"] == 1)
            #expect(gateway.replyBook.scenarios() == ["in", "on"])
        }
        // What was under way at a reset is of the test before.
        let late = Task { await gateway.respond(to: Request("/soon?_mobile_bridge=1")) }
        await program.asked.wait()
        gateway.reset(.usual)
        program.released.happen()
        #expect(try await late.value.json()["data"] == 1)
        #expect(gateway.replyBook.scenarios() == [])
        try gateway.turn("in", on: true)
        try gateway.turn("on", on: true)
        // Whoever leaves before the answer has nothing behind it.
        let left = Task { await gateway.respond(to: Request("/slow?_mobile_bridge=1")) }
        // Nothing of it is done, however far it has come: its delay is a day.
        try await Task.sleep(for: .milliseconds(50))
        left.cancel()
        _ = await left.value
        #expect(gateway.replyBook.scenarios() == ["in", "on"])
    }

    // MARK: Events

    private static let events = #"""
        {"scenarios": {"offline": {"a": 2}}, "events": {
            "$load": [{"call": "setSafeArea", "data": {"top": 44}}],
            "deep link": [{"call": "onOpenURL", "data": {"url": "shop://17"}}, {"emit": "opened"}],
            "off": [{"scenario": "offline"}], "late": [{"emit": "late", "after": 86400000}]
        }}
        """#

    @Test func anEventIsPlayedOnTheNewestPageOfTheSession() async throws {
        let gateway = try Self.gateway(Self.events)
        let list = await Self.ask(gateway, .get, "events")
        #expect(try await list.json()["data"] == ["$load", "deep link", "late", "off"])
        #expect(await Self.ask(gateway, .post, "events/deep%20link").status == .conflict)
        #expect(await Self.ask(gateway, .post, "events/deep%20lnk").status == .notFound)
        let (ann, other) = (TestPage(gateway, session: "ann"), TestPage(gateway))
        // A page that listens and never answers holds nothing up.
        #expect(await Self.ask(gateway, .post, "events/deep%20link?session=ann").status == .ok)
        let call = try await ann.message { $0["call"] == "onOpenURL" }
        #expect(call["hears"] == true && call["data"] == ["url": "shop://17"])
        #expect(ann.down.map(\.message).contains { $0["event"] == "opened" })
        #expect(!other.down.map(\.message).contains { $0["call"] == "onOpenURL" })
        #expect(await Self.ask(gateway, .post, "events/off?session=ann").status == .ok)
        #expect(gateway.replyBook.scenarios(in: try SessionTests.session("ann")) == ["offline"])
        #expect(gateway.replyBook.scenarios() == [])
    }

    @Test func thePageEventIsPlayedOncePerDocument() async throws {
        let gateway = try Self.gateway(Self.events)
        let page = TestPage(gateway)
        _ = try await page.message { $0["call"] == "setSafeArea" }
        page.leaveWire()
        try #require(gateway.pages[page.id]).expire()
        let again = TestPage(gateway, id: page.id, life: 2)
        again.tell(["call": "echo", "id": 1, "bridge": "wvjb"])
        _ = try await again.reply(1)
        await until { gateway.replySteps.count == 0 }
        #expect(!again.down.map(\.message).contains { $0["call"] == "setSafeArea" })
        let script = await gateway.respond(to: Request("/__drawbridge__/page.js?path=/"))
        #expect(try await script.text().contains(#""wanted":true"#))
    }

    @Test func aResetEndsOnlyTheStepsOfItsSession() async throws {
        let gateway = try Self.gateway(Self.events)
        let (ann, other) = (TestPage(gateway, session: "ann"), TestPage(gateway))
        for page in [ann, other] { _ = try await page.message { $0["call"] == "setSafeArea" } }
        await until { gateway.replySteps.count == 0 }
        let late = ["ann", "default"].map { session in
            Task { await Self.ask(gateway, .post, "events/late?session=\(session)") }
        }
        await until { gateway.replySteps.count == 2 }
        #expect(await Self.ask(gateway, .post, "reset?session=ann").status == .ok)
        await until { gateway.replySteps.count == 1 }
        _ = await late[0].value
        late[1].cancel()
        _ = await late[1].value
        await until { gateway.replySteps.count == 0 }
    }

    // MARK: Questions

    /// Asks nobody, and says so.
    private struct Busy: Presenter {
        let withdrawn: Mutex<Int>.Box

        func present(_ question: Question, for request: Request) async throws -> JSON? {
            do {
                try await Task.sleep(for: .seconds(86_400))
            } catch {
                withdrawn.mutex.withLock { $0 += 1 }
                throw error
            }
            return nil
        }
    }

    private static let question =
        #"{"replies": {"pay": {"$ask": "Pay?", "$choices": {"pay": {"ok": true}, "cancel": {"ok": false}}}}}"#

    @Test func aProgramAnswersInAPersonsPlaceAndThePersonIsAskedNoMore() async throws {
        let withdrawn = Mutex<Int>.Box()
        let gateway = Gateway(presenter: Busy(withdrawn: withdrawn), logger: .quiet)
        gateway.reply(by: try SessionTests.layers(Self.question))
        let asked = Task { await gateway.respond(to: Request("/pay?_mobile_bridge=1")) }
        await until { gateway.questions.waiting.count == 1 }
        let list = try await Self.ask(gateway, .get, "questions").json()["data"]
        #expect(list?[0]?["message"] == "Pay?")
        #expect(list?[0]?["choices"] == ["pay", "cancel"])
        let number = try #require(list?[0]?["number"]?.numberValue?.intValue)
        #expect(try await Self.ask(gateway, .get, "questions?session=ann").json()["data"] == [])
        #expect(
            await Self.ask(gateway, .post, "questions/\(number)?session=ann", #"{"choice":"pay"}"#).status
                == .notFound)
        #expect(
            await Self.ask(gateway, .post, "questions/\(number)", #"{"choice":"later"}"#).status
                == .badRequest)
        #expect(await Self.ask(gateway, .post, "questions/\(number)", #"{"choice":"pay"}"#).status == .ok)
        #expect(try await asked.value.json()["data"] == ["ok": true])
        #expect(withdrawn.mutex.withLock { $0 } == 1)
        #expect(
            await Self.ask(gateway, .post, "questions/\(number)", #"{"choice":"pay"}"#).status == .notFound)
        #expect(gateway.questions.waiting.count == 0)
    }

    /// Decides nearly at once.
    private struct Quick: Presenter {
        func present(_ question: Question, for request: Request) async throws -> JSON? {
            for _ in 0..<Int.random(in: 0..<40) { await Task.yield() }
            return "cancel"
        }
    }

    @Test func anAnswerThatIsAcceptedReachesTheCaller() async throws {
        let gateway = Gateway(presenter: Quick(), logger: .quiet)
        gateway.reply(by: try SessionTests.layers(Self.question))
        var counts = [true: 0, false: 0]
        for number in 1...300 {
            let asked = Task { await gateway.respond(to: Request("/pay?_mobile_bridge=1")) }
            for _ in 0..<Int.random(in: 0..<20) { await Task.yield() }
            let told =
                await Self.ask(gateway, .post, "questions/\(number)", #"{"choice":"pay"}"#).status == .ok
            #expect(try await asked.value.json()["data"] == ["ok": .bool(told)])
            counts[told, default: 0] += 1
        }
        #expect(gateway.questions.waiting.count == 0)
    }

    @Test func withoutAPersonAQuestionWaitsOnlyIfAProgramWatches() async throws {
        let gateway = try Self.gateway(Self.question)
        let alone = await gateway.respond(to: Request("/pay?_mobile_bridge=1"))
        #expect(try await alone.json()["data"] == ["ok": false])
        _ = await Self.ask(gateway, .get, "questions?session=ann")
        let asked = Task {
            await gateway.respond(to: Request("/pay?_mobile_bridge=1", headers: [.session: "ann"]))
        }
        await until { gateway.questions.waiting.count == 1 }
        #expect(await Self.ask(gateway, .post, "questions/1?session=ann", #"{"choice":"pay"}"#).status == .ok)
        #expect(try await asked.value.json()["data"] == ["ok": true])
        _ = await Self.ask(gateway, .post, "reset?session=ann")
        let after = await gateway.respond(to: Request("/pay?_mobile_bridge=1", headers: [.session: "ann"]))
        #expect(try await after.json()["data"] == ["ok": false])
    }

    @Test func aCallerThatLeavesWithdrawsItsQuestion() async throws {
        let gateway = try Self.gateway(Self.question)
        _ = await Self.ask(gateway, .get, "questions")
        let asked = Task { await gateway.respond(to: Request("/pay?_mobile_bridge=1")) }
        await until { gateway.questions.waiting.count == 1 }
        asked.cancel()
        _ = await asked.value
        #expect(gateway.questions.waiting.count == 0)
    }

    /// A page would else wait for ever for a program that has gone.
    @Test func aQuestionIsNotHeldForAProgramThatStoppedWatching() async throws {
        let gateway = try Self.gateway(Self.question)
        gateway.questions.patience.withLock { $0 = .milliseconds(20) }
        _ = await Self.ask(gateway, .get, "questions")
        let answer = await gateway.respond(to: Request("/pay?_mobile_bridge=1"))
        #expect(try await answer.json()["code"] != 503)
        #expect(gateway.questions.waiting.count == 0)
    }

    @Test func aHundredWaitingQuestionsOfASessionLeaveRoomForOthers() async throws {
        let gateway = try Self.gateway(Self.question)
        for session in ["", "?session=ann"] { _ = await Self.ask(gateway, .get, "questions\(session)") }
        var asked = (0..<Questions.mostOfSession).map { _ in
            Task { await gateway.respond(to: Request("/pay?_mobile_bridge=1")) }
        }
        await until { gateway.questions.waiting.count == Questions.mostOfSession }
        let more = await gateway.respond(to: Request("/pay?_mobile_bridge=1"))
        #expect(try await more.json()["code"] == 503)
        let ann = Request("/pay?_mobile_bridge=1", headers: [.session: "ann"])
        asked.append(Task { await gateway.respond(to: ann) })
        await until { gateway.questions.waiting.count == Questions.mostOfSession + 1 }
        for task in asked { task.cancel() }
        for task in asked { _ = await task.value }
        #expect(gateway.questions.waiting.count == 0)
    }
}

extension Mutex where Value == Int {
    /// A count that several can hold.
    fileprivate final class Box: Sendable {
        let mutex = Mutex(0)
    }
}
