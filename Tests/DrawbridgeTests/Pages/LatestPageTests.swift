import HTTPTypes
import TestSupport
import Testing

@testable import Drawbridge

/// The page that was opened last, without its id, and what the log says of testers.
@Suite("The latest page", .timeLimit(.minutes(5))) struct LatestPageTests {
    private static func ask(
        _ gateway: Gateway, _ method: HTTPRequest.Method, _ path: String, _ body: String = "",
        session: String? = nil
    ) async throws -> (status: Int, body: JSON) {
        var headers: HTTPFields = [.authorization: "Bearer \(gateway.testerToken.text)"]
        headers[.session] = session
        let response = await gateway.respond(
            to: Request(method, "/__drawbridge__/pages\(path)", headers: headers, body: .init(body)))
        return (response.status.code, try await response.json())
    }

    @Test func theLatestPageIsThatOfTheAskingSession() async throws {
        let gateway = PageHandlers.gateway()
        let none = try await Self.ask(gateway, .post, "/latest/call", #"{"name":"share"}"#)
        #expect(none.status == 404)
        #expect(none.body["message"]?.stringValue?.hasPrefix("there is no page in session default;") == true)

        let first = TestPage(gateway)
        let ann = TestPage(gateway, url: "http://localhost/b.html", session: "ann")
        let script = Task { try await Self.ask(gateway, .post, "/latest/evaluate", #"{"script":"1+1"}"#) }
        let evaluate = try await first.message { $0["evaluate"] == "1+1" }
        first.tell(["result": evaluate["id"] ?? .null, "value": 2])
        #expect(
            try await script.value.body == [
                "code": 200, "data": 2, "message": "",
                "page": ["id": .string(first.id), "url": "http://localhost/a.html", "title": "A"],
            ])

        let second = TestPage(gateway)
        #expect(
            try await Self.ask(gateway, .post, "/latest/emit", #"{"event":"e"}"#).body["page"]?["id"]?
                .stringValue == second.id)
        _ = try await second.message { $0["event"] == "e" }
        #expect(try await Self.ask(gateway, .get, "/latest").body["data"]?["id"]?.stringValue == second.id)
        for (query, session) in [("?session=ann", nil), ("", "ann")] {
            let sent = try await Self.ask(
                gateway, .post, "/latest/send\(query)", #"{"name":"n"}"#, session: session)
            #expect(sent.body["page"]?["id"]?.stringValue == ann.id)
        }
        // One that is away is not where somebody looks.
        second.leaveWire()
        #expect(try await Self.ask(gateway, .get, "/latest").body["data"]?["id"]?.stringValue == first.id)
    }

    /// A phone's page may be the one that is tested.
    @Test func theLatestPageMayBeOnAnotherMachine() async throws {
        let gateway = PageHandlers.gateway()
        let page = TestPage(gateway, from: "192.0.2.7")
        let answer = try await Self.ask(gateway, .get, "/latest")
        #expect(answer.body["data"]?["id"]?.stringValue == page.id)
    }

    @Test func aScriptIsNotRunWhereSeveralPagesAreOpen() async throws {
        let gateway = PageHandlers.gateway()
        let (first, second) = (TestPage(gateway), TestPage(gateway))
        _ = TestPage(gateway, session: "ann")
        let answer = try await Self.ask(gateway, .post, "/latest/evaluate", #"{"script":"1"}"#)
        #expect(answer.status == 409)
        #expect(answer.body["message"]?.stringValue?.hasPrefix("2 pages of session default are open") == true)
        #expect(answer.body["data"]?.arrayValue?.map { $0["id"]?.stringValue } == [second.id, first.id])
        #expect(first.down.isEmpty && second.down.isEmpty)
    }

    @Test func wrongMethodsOfPageEndpointsAreRefused() async throws {
        let gateway = PageHandlers.gateway()
        let page = TestPage(gateway)
        for (method, path, status) in [
            (HTTPRequest.Method.post, "", 405), (.delete, "/latest", 405), (.get, "/latest/call", 405),
            (.get, "/\(page.id)/call", 405), (.post, "/latest/dance", 404), (.get, "/a/b/c", 404),
        ] { #expect(try await Self.ask(gateway, method, path).status == status, "\(method) \(path)") }
    }

    /// It may change what pages get, and nobody else sees who did.
    @Test func theActionsOfATesterAreLogged() async throws {
        let log = LogBook()
        let gateway = Gateway(keepsJournal: true, logger: log.logger)
        PageHandlers.register(on: gateway)
        let file = try ReplyFile(
            LocatedJSON(
                parsing: Array(
                    #"{"scenarios": {"offline": {"a": 1}}, "events": {"back": [{"emit": "b"}]}}"#.utf8)))
        gateway.reply(by: ReplyLayers(ReplyNames(), files: [file], scenario: []))
        let page = TestPage(gateway)
        _ = try await Self.ask(gateway, .post, "/latest/send", #"{"name":"on\nPaid","data":"s3cret"}"#)
        _ = try await Self.ask(gateway, .post, "/latest/emit", #"{"event":"e","data":"s3cret"}"#)
        let script = Task { try await Self.ask(gateway, .post, "/latest/evaluate", #"{"script":"s3cret"}"#) }
        let evaluate = try await page.message { $0["evaluate"] != nil }
        page.tell(["result": evaluate["id"] ?? .null, "value": 2])
        _ = try await script.value
        let program = JournalProgram(gateway, withHandlers: false)
        for (method, target, body) in [
            (HTTPRequest.Method.put, "replies?name=pay&session=ann", #""s3cret""#),
            (.delete, "replies?name=pay&session=ann", ""),
            (.put, "scenario", #"{"scenario": "offline"}"#), (.post, "events/back", ""),
            (.post, "calls", #"{"name": "echo", "input": "s3cret"}"#), (.post, "calls/LAST/resend", ""),
            (.delete, "calls", ""), (.post, "reset?session=ann", ""),
        ] {
            let last = gateway.journal.calls().last?.number ?? 0
            let target = target.replacing("LAST", with: "\(last)")
            let answer = await program.ask(method, target, body)
            let text = try await answer.text()
            #expect(answer.status == .ok, "\(target) \(text)")
        }
        let place = "page \(page.id.prefix(8)) at /a.html"
        #expect(
            log.entries.filter { $0.hasPrefix("notice: ") } == [
                #"notice: a tester sends "on\nPaid", \#(place)"#, #"notice: a tester emits "e", \#(place)"#,
                "notice: a tester runs a script of 6 bytes, \(place)",
                #"notice: a tester sets the reply for "pay" in session ann"#,
                #"notice: a tester takes back the reply for "pay" in session ann"#,
                "notice: scenario offline is on", #"notice: a tester plays the event "back""#,
                #"notice: a tester calls "echo" of native"#, "notice: a tester makes call 6 again",
                "notice: a tester forgets the calls",
                "notice: a tester resets what was changed in session ann",
            ], "\(log.entries)")
        #expect(!log.entries.contains { $0.contains("s3cret") })
    }

    @Test func theAnswerToAQuestionIsLogged() async throws {
        let log = LogBook()
        let gateway = Gateway(logger: log.logger)
        try gateway.mock(["delete": ["$ask": "Delete?", "$choices": ["yes": 1, "no": 2]]])
        let program = JournalProgram(gateway)
        _ = await program.ask(.get, "questions")
        let answer = Task { await gateway.respond(to: Request("/delete?_mobile_bridge=1")) }
        await until { gateway.questions.waiting.count == 1 }
        #expect(await program.ask(.post, "questions/1", #"{"choice": "yes"}"#).status == .ok)
        #expect(try await answer.value.json()["data"] == 1)
        #expect(log.entries.contains(#"notice: a tester answers question "1""#))

        // A person is not a tester.
        let again = Task { await gateway.respond(to: Request("/delete?_mobile_bridge=1")) }
        await until { gateway.questions.waiting.count == 1 }
        let deed = Request(
            .post, "/__drawbridge__/questions/2", headers: [.contentType: "application/json"],
            body: .init(#"{"choice": "no"}"#))
        #expect(await gateway.respond(toInspector: deed).status == .ok)
        #expect(try await again.value.json()["data"] == 2)
        #expect(log.entries.contains(#"notice: the inspector answers question "2""#), "\(log.entries)")
    }
}
