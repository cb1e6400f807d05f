import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeJournal
@testable import DrawbridgeMessages

/// A program answers the next question of a name, and says over which pages questions are shown.
@Suite("Questions by name", .timeLimit(.minutes(10))) struct QuestionsByNameTests {
    /// A gateway without a journal, whose mocks ask.
    private let gateway = Gateway.testing()
    private let program: JournalProgram

    init() throws {
        let ask: JSON = ["$ask": "Sure?", "$choices": ["ok": 1, "no": 2]]
        let numbered = (0..<160).map { number -> (String, JSON) in
            ("n\(number)", ["$ask": "?", "$choices": ["a": .number(.init(number)), "b": 0]])
        }
        try gateway.mock(
            .object(JSON.Object([("pay", ask), ("a/b c%", ask), ("share", ask)] + numbered)))
        program = JournalProgram(gateway, withHandlers: false)
    }

    /// A program that waits for a question.
    private func choose(_ target: String, _ choice: String = "ok") -> Task<Response, Never> {
        Task { [program] in await program.ask(.post, "questions/\(target)", #"{"choice":"\#(choice)"}"#) }
    }

    /// The same, and it waits already.
    private func waits(_ target: String, _ choice: String = "ok") async -> Task<Response, Never> {
        let number = waiting
        let task = choose(target, choice)
        await until { [self] in waiting > number }
        return task
    }

    private var waiting: Int { gateway.journal.waiting.load(ordering: .relaxed) }

    /// A page that asks.
    private func page(_ path: String = "/pay", in session: String = "default") -> Task<JSON?, any Error> {
        let request = Request("\(path)?_mobile_bridge=1", headers: [.session: session])
        return Task { [gateway] in try await gateway.respond(to: request).json()["data"] }
    }

    private func asks(_ path: String = "/pay", in session: String = "default") async -> Task<JSON?, any Error>
    {
        let number = gateway.questions.waiting.count
        let task = page(path, in: session)
        await until { [self] in gateway.questions.waiting.count > number }
        return task
    }

    private func message(_ task: Task<Response, Never>) async throws -> String {
        try await task.value.json()["message"]?.stringValue ?? ""
    }

    /// A call that was held gets what was set while it waited, or fails; the next one is not held.
    @Test func aHeldCallGoesOnWithWhatIsSetByThen() async throws {
        let ask =
            #"{"$ask": "Held", "$choices": {"fail": {"$error": {"code": 500}}, "go on": {"$pass": true}}}"#
        let once = #"{"$sequence": [\#(ask), {"$pass": true}]}"#
        func set(_ reply: String) async { _ = await program.ask(.put, "replies?name=tip", reply) }
        func held() async -> Task<JSON, any Error> {
            let request = Request("/tip?_mobile_bridge=1&by=me")
            let task = Task { [gateway] in try await gateway.respond(to: request).json() }
            await until { [self] in gateway.questions.waiting.count == 1 }
            return task
        }
        _ = await program.ask(.get, "questions")

        await set(once)
        let first = await held()
        // It looks at the input, which nothing did before.
        await set(#"{"$reply": "set for {{input.by}}"}"#)
        #expect(await choose("tip", "go on").value.status == .ok)
        #expect(try await first.value["data"] == "set for me")
        #expect(try await page("/tip").value?.stringValue?.hasPrefix("set for") == true)

        await set(once)
        let second = await held()
        #expect(await choose("tip", "fail").value.status == .ok)
        #expect(try await second.value["code"] == 500)
        #expect(try await page("/tip").value == nil)

        // Held for good: each call waits, and one that goes on is not asked for again.
        await set(ask)
        for _ in 1...2 {
            let third = await held()
            #expect(await choose("tip", "go on").value.status == .ok)
            #expect(try await third.value["code"] == 400)
        }
    }

    /// The next test must not find the question of this one.
    @Test func aResetEndsTheCallsThatAskInItsSessionAndNoOthers() async throws {
        for session in ["ann", "bob"] { _ = await program.ask(.get, "questions?session=\(session)") }
        let (own, other) = (await asks(in: "ann"), await asks(in: "bob"))
        #expect(await program.ask(.post, "reset?session=ann").status == .ok)
        #expect(gateway.questions.waiting.map(\.session.name) == ["bob"])
        #expect(try await own.value == nil)
        // What it was told, as a call that begins anew in the same session would be.
        _ = await program.ask(.get, "questions?session=ann")
        let request = Request("/pay?_mobile_bridge=1", headers: [.session: "ann"])
        let again = Task { [gateway] in try await gateway.respond(to: request).json() }
        await until { [self] in gateway.questions.waiting.count == 2 }
        #expect(await program.ask(.post, "reset?session=ann").status == .ok)
        #expect(
            try await again.value == [
                "code": 503, "message": "pay: its session was reset before somebody answered",
            ])
        #expect(await choose("pay?session=bob", "no").value.status == .ok)
        #expect(try await other.value == 2)
    }

    /// A program that sets fail once again, or a hold, gets it again.
    @Test func aSequenceThatIsSetAgainBeginsAnew() async throws {
        func set(_ name: String, _ reply: String) async {
            #expect(await program.ask(.put, "replies?name=\(name)", reply).status == .ok)
        }
        let once = #"{"$sequence": [1, 2]}"#
        await set("tip", once)
        await set("other", once)
        #expect(try await page("/tip").value == 1)
        #expect(try await page("/other").value == 1)
        await set("tip", once)
        #expect(try await page("/tip").value == 1)
        #expect(try await page("/tip").value == 2)
        #expect(try await page("/other").value == 2)
    }

    @Test(arguments: [
        ("pay", "/pay"), ("a/b%20c%25", "/a/b%20c%25"), ("a%2Fb%20c%25", "/a/b%20c%25"),
    ]) func aQuestionIsAnsweredByItsName(_ name: String, _ path: String) async throws {
        // Nobody can be asked, so that the question waits because the program does.
        let answer = await waits("\(name)?seconds=60")
        #expect(try await page(path).value == 1)
        #expect(await answer.value.status == .ok)
        // The oldest of those that wait already.
        let (first, second) = (await asks(path), await asks(path))
        #expect(await choose("\(name)?seconds=0", "no").value.status == .ok)
        #expect(try await first.value == 2)
        #expect(await choose(name).value.status == .ok)
        #expect(try await second.value == 1)
        #expect(waiting == 0 && gateway.questions.waiting.isEmpty)
    }

    @Test func programsThatWaitForTheSameNameAnswerOneQuestionEachInTheirOrder() async throws {
        let (first, second) = (await waits("pay?seconds=60"), await waits("pay?seconds=60", "no"))
        let other = await waits("share?seconds=60&session=ann", "no")
        #expect(try await page().value == 1)
        #expect(await first.value.status == .ok)
        #expect(try await page().value == 2)
        #expect(await second.value.status == .ok)
        #expect(try await page("/share", in: "ann").value == 2)
        #expect(await other.value.status == .ok)
    }

    @Test func anAnswerThatIsNotAllowedIsAnErrorAndTheQuestionGoesOnWaiting() async throws {
        let wrong = await waits("pay?seconds=60", "later")
        let right = await waits("pay?seconds=60")
        let asked = page()
        let error = await wrong.value
        #expect(error.status == .badRequest)
        #expect(try await error.text().contains("later\\\" is not one of the choices of pay: ok, no"))
        #expect(await right.value.status == .ok)
        #expect(try await asked.value == 1)

        let open = await asks()
        #expect(await choose("pay?seconds=60", "later").value.status == .badRequest)
        #expect(await choose("pay?seconds=0", "no").value.status == .ok)
        #expect(try await open.value == 2)
    }

    @Test func aProgramThatLeavesAnswersNothing() async throws {
        let (gone, next) = (await waits("pay?seconds=60", "no"), await waits("pay?seconds=60"))
        gone.cancel()
        _ = await gone.value
        #expect(try await page().value == 1)
        #expect(await next.value.status == .ok)
        #expect(waiting == 0)
    }

    @Test func aQuestionThatIsWithdrawnIsNotAnswered() async throws {
        _ = await program.ask(.get, "questions")
        let gone = await asks()
        gone.cancel()
        _ = try? await gone.value
        let answer = await waits("pay?seconds=60")
        #expect(try await page().value == 1)
        #expect(await answer.value.status == .ok)
    }

    @Test func aResetEndsTheWaitsOfItsSession() async throws {
        let (ended, other) = (await waits("pay?seconds=60"), await waits("pay?seconds=60&session=ann"))
        _ = await program.ask(.post, "reset")
        #expect(await ended.value.status == .gone)
        // The next test in this session is asked as if nobody had waited.
        #expect(try await page().value == 2)
        #expect(try await page(in: "ann").value == 1)
        #expect(await other.value.status == .ok)
    }

    @Test func aGatewayThatStopsEndsTheWaits() async throws {
        gateway.serverBegan()
        let ended = await waits("pay?seconds=60")
        gateway.serverIsStopping()
        #expect(await ended.value.status == .serviceUnavailable)
    }

    @Test func theErrorNamesTheQuestionsThatWait() async throws {
        _ = await program.ask(.get, "questions")
        _ = await program.ask(.get, "questions?session=ann")
        #expect(
            try await message(choose("pay?seconds=0")).contains(
                "no question pay waits in session default; none waits there"))
        let asked = [await asks("/share"), await asks(in: "ann"), await asks("/share", in: "ann")]
        for name in ["pay?seconds=0.01", "2"] {
            let wrong = choose(name)
            #expect(await wrong.value.status == .notFound)
            #expect(
                try await message(wrong).contains(
                    "waits in session default; those that wait: 1 share in session default, 2 pay in session ann"
                ))
        }
        for task in asked { task.cancel() }
        for task in asked { _ = try? await task.value }
    }

    @Test func onlySoManyWait() async throws {
        let all = (0..<Journal.mostWaiters).map { choose("pay?seconds=60&session=s\($0)") }
        await until { [self] in waiting == Journal.mostWaiters }
        #expect(await choose("pay?seconds=60").value.status == .serviceUnavailable)
        // What waits already is answered all the same.
        _ = await program.ask(.get, "questions")
        let asked = await asks()
        #expect(await choose("pay?seconds=60").value.status == .ok)
        #expect(try await asked.value == 1)
        for task in all { task.cancel() }
        for task in all { _ = await task.value }
        #expect(waiting == 0)
    }

    /// Half of the programs come before the page asks, half after it.
    @Test func manyQuestionsOfManySessionsAreNotMixed() async throws {
        for session in 0..<16 { _ = await program.ask(.get, "questions?session=s\(session)") }
        let results = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<160 {
                let (session, place) = ("s\(number % 16)", number / 16)
                group.addTask { [self] in
                    let answer =
                        place % 2 == 0 ? choose("n\(number)?seconds=60&session=\(session)", "a") : nil
                    let asked = page("/n\(number)", in: session)
                    let late = answer ?? choose("n\(number)?seconds=60&session=\(session)", "a")
                    let isRight = await late.value.status == .ok
                    let answered = try? await asked.value
                    return isRight && answered == .number(.init(number))
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(results == 160)
        #expect(waiting == 0 && gateway.questions.waiting.isEmpty)
    }

    @Test func oneNameIsAskedAHundredTimesInOneSession() async throws {
        let answers = (0..<Questions.mostOfSession).map { _ in choose("pay?seconds=60") }
        await until { [self] in waiting == Questions.mostOfSession }
        let asked = (0..<Questions.mostOfSession).map { _ in page() }
        for task in asked { #expect(try await task.value == 1) }
        for task in answers { #expect(await task.value.status == .ok) }
    }

    // MARK: Where questions are shown

    @Test func aProgramSaysForASessionOverWhichPagesQuestionsAreShown() async throws {
        let ann = try SessionTests.session("ann")
        for word in ["page", "off", "auto"] {
            #expect(await program.ask(.put, "questions?session=ann", #"{"ask":"\#(word)"}"#).status == .ok)
            #expect(gateway.questions.asking(in: ann)?.rawValue == word)
        }
        #expect(gateway.questions.asking(in: .usual) == nil)
        _ = await program.ask(.post, "reset")
        #expect(gateway.questions.asking(in: ann) == .auto)
        _ = await program.ask(.post, "reset?session=ann")
        #expect(gateway.questions.asking(in: ann) == nil)
    }

    @Test func theSessionsThatLastSaidItAreRemembered() throws {
        let sessions = try (0...Session.most).map { try SessionTests.session("s\($0)") }
        for session in sessions { gateway.questions.ask(.page, in: session) }
        #expect(gateway.questions.asking(in: sessions[0]) == nil)
        #expect(gateway.questions.asking(in: sessions[1]) == .page)
        gateway.questions.ask(.off, in: sessions[1])
        gateway.questions.ask(.page, in: sessions[0])
        #expect(gateway.questions.asking(in: sessions[1]) == .off)
    }
}
