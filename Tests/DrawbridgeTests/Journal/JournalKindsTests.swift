import HTTPTypes
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeJournal

/// What the journal has apart from calls.
@Suite("Records of the journal by their kinds", .timeLimit(.minutes(5))) struct JournalKindsTests {
    /// A form, a link, a picture have no field of the page runtime, and a browser says where they come from.
    @Test func aRequestThatSaysOnlyItsAddressIsOfThePageThere() async throws {
        let program = JournalProgram()
        let address = "http://localhost:8080/cart?id=1"
        let page = TestPage(program.gateway, url: address + "#top", session: "s1")
        _ = TestPage(program.gateway, url: address)
        func call(_ name: String, referer: String, session: String = "s1") async throws -> JSON? {
            let headers: HTTPFields = [.referer: referer, .session: session]
            _ = await program.gateway.respond(
                to: Request("/\(name)?_mobile_bridge=1", authority: "localhost:8080", headers: headers))
            return try await program.calls("?session=\(session)&name=\(name)").last?["page"]
        }
        #expect(try await call("a", referer: address)?["id"] == .string(page.id))
        #expect(try await program.calls("?session=s1&page=\(page.id)").contains { $0["name"] == "a" })
        #expect(
            try await call("b", referer: address, session: "s2") == ["id": "", "path": "/cart", "title": ""])
        #expect(try await call("c", referer: "http://localhost:8080/other")?["path"] == "/other")
        #expect(try await call("d", referer: "http://localhost:8081/cart") == .null)
    }

    @Test func aCallToAPageIsARecordWithItsAnswer() async throws {
        let program = JournalProgram()
        let page = TestPage(program.gateway)
        let native = try #require(program.gateway.pages[page.id])
        async let answer = native.call("getCart", ["full": true])
        let id = try await page.message { $0["call"] == "getCart" }["id"]?.numberValue?.intValue ?? 0
        page.tell(["result": .number(.init(id)), "value": ["items": 2]])
        #expect(try await answer == ["items": 2])
        try native.emit("back", "now")
        try native.send("refresh")
        let failing = Task { try await native.evaluate("broken()") }
        let other = try await page.message { $0["evaluate"] != nil }["id"]?.numberValue?.intValue ?? 0
        page.tell(["result": .number(.init(other)), "error": ["code": 500, "message": "not defined"]])
        await #expect(throws: PageError.self) { try await failing.value }
        let journal = program.gateway.journal
        await until {
            let pushes = RecordFilter(kinds: [.push], state: .silent)
            return journal.read(pushes).records.count == 2
        }
        page.leaveWire()
        await #expect(throws: PageError.self) { try await native.call("late", deadline: .milliseconds(20)) }

        let pushes = try await program.calls("?kind=push")
        #expect(pushes.map { $0["name"]?.stringValue } == ["getCart", "back", "refresh", "evaluate", "late"])
        #expect(
            pushes.map { $0["state"]?.stringValue } == ["answered", "silent", "silent", "error", "expired"])
        #expect(pushes[0]["input"] == ["full": true] && pushes[0]["output"] == ["items": 2])
        #expect(pushes[1]["bridge"] == "event" && pushes[1]["input"] == "now")
        #expect(pushes[3]["input"] == "broken()")
        #expect(pushes[3]["output"]?.stringValue?.contains("not defined") == true)
        #expect(pushes.allSatisfy { $0["page"]?["id"]?.stringValue == page.id })
        native.giveUp()
    }

    @Test func comingLeavingAndErrorsOfPagesAreRecords() async throws {
        let program = JournalProgram()
        let page = TestPage(program.gateway)
        page.tell(
            [
                "fault": "error", "message": "x is not defined", "stack": "at a.js:3", "source": "a.js",
                "line": 3,
            ], ["hidden": true], ["hidden": true], ["hidden": false],
            ["fault": "rejection", "message": "no"], ["fault": "unheard of", "message": "no"])
        // Its script says no more than a hundred; another one might.
        for _ in 0..<200 { page.tell(["fault": "error", "message": "again"]) }
        let native = try #require(program.gateway.pages[page.id])
        native.freeze()
        native.giveUp()
        let records = try await program.calls("?kind=page&page=\(page.id.prefix(8))")
        let names = records.compactMap { $0["name"]?.stringValue }
        #expect(names.prefix(5) == ["came", "error", "hidden", "shown", "rejection"])
        #expect(names.suffix(2) == ["frozen", "gone"] && names.count == 5 + 98 + 2)
        #expect(
            records[1]["input"] == [
                "message": "x is not defined", "stack": "at a.js:3", "source": "a.js", "line": 3,
            ])
        #expect(records[0]["page"]?["path"] == "/a.html" && records[0]["page"]?["title"] == "A")
    }

    /// Who reads the last line takes it for the page that is open.
    @Test func aPageThatLeavesIsNotAlsoRecordedAsLost() async throws {
        let program = JournalProgram()
        let page = TestPage(program.gateway)
        let native = try #require(program.gateway.pages[page.id])
        page.say(["bye": true])
        native.expire()
        #expect(program.gateway.pages[page.id] == nil)
        let names = try await program.calls("?kind=page").compactMap { $0["name"]?.stringValue }
        #expect(names == ["came", "left"])
    }

    /// By a page's bridge, and by a request.
    @Test func theRecordOfAnUnansweredCallSuggestsTheNearestName() async throws {
        let program = JournalProgram()
        try program.gateway.mock(["requestLocation": 1])
        let page = TestPage(program.gateway)
        page.tell(["call": "getLocation", "bridge": "wvjb", "id": 1])
        await until { program.gateway.journal.unanswered["getLocation"] == 1 }
        await program.call("/getLocation?_mobile_bridge=1")
        let calls = try await program.calls("?name=getLocation")
        #expect(calls.map { $0["bridge"] } == ["wvjb", "flag"], "\(calls)")
        #expect(calls.allSatisfy { $0["why"] == ["did you mean requestLocation?"] }, "\(calls)")
    }

    @Test func aRequestThatPassesThroughIsAShortRecord() async throws {
        let program = JournalProgram()
        await program.call("/echo?_mobile_bridge=1")
        _ = await program.gateway.respond(to: Request("/index.html?a=1"))
        _ = await program.gateway.respond(to: Request("/__drawbridge__/health"))
        #expect(try await program.calls().count == 1)
        let all = try await program.calls("?kind=call,request")
        #expect(all.map { $0["name"]?.stringValue } == ["echo", "/index.html"])
        #expect(all[1]["code"] == 404 && all[1]["method"] == "GET" && all[1]["input"] == nil)
        #expect(try await program.calls("?kind=all").count == 2)
    }

    @Test func readingAMissingNativeNameIsRecordedOnce() async throws {
        let program = JournalProgram(
            Gateway(pageRuntime: PageRuntime(shortcuts: ["MyApp"]), keepsJournal: true))
        for _ in 0..<2 {
            let page = TestPage(program.gateway)
            page.tell(["missed": "pay", "of": "MyApp"])
        }
        let notices = try await program.calls("?kind=notice")
        #expect(notices.map { $0["name"] } == ["MyApp.pay"])
        #expect(notices[0]["output"]?.stringValue?.contains("no handler at /pay") == true)
    }

    /// Files of a page push no calls out.
    @Test func requestsDoNotEvictCallsFromTheJournal() {
        let journal = Journal(isOn: true, limits: .init(records: 10, requests: 5))
        for number in 0..<100 {
            if number % 20 == 0 { _ = journal.begin(Request("/echo"), at: "flag") }
            _ = journal.begin(Request("/a.js"), as: .request, at: "")
        }
        let all = RecordFilter(kinds: Set(JournalRecord.Kind.allCases))
        #expect(journal.read(RecordFilter()).records.count == 5)
        #expect(!journal.read(RecordFilter()).hasLost)
        #expect(journal.read(all).hasLost)
        let numbers = journal.read(all).records.map(\.number)
        #expect(numbers.count == 10 && numbers == numbers.sorted())
        #expect(journal.read(all, since: 100).records.map(\.number) == Array(101...105))
    }

    /// A person whom a script has left the question to.
    private struct Person: Presenter {
        func present(_ question: Question, for request: Request) async throws -> JSON? { "ok" }
    }

    @Test(
        arguments: [
            (ScriptedPresenter(["pay": "cancel"]), "script", "cancel", 6001),
            (ScriptedPresenter(["pay": "cancel"], next: Person()), "script", "cancel", 6001),
            (ScriptedPresenter(next: ScriptedPresenter(["pay": "cancel"])), "script", "cancel", 6001),
            (ScriptedPresenter(["share": "cancel"], next: Person()), "person", "ok", 0),
            (Person(), "person", "ok", 0),
        ] as [(any Presenter, String, String, Int)])
    func theRecordOfACallSaysWhatWasAskedAndWhoDecided(
        _ presenter: any Presenter, _ who: String, _ choice: String, _ code: Int
    ) async throws {
        let program = JournalProgram(Gateway(presenter: presenter, keepsJournal: true))
        try program.gateway.mock([
            "pay": ["$ask": "Pay?", "$choices": ["ok": ["code": 0], "cancel": ["code": 6001]]]
        ])
        await program.call("/pay?_mobile_bridge=1")
        let call = try #require(try await program.calls().first)
        #expect(call["asked"] == ["question": "pay", "choice": .string(choice), "by": .string(who)])
        #expect(call["output"] == ["code": .number(.init(code))])
        #expect(call["reply"]?.stringValue == "pay, \(choice)")
    }

    @Test(arguments: [["$reply": 1, "$delay": 3_600_000], ["$silence": true]] as [JSON])
    func aCallWhoseCallerLeavesBeforeItsMockAnswersIsRecordedAsLeft(_ mock: JSON) async throws {
        let program = JournalProgram(Gateway(keepsJournal: true))
        try program.gateway.mock(["pay": mock])
        let call = Task { await program.call("/pay?_mobile_bridge=1") }
        while try await program.calls().isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        #expect(try await program.calls().first?["state"] == "waiting")
        call.cancel()
        await call.value
        let left = try #require(try await program.calls().first)
        #expect(left["state"] == "left" && left["reply"]?.stringValue?.hasPrefix("pay") == true, "\(left)")
    }

    @Test func theRecordOfACallThatWaitsForAPersonSaysSo() async throws {
        let log = LogBook()
        let program = JournalProgram(Gateway(keepsJournal: true, logger: log.logger))
        let gateway = program.gateway
        try gateway.mock([
            "pay": ["$ask": "Pay?\nNow?", "$choices": ["ok": ["code": 0], "cancel": ["code": 6001]]]
        ])
        await program.call("/pay?_mobile_bridge=1")
        let nobody = "nobody could be asked: there is no terminal, and no inspector is open"
        let unasked = try #require(try await program.calls().first)
        #expect(unasked["asked"] == ["question": "pay", "choice": "cancel", "by": "nobody"])
        #expect(unasked["why"] == [.string(nobody)])
        let last = "took the last choice, cancel. Decide it by --choose 'pay=ok'"
        #expect(log.entries.contains("notice: pay: \(nobody); \(last)"), "\(log.entries)")
        _ = await program.ask(.delete, "calls")

        _ = await program.ask(.get, "questions")
        let call = Task { await program.call("/pay?_mobile_bridge=1") }
        await until { !gateway.questions.waiting.isEmpty }
        let waiting = try #require(try await program.calls().first)
        #expect(waiting["asked"] == ["question": "pay"] && waiting["state"] == "waiting")
        let number = try #require(gateway.questions.waiting.first?.number)
        let listed = try await program.ask(.get, "questions").json()["data"]?[0]
        #expect(listed?["call"] == waiting["number"])
        let line = "notice: ? \(number)  pay  Pay? Now?  [ok/cancel]; "
        #expect(log.entries.last == "\(line)waiting for a program to answer it")
        _ = await program.ask(.post, "questions/\(number)", #"{"choice": "ok"}"#)
        await call.value
        let decided = try #require(try await program.calls().first)
        #expect(decided["asked"] == ["question": "pay", "choice": "ok", "by": "program"])

        // A caller who leaves before anybody decides.
        gateway.questions.inspect(true)
        let left = Task { await program.call("/pay?_mobile_bridge=1") }
        await until { !gateway.questions.waiting.isEmpty }
        #expect(log.entries.last?.hasSuffix("  [ok/cancel]; answer it in the inspector") == true)
        left.cancel()
        await left.value
        let ended = try #require(try await program.calls().last)
        #expect(ended["asked"] == ["question": "pay"] && ended["state"] == "left", "\(ended)")
    }

    @Test func theRecordOfATimedOutQuestionSaysThatNobodyDecided() async throws {
        let program = JournalProgram(Gateway(keepsJournal: true))
        try program.gateway.mock(["q": ["$ask": "Q?", "$within": 20, "$choices": ["a": 1, "b": 2]]])
        _ = await program.ask(.get, "questions")
        await program.call("/q?_mobile_bridge=1")
        let call = try #require(try await program.calls().first)
        #expect(call["asked"] == ["question": "q", "choice": "b", "by": "nobody"])
        let verdict = try await program.ask(.post, "calls/verify", #"{"unanswered": 0}"#).json()
        #expect(verdict["message"] == "calls that nobody answered: 1 times, wanted 0: q")
    }

    /// Handlers that were asked before the one that answers, and did not take the call.
    @Test func theRecordOfACallNamesTheHandlersThatDeclinedIt() async throws {
        struct Choosy: Handler {
            static func canInit(with request: Request) -> Bool { false }
            func handle(_ request: Request) async throws -> Response { Response(text: "never") }
        }
        let program = JournalProgram()
        try program.gateway.register(Choosy.self, at: "/choosy")
        try program.gateway.register(PageHandlers.Echo.self, at: "/*")
        await program.call("/choosy?_mobile_bridge=1")
        let calls = try await program.calls()
        #expect(calls[0]["why"]?[0]?.stringValue?.contains("canInit(with:) was false") == true, "\(calls)")
        #expect(calls[0]["by"] == "handler")
    }
}
