import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeJournal

/// What was called of native, as programs that test read it.
@Suite("The journal of calls", .timeLimit(.minutes(5))) struct JournalTests {
    /// One record for each call, whichever bridge it came by, in the order in which they began.
    @Test func aCallByEachBridgeIsOneRecord() async throws {
        let program = JournalProgram()
        let gateway = program.gateway
        await program.call("/echo?_mobile_bridge=1&a=1", #"{"b": 2}"#)
        _ = await gateway.respond(
            to: Request(
                .post, "/echo", authority: "__jsbridge__", headers: [.contentType: "application/json"],
                body: .init("[1]")))
        _ = await gateway.respond(
            to: Request(
                .post, "/", authority: "__jsbridge__", headers: [.contentType: "application/json"],
                body: .init(#"{"action": "fail", "data": {"c": 3}}"#)))
        let page = TestPage(gateway)
        for (id, bridge) in ["wvjb", "shortcut", "message"].enumerated() {
            page.tell([
                "call": "echo", "id": .number(.init(id + 1)), "bridge": .string(bridge),
                "data": ["by": .string(bridge)],
            ])
            _ = try await page.reply(id + 1)
        }
        page.tell(["call": "nobody/knows", "id": 9, "bridge": "shortcut"])
        _ = try await page.reply(9)
        // What passes on is not a call of native's, and the coming of the page (4) neither.
        _ = await gateway.respond(to: Request("/index.html"))

        let calls = try await program.calls()
        #expect(calls.compactMap { $0["number"]?.numberValue?.intValue } == [1, 2, 3, 5, 6, 7, 8])
        #expect(
            calls.map { $0["bridge"]?.stringValue } == [
                "flag", "__jsbridge__", "__jsbridge__", "wvjb", "shortcut", "message", "shortcut",
            ])
        #expect(
            calls.map { $0["name"]?.stringValue } == [
                "echo", "echo", "fail", "echo", "echo", "echo", "nobody/knows",
            ])
        #expect(
            calls.map { $0["input"] } == [
                ["b": 2, "a": "1"], [1], ["c": 3], ["by": "wvjb"], ["by": "shortcut"], ["by": "message"],
                .null,
            ])
        #expect(
            calls.map { $0["state"]?.stringValue } == [
                "answered", "answered", "error", "answered", "answered", "answered", "error",
            ])
        #expect(calls.map { $0["by"]?.stringValue } == Array(repeating: "handler", count: 6) + ["nobody"])
        #expect(calls[0]["output"] == ["b": 2, "a": "1"])
        #expect(calls[2]["output"] == ["code": 418, "message": "no tea"])
        #expect(calls[2]["code"] == 418)
        #expect(calls[3]["page"]?["id"]?.stringValue == page.id)
        #expect(calls[0]["page"] == .null)
        #expect(
            calls.allSatisfy {
                $0["milliseconds"] != nil && $0["session"] == "default" && $0["kind"] == "call"
            })
    }

    @Test func theRecordOfACallSaysWhyEarlierCasesDidNotFit() async throws {
        let program = JournalProgram()
        let gateway = program.gateway
        try gateway.mock([
            "pay": ["$cases": [["$when": ["channel": "alipay"], "$reply": 1], ["$reply": 2]]],
            "quiet": ["$silence": true], "gone": ["$missing": true],
            "broken": ["$error": ["code": 7, "message": "no"]],
        ])
        await program.call("/pay?_mobile_bridge=1", #"{"channel": "wechat"}"#)
        await program.call("/gone?_mobile_bridge=1")
        await program.call("/broken?_mobile_bridge=1")
        let page = TestPage(gateway)
        page.tell(["call": "quiet", "id": 1, "bridge": "wvjb"])
        await until { gateway.journal.read(RecordFilter(state: .silent)).records.count == 1 }
        let calls = try await program.calls()
        #expect(calls.map { $0["state"]?.stringValue } == ["answered", "missing", "error", "silent"])
        #expect(calls.map { $0["by"]?.stringValue } == ["reply", "reply", "reply", "reply"])
        #expect(calls[0]["reply"] == "pay, case 2")
        #expect(
            calls[0]["why"]?[0]?.stringValue?.contains(#"channel is "wechat", wanted "alipay""#) == true,
            "\(calls[0])")
        #expect(calls[2]["code"] == 7)
    }

    @Test func aTestWaitsForACallOrLearnsWhatCameInstead() async throws {
        let program = JournalProgram()
        async let waiting = program.calls("?name=echo&count=2&seconds=30")
        for _ in 0..<2 { await program.call("/echo?_mobile_bridge=1") }
        #expect(try await waiting.count == 2)
        let late = await program.ask(.get, "calls?name=pay&count=1&seconds=0.05")
        #expect(late.status == .gatewayTimeout)
        #expect(
            try await late.text().contains("0 of 1 calls of pay have begun after 0.05 s; called: echo"))
    }

    @Test func aFailedCheckNamesTheClosestCall() async throws {
        let program = JournalProgram()
        await program.call("/echo?_mobile_bridge=1", #"{"orderNo": 17, "by": "card"}"#)
        await program.call("/text?_mobile_bridge=1")
        func verify(_ check: String) async throws -> (HTTPResponse.Status, JSON) {
            let answer = await program.ask(.post, "calls/verify", check)
            return (answer.status, try await answer.json())
        }
        for right in [
            #"{"name": "echo", "when": {"orderNo": 17}, "count": 1}"#, #"{"name": "/echo"}"#,
            #"{"name": "echo", "equals": {"by": "card", "orderNo": 17.0}}"#, #"{"name": "pay", "count": 0}"#,
            #"{"atMost": 2}"#, #"{"order": ["echo", "text"]}"#, #"{"unanswered": 0}"#,
        ] {
            let (status, answer) = try await verify(right)
            #expect(status == .ok, "\(right): \(answer)")
        }
        let (status, answer) = try await verify(#"{"name": "echo", "when": {"orderNo": 18}}"#)
        #expect(status == .expectationFailed)
        #expect(
            answer["message"]
                == "echo: 0 times with such an input, wanted at least 1; call 1: orderNo is 17, wanted 18")
        #expect(answer["data"]?["wanted"] == ["orderNo": 18])
        #expect(answer["data"]?["call"]?["input"] == ["orderNo": 17, "by": "card"])
        for (check, sentence) in [
            (#"{"name": "echo", "count": 2}"#, "echo: 1 times, wanted 2"),
            (#"{"name": "text", "count": 0, "seconds": 100}"#, "text: 1 times, wanted 0"),
            (#"{"name": "pya"}"#, "pya: 0 times, wanted at least 1; called: echo, text"),
            (#"{"atMost": 1}"#, "calls: 2 times, wanted at most 1: echo, text"),
            (
                #"{"order": ["text", "echo"]}"#,
                "echo was not called after text, call 2; called: echo, text"
            ),
        ] { #expect(try await verify(check).1["message"] == .string(sentence)) }
        for (check, sentence) in [
            (#"{"nme": "echo"}"#, "did you mean name?"), (#"{"count": 1, "atMost": 2}"#, "only one of count"),
            (#"{"when": {"a": {"$matchh": 1}}}"#, "$match"), ("[]", "a check is an object"),
        ] {
            let (status, answer) = try await verify(check)
            #expect(status == .badRequest && "\(answer)".contains(sentence), "\(answer)")
        }
    }

    /// A session sees what its own pages have called, from where it began to look.
    @Test func eachSessionSeesItsOwnCalls() async throws {
        let program = JournalProgram()
        let gateway = program.gateway
        for session in ["ann", "eve"] {
            _ = await gateway.respond(
                to: Request("/echo?_mobile_bridge=1&by=\(session)", headers: [.session: session]))
        }
        #expect(try await program.calls("?session=ann").map { $0["input"] } == [["by": "ann"]])
        #expect(try await program.calls().isEmpty)
        _ = await program.ask(.delete, "calls?session=ann")
        #expect(try await program.calls("?session=ann").isEmpty)
        #expect(try await program.calls("?session=eve").count == 1)
        _ = await program.ask(.post, "reset?session=eve")
        #expect(try await program.calls("?session=eve").isEmpty)
    }

    /// A reader by a cursor sees each record once, and is told where some have gone.
    @Test func readingByACursorReturnsEachRecordOnce() async throws {
        let program = JournalProgram()
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<100 {
                        await program.call("/echo?_mobile_bridge=1&n=\(task).\(number)")
                    }
                }
            }
        }
        var (seen, next) = ([Int](), 1)
        while true {
            let answer = try await program.ask(.get, "calls?since=\(next)&limit=37").json()["data"]
            let calls = answer?["calls"]?.arrayValue ?? []
            seen += calls.compactMap { $0["number"]?.numberValue?.intValue }
            next = try #require(answer?["next"]?.numberValue?.intValue)
            if calls.isEmpty { break }
        }
        #expect(seen == Array(1...800))

        let journal = Journal(isOn: true, limits: .init(records: 10))
        for _ in 0..<5000 { _ = journal.begin(Request("/echo"), at: "flag") }
        #expect(journal.ends(of: [.call]).lastLost == 4990)
        #expect(journal.read(RecordFilter()).records.map(\.number) == Array(4991...5000))
        #expect(journal.read(RecordFilter()).hasLost)
        journal.forget(.usual)
        #expect(!journal.read(RecordFilter(session: .usual)).hasLost)
    }

    @Test func anotherNumberOfRecordsIsKept() {
        let journal = Journal(isOn: true)
        journal.keep(records: 3)
        for _ in 0..<5 { _ = journal.begin(Request("/echo"), at: "flag") }
        #expect(journal.read(RecordFilter()).records.map(\.number) == [3, 4, 5])
    }

    /// Tests that come after thousands of others' calls have sessions of their own, of which nothing is lost.
    @Test func aCheckIsRefusedOnlyIfCallsOfItsSessionWereDropped() async throws {
        let program = JournalProgram()
        let check = #"{"name": "echo", "count": 1}"#
        func verify(_ session: String) async -> HTTPResponse.Status {
            await program.ask(.post, "calls/verify?session=\(session)", check).status
        }
        await program.call("/echo?_mobile_bridge=1", headers: [.session: "old"])
        for _ in 0..<10_100 { _ = program.gateway.journal.begin(Request("/other"), at: "flag") }
        await program.call("/echo?_mobile_bridge=1", headers: [.session: "new"])
        #expect(await verify("new") == .ok)
        #expect(await verify("nobody") == .expectationFailed)
        #expect(await verify("old") == .conflict)
        #expect(await verify("default") == .conflict)
        #expect(await program.ask(.post, "calls/verify?session=*", check).status == .conflict)
        // What the inspector asks for "Copy as verify", and the line itself: lost calls change neither.
        for (check, status) in [
            (#"{"name": "echo", "equals": {}, "atLeast": 0}"#, HTTPResponse.Status.ok),
            (#"{"name": "other", "seconds": 5}"#, .ok), (#"{"name": "other"}"#, .ok),
            (#"{"order": ["other", "echo"]}"#, .ok), (#"{"order": ["echo", "other"]}"#, .conflict),
            (#"{"name": "echo", "atLeast": 2}"#, .conflict),
            (#"{"name": "echo", "count": 0}"#, .expectationFailed),
        ] {
            let answer = await program.ask(.post, "calls/verify?session=*", check)
            #expect(answer.status == status, "\(check)")
        }
        _ = await program.ask(.delete, "calls?session=old")
        await program.call("/echo?_mobile_bridge=1", headers: [.session: "old"])
        #expect(await verify("old") == .ok)
        _ = await program.ask(.delete, "calls?session=*")
        #expect(await verify("new") == .expectationFailed)
    }

    /// What nobody can know any more is treated as lost.
    @Test func callsOfAForgottenSessionAreTreatedAsLost() throws {
        var views = SessionViews()
        let sessions = try (1...10_001).map { try #require(Session("s\($0)")) }
        for (place, session) in sessions.enumerated() { views.begin(session, at: place + 1) }
        #expect(views[sessions[0]].lastLost(of: [.call]) == .max)
        #expect(views[sessions[10_000]].from == 10_001)
        #expect(views[sessions[10_000]].lastLost(of: [.call]) == 0)
        // It begins anew.
        views.begin(sessions[0], at: 20_000)
        #expect(views[sessions[0]].from == 20_000)
        #expect(views[sessions[0]].lastLost(of: [.call, .request]) == 0)
        // Where all is forgotten, nothing of it can be missing.
        #expect(views[sessions[1]].lastLost(of: [.call]) == .max)
        views.begin(nil, at: 30_000)
        #expect(views[sessions[1]].lastLost(of: [.call]) == 0 && views[sessions[1]].from == 30_000)
    }

    @Test func aCheckWaitsUntilItHolds() async throws {
        let program = JournalProgram()
        async let answer = program.ask(
            .post, "calls/verify", #"{"name": "echo", "when": {"n": "2"}, "count": 1, "seconds": 600}"#)
        for number in 1...2 {
            await until { program.gateway.journal.state.withLock { $0.waiters.count == 1 } }
            await program.call("/echo?_mobile_bridge=1&n=\(number)")
        }
        let calls = try await answer.json()["data"]?["calls"]
        #expect(calls?.arrayValue?.map { $0["input"] } == [["n": "2"]])
    }

    /// What came and went while it waited would be missing from what it gets.
    @Test func aWaitingReaderGetsA410IfItsRecordsWereDropped() async throws {
        let program = JournalProgram()
        let journal = program.gateway.journal
        await program.call("/echo?_mobile_bridge=1")
        async let asked = program.ask(.get, "calls?since=1&name=echo&count=3&seconds=600")
        await until { journal.state.withLock { $0.waiters.count == 1 } }
        for _ in 0..<10_000 { _ = journal.begin(Request("/other"), at: "flag") }
        await program.call("/echo?_mobile_bridge=1")
        let late = await asked
        #expect(late.status == .gone)
        #expect(try await late.text().contains("are gone; read on from there"))
        // Who says no place waits for what comes, whatever has gone.
        for _ in 0..<2 { await program.call("/echo?_mobile_bridge=1") }
        let calls = try await program.calls("?name=echo&count=3&seconds=600")
        #expect(calls.count == 3)
    }

    /// Bytes are bounded, for each value, for one page, and for all.
    @Test func theMemoryOfTheJournalIsBounded() throws {
        let gateway = Gateway()
        let large = [UInt8](repeating: 0x31, count: 100_000)
        let journal = Journal(isOn: true, limits: .init(records: 1000, bytes: 1 << 20))
        let page = try #require(gateway.pages[TestPage(gateway).id])
        for number in 1...100 {
            let request =
                number % 2 == 0
                ? Request("/echo")
                : Request(
                    CallingPage(page: page, call: PageCall("echo")), of: "echo", with: .null, page.head,
                    remoteAddress: nil, answerer: gateway)
            let record = journal.begin(request, at: "flag")
            journal.note(large, of: request, record)
        }
        let records = journal.read(RecordFilter()).records
        #expect(records.allSatisfy { $0.input.bytes.count <= 65_536 && !$0.input.isWhole })
        let all: Int = records.reduce(0) { $0 + $1.bytes }
        #expect(all <= 1_048_576)
        let ofPage: Int = records.filter { $0.page != nil }.reduce(0) { $0 + $1.bytes }
        #expect(ofPage <= 524_288 + 65_536)
        #expect(records.count > 10)
    }

    /// A page says what it likes of itself, again with each record.
    @Test func longTitlesAreCutAndCounted() throws {
        let gateway = Gateway(keepsJournal: true)
        let page = try #require(gateway.pages[TestPage(gateway).id])
        let before = gateway.journal.keptBytes
        for number in 1...10 {
            page.move(to: nil, title: String(repeating: "é", count: 1 << 20) + "\(number)")
            page.note(isHidden: number % 2 == 1)
        }
        let more = gateway.journal.keptBytes - before
        #expect(more > 10 * 800 && more < 10 * 2000, "\(more)")
        #expect(page.title.count == Page.mostOfTitle + 1)
        #expect(gateway.journal.read(RecordFilter(kinds: [.page])).records.last?.page?.title.count == 301)
    }

    @Test func aRequestThatPassesThroughIsFoundByItsPath() async throws {
        let program = JournalProgram(Gateway(passThrough: [Files()], keepsJournal: true))
        _ = await program.gateway.respond(to: Request("/style.css?v=1"))
        for name in ["/style.css", "style.css"] {
            let found = try await program.calls("?kind=request&name=\(name)")
            #expect(found.map { $0["name"] } == ["/style.css"], "\(name)")
        }
        let check = #"{"kind": "request", "name": "/style.css", "count": 0}"#
        #expect(await program.ask(.post, "calls/verify", check).status == .expectationFailed)
    }

    private struct Files: Responder {
        func respond(to request: Request) async throws -> Response? { Response(text: "file") }
    }

    /// Where calls that nobody has pass on, whoever is behind answers them.
    @Test func aCallThatPassesThroughIsRecordedAsAnswered() async throws {
        let program = JournalProgram(
            Gateway(passThrough: [Files()], unhandled: .passThrough, keepsJournal: true))
        await program.call("/nobody?_mobile_bridge=1")
        let call = try #require(try await program.calls().first)
        #expect(call["state"] == "answered" && call["code"] == 200, "\(call)")
        #expect(call["by"] == nil)
    }

    /// What waits now may be answered in a moment.
    @Test func aCheckOfCallStatesWaitsUntilTheyChange() async throws {
        let program = JournalProgram()
        let request = Request("/pay?_mobile_bridge=1")
        let number = program.gateway.journal.begin(request, at: "flag")
        async let answer = program.ask(
            .post, "calls/verify", #"{"name": "pay", "state": "waiting", "count": 0, "seconds": 600}"#)
        await until { program.gateway.journal.state.withLock { $0.waiters.count == 1 } }
        program.gateway.journal.end(number, .answered)
        #expect(await answer.status == .ok)
    }

    @Test func aGatewayKeepsNoJournalUnlessItIsAsked() async throws {
        let program = JournalProgram(Gateway())
        await program.call("/echo?_mobile_bridge=1")
        let answer = await program.ask(.get, "calls")
        #expect(answer.status == .notFound)
        #expect(try await answer.text().contains("keepsJournal: true"))
    }
}
