import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeMessages

extension Gateway {
    /// A quiet gateway with an echo at `/echo`, and replies.
    static func replying(_ replies: String, logger: Logger = .quiet) async throws -> Gateway {
        let gateway = Gateway.testing(logger: logger)
        try gateway.mock(JSON(parsing: Array(replies.utf8)))
        return gateway
    }
}

/// Replies in place of handlers, at the doors that are requests.
@Suite("Mocks") struct RepliesTests {
    private static func requests(_ name: String, _ input: String = #"{"user":"ann"}"#) -> [Request] {
        [
            Request(.post, "/\(name)?_mobile_bridge=1", body: .init(input)),
            Request(.post, "/__jsbridge__/\(name)", body: .init(input)),
            Request(.post, "/__jsbridge__", body: .init(#"{"action":"\#(name)","data":\#(input)}"#)),
            Request(.post, "/\(name)", authority: "__jsbridge__", body: .init(input)),
        ]
    }

    /// What each door gives.
    private static func asked(_ gateway: Gateway, _ name: String) async throws -> [String] {
        var texts: [String] = []
        for request in requests(name) { texts.append(try await gateway.respond(to: request).text()) }
        return texts
    }

    @Test(arguments: [
        (
            #"{"nick": "Ann", "price": 12.50}"#,
            #"{"code":200,"data":{"nick":"Ann","price":12.50},"message":""}"#
        ),
        ("null", #"{"code":200,"message":""}"#), ("[]", #"{"code":200,"data":[],"message":""}"#),
        (#"{"$reply": "hello {{input.user}}"}"#, #"{"code":200,"data":"hello ann","message":""}"#),
        (#"{"$reply": {"$key": "{{input}}"}}"#, #"{"code":200,"data":{"$key":{"user":"ann"}},"message":""}"#),
        (
            #"{"$error": {"code": 1001, "message": "no app, {{input.user}}", "data": {"at": "{{input.user}}"}}}"#,
            #"{"code":1001,"message":"no app, ann","data":{"at":"ann"}}"#
        ),
        (#"{"$error": {"code": 404}}"#, #"{"code":404,"message":""}"#),
        (
            #"{"$cases": [{"$when": {"user": "bob"}, "$reply": 1}, {"$when": {"user": "ann"}, "$reply": 2}]}"#,
            #"{"code":200,"data":2,"message":""}"#
        ),
        (#"{"$missing": true}"#, #"{"code":400,"message":"No response"}"#),
    ])
    func aMockAnswersByEachBridgeOfRequests(_ reply: String, _ expected: String) async throws {
        let gateway = try await Gateway.replying(#"{"getUser": \#(reply)}"#)
        #expect(try await Self.asked(gateway, "getUser") == Array(repeating: expected, count: 4))
    }

    @Test func aMockComesBeforeAHandlerAndMayPassToIt() async throws {
        let gateway = try await Gateway.replying(#"{"echo": "reply"}"#)
        #expect(try await Self.asked(gateway, "echo")[0] == #"{"code":200,"data":"reply","message":""}"#)
        let echoed = Array(repeating: #"{"code":200,"data":{"user":"ann"},"message":""}"#, count: 4)
        for beneath in [["$pass": true], ["$cases": [["$when": ["user": "bob"], "$reply": 1]]]] as [JSON] {
            try gateway.mock(["echo": beneath])
            #expect(try await Self.asked(gateway, "echo") == echoed)
        }
        try gateway.mock([:])
        #expect(try await Self.asked(gateway, "echo") == echoed)
    }

    @Test func aGatewayCanBeGivenMocksInCode() async throws {
        let gateway = Gateway()
        try gateway.mock(["getUser": ["nick": "Ann"], "sync": ["$error": ["code": 1001]]])
        #expect(try await gateway.text(at: "/getUser") == #"{"code":200,"data":{"nick":"Ann"},"message":""}"#)
        #expect(try await gateway.text(at: "/sync") == #"{"code":1001,"message":""}"#)
        let fault = #expect(throws: ReplyFault.self) {
            try gateway.mock(["a": 1], ["b": ["$replay": 1]])
        }
        #expect(
            "\(try #require(fault))".hasPrefix("b.$replay: unknown keyword $replay (did you mean $reply?)"))
        let text = #expect(throws: ReplyFault.self) { try gateway.mock(#"{"a": 1}"#) }
        #expect("\(try #require(text))" == #"replies are an object, such as {"getUser": {"nick": "Ann"}}"#)
        #expect(try await gateway.text(at: "/sync") == #"{"code":1001,"message":""}"#)
        try gateway.mock(["a": 1, "sync": ["$pass": true]], ["a": 2, "sync": "second"])
        #expect(try await gateway.text(at: "/a") == #"{"code":200,"data":1,"message":""}"#)
        #expect(try await gateway.text(at: "/sync") == #"{"code":200,"data":"second","message":""}"#)
        try gateway.mock()
        #expect(try await gateway.text(at: "/a") == #"{"code":400,"message":"No response"}"#)
    }

    @Test func aMockIsFoundWhereverTheActionIsNamed() async throws {
        let gateway = try await Gateway.replying(#"{"user/:id": {"$sequence": [1, 2, 3, 4]}}"#)
        let answers = try await Self.asked(gateway, "user/7")
        #expect(answers == (1...4).map { #"{"code":200,"data":\#($0),"message":""}"# })
    }

    @Test func mocksAnswerTheSameMethodsAsHandlers() async throws {
        let gateway = try await Gateway.replying(#"{"a": 1}"#)
        for method in [HTTPRequest.Method.get, .post, .put, .delete, .patch] {
            #expect(try await gateway.respond(to: Request(method, "/a?_mobile_bridge=1")).json()["data"] == 1)
        }
        for method in [HTTPRequest.Method.head, .options] {
            let answer = await gateway.respond(to: Request(method, "/a?_mobile_bridge=1"))
            #expect(answer.code == 405)
            #expect(answer.headers[.allow] == "GET, POST, PUT, PATCH, DELETE")
        }
    }

    @Test func queriesAndFormsAreInputOfMocks() async throws {
        let gateway = try await Gateway.replying(
            #"{"a": {"$cases": [{"$when": {"n": 5, "ok": true}, "$reply": "{{input.name}}"}]}}"#)
        let asked = [
            Request("/a?n=5&ok=true&name=Ann&_mobile_bridge=1"),
            Request(.post, "/a?_mobile_bridge=1&n=5.0", body: .init("ok=true&name=Ann")),
            Request(.post, "/a?_mobile_bridge=1&name=Ann", body: .init(#"{"n": 5, "ok": true}"#)),
        ]
        for request in asked {
            #expect(try await gateway.respond(to: request).json()["data"] == "Ann", "\(request.target)")
        }
    }

    private final class Asked: ReplySupplier {
        let calls = Observed<[JSON]>([])

        func ask(_ call: [UInt8], at target: ForwardTarget, for request: Request) async throws -> [UInt8] {
            calls.change { $0.append((try? JSON(parsing: call))?["name"] ?? .null) }
            return Array("1".utf8)
        }

        func open(_ file: AnswerFile, for request: Request?) throws -> Response? { nil }
    }

    /// The name as journal and file have it, whichever way it came.
    @Test(arguments: ["getUser", "取得", "it's", "a b", "100%", "user/7", "é", "a+b", "🎉", "x#y", "a%2Fb"])
    func aProgramGetsTheNameAsItWasCalled(name: String) async throws {
        let gateway = try await Gateway.replying(#"{"*": {"$forward": "http://127.0.0.1:1/"}}"#)
        let asked = Asked()
        gateway.configure { $0.replySupplier = asked }
        let path = Percent.encode(name, keeping: "/")
        let body = JSON.object(["action": .string(name)]).bytes
        for request in [
            Request("/\(path)?_mobile_bridge=1"), Request(.post, "/__jsbridge__/\(path)"),
            Request(.post, "/__jsbridge__", body: .init(body)),
        ] { #expect(try await gateway.respond(to: request).json()["data"] == 1) }
        let page = TestPage(gateway)
        page.tell(["call": .string(name), "id": 1, "bridge": "wvjb"])
        _ = try await page.reply(1)
        #expect(asked.calls.value == Array(repeating: .string(name), count: 4))
    }

    @Test func invalidInputIsLeftToTheHandler() async throws {
        let log = LogBook()
        let gateway = try await Gateway.replying(
            #"{"a": {"$cases": [{"$when": {"n": 5}, "$reply": 1}]}}"#, logger: log.logger)
        gateway.answer(at: "/a") { Response(text: "read \($0.body.bytes?.count ?? -1)") }
        let request = Request(.post, "/a?_mobile_bridge=1", body: .init("{no json"))
        #expect(try await gateway.respond(to: request).text() == "read 8")
        #expect(log.entries.last == "info: no mock of a fits: a, case 1: the input cannot be read")
        #expect(
            log.entries.first?.hasPrefix("warning: mocks of a cannot read the input: the body") == true
        )
    }

    @Test func aMockThatRepeatsALargeInputIsA413() async throws {
        let gateway = try await Gateway.replying(
            #"{"a": {"$cases": [{"$when": {"n": 5}, "$reply": ["{{input}}", "{{input}}", "{{input}}"]}]}}"#)
        func ask(_ count: Int) async throws -> JSON {
            let text = String(repeating: "x", count: count)
            let body = Request.Body(#"{"n": 5, "text": "\#(text)"}"#)
            return try await gateway.respond(to: Request(.post, "/a?_mobile_bridge=1", body: body)).json()
        }
        #expect(try await ask(1 << 20)["data"]?[2]?["text"]?.stringValue?.utf8.count == 1 << 20)
        let refused = try await ask(4 << 20)
        #expect(refused["code"] == 413)
        #expect(refused["message"]?.stringValue?.hasPrefix("reply a, case 1 repeats more than 8 MB") == true)
    }

    @Test func aBodyThatNoMockNeedsIsNotCollected() async throws {
        let gateway = try await Gateway.replying(#"{"a": 1}"#)
        guard
            case .taken(.streamed) = gateway.bodyChoice(
                by: gateway.plan(for: Request(.post, "/a?_mobile_bridge=1")))
        else {
            Issue.record("it is collected")
            return
        }
    }

    @Test func aTemplateWhoseInputIsMissingIsLoggedOnce() async throws {
        let log = LogBook()
        let gateway = try await Gateway.replying(#"{"a": {"$reply": "<{{input.b}}>"}}"#, logger: log.logger)
        for _ in 0..<3 { #expect(try await gateway.text(at: "/a").contains(#""data":"<>""#)) }
        #expect(
            log.entries == [
                "warning: a: the input has no b: {{input.b}} is left empty"
            ])
        try gateway.mock(["a": ["$reply": "{{input.b}}"]])
        _ = try await gateway.text(at: "/a")
        #expect(log.entries.count == 2)
    }

    @Test func aMockedErrorIsNotLoggedAsAnErrorOfTheGateway() async throws {
        let log = LogBook()
        let gateway = try await Gateway.replying(
            #"{"a": {"$error": {"code": 500, "message": "on purpose"}}}"#, logger: log.logger)
        #expect(try await gateway.text(at: "/a") == #"{"code":500,"message":"on purpose"}"#)
        #expect(log.entries.isEmpty)
    }

    @Test func aDelayIsWaitedForUnlessItsCallerLeaves() async throws {
        let gateway = try await Gateway.replying(
            #"{"a": {"$reply": 1, "$delay": [20, 30]}, "b": {"$reply": 1, "$delay": 86400000}}"#)
        let began = ContinuousClock.now
        #expect(try await gateway.text(at: "/a").contains(#""data":1"#))
        #expect(began.duration(to: .now) >= .milliseconds(20))
        let task = Task { try await gateway.text(at: "/b") }
        await until { gateway.replyBook.lookup("/b").isEmpty == false }
        task.cancel()
        #expect(try await task.value.contains("was cancelled"))
    }

    @Test func aSilentMockHoldsARequestUntilItsCallerLeaves() async throws {
        let gateway = try await Gateway.replying(#"{"a": {"$silence": true}}"#)
        let task = Task { try await gateway.text(at: "/a") }
        task.cancel()
        #expect(try await task.value.contains("was cancelled"))
    }

    @Test func anAnswerSaysWhichMockGaveIt() async throws {
        let gateway = try await Gateway.replying(
            #"{"pay": {"$cases": [{"$when": {"a": 1}, "$reply": 1}, {"$reply": 2}]}, "支付": 1}"#)
        let answer = await gateway.respond(to: Request("/pay?_mobile_bridge=1"))
        #expect(answer.answeredBy == "reply pay, case 2")
        let timing = try #require(HTTPField.Name("Server-Timing"))
        #expect(answer.headers[timing]?.hasPrefix(#"reply;desc="pay, case 2";dur="#) == true)
        let other = await gateway.respond(to: Request("/%E6%94%AF%E4%BB%98?_mobile_bridge=1"))
        #expect(other.headers[timing]?.hasPrefix(#"reply;desc="%E6%94%AF%E4%BB%98";dur="#) == true)
    }

    @Test func aRequestThatAMockPassesOnHasItsBody() async throws {
        struct Counting: Responder {
            func respond(to request: Request) async throws -> Response? {
                Response(text: "\(try await request.body.collect(upTo: 1 << 20).count)")
            }
        }
        for missing in [["$missing": true], ["$cases": [["$when": ["x": 1], "$reply": 1]]]] as [JSON] {
            let gateway = Gateway.testing(passThrough: [Counting()], unhandled: .passThrough)
            try gateway.mock(["a": missing])
            let request = Request(.post, "/a?_mobile_bridge=1", body: .init(#"{"x": 2}"#))
            #expect(try await gateway.respond(to: request).text() == "8")
            let head = await gateway.respond(to: Request(.head, "/a?_mobile_bridge=1"))
            #expect(head.status == .ok)
        }
    }

    /// Neither an answer nor a failure: the app does not have it.
    @Test func whatAnAppDoesNotHaveHasAStateOfItsOwn() async throws {
        let program = JournalProgram(withHandlers: false)
        try program.gateway.mock(["vibrate": ["$missing": true], "pay": ["$error": ["code": 1]]])
        await program.call("/vibrate?_mobile_bridge=1")
        await program.call("/pay?_mobile_bridge=1")
        #expect(try await program.calls().map { $0["state"] } == ["missing", "error"])
        #expect(try await program.calls("?state=missing").map { $0["name"] } == ["vibrate"])
        for state in ["answered", "error"] {
            let check = #"{"name": "vibrate", "state": "\#(state)", "count": 0}"#
            #expect(await program.ask(.post, "calls/verify", check).status == .ok)
        }
        let unanswered = #"{"unanswered": 0}"#
        #expect(await program.ask(.post, "calls/verify", unanswered).status == .ok)
    }

    // MARK: Questions

    private struct Answering: Presenter {
        let answer: JSON?
        let asked = Notebook()

        func present(_ question: Question, for request: Request) async throws -> JSON? {
            asked.note("\(question.name): \(question.message) \(question.kind)")
            return answer
        }
    }

    private struct Nobody: Presenter {
        let cancelled = Notebook()

        func present(_ question: Question, for request: Request) async throws -> JSON? {
            do {
                try await Task.sleep(for: .seconds(600))
            } catch {
                cancelled.note("cancelled")
                throw error
            }
            return nil
        }
    }

    private static let question: JSON = [
        "delete": [
            "$ask": "Delete {{input.name}}?",
            "$choices": [
                "delete": ["$reply": "deleted {{input.name}}"], "later": ["$pass": true],
                "keep": ["$sequence": ["kept", "kept again"]],
            ],
        ]
    ]

    @Test(arguments: [
        ("delete", #""data":"deleted x""#), ("later", #""data":{"name":"x"}"#), ("keep", #""data":"kept""#),
        ("nonsense", #""data":"kept""#),
    ])
    func aPersonChoosesAmongTheAnswersOfAMock(_ choice: String, _ expected: String) async throws {
        let presenter = Answering(answer: .string(choice))
        let gateway = Gateway(presenter: presenter, logger: .quiet)
        try gateway.register(Echo.self, at: "/delete")
        try gateway.mock(Self.question)
        let answer = await gateway.respond(to: Request("/delete?_mobile_bridge=1&name=x"))
        #expect(try await answer.text().contains(expected))
        #expect(presenter.asked.entries == [#"delete: Delete x? choice(["delete", "later", "keep"])"#])
        if choice == "delete" { #expect(answer.answeredBy == "reply delete, delete") }
    }

    /// The words of a handler and of a mock are for the person; in what the page has sent may be secrets.
    @Test func aQuestionIsShownAsItIsWritten() async throws {
        struct Asks: JSONHandler {
            let request: Request
            func handle(_ input: Nothing) async throws -> JSON? {
                try await request.present(Question("a", message: "Password: too short", choices: ["ok"]))
            }
        }
        let presenter = Answering(answer: "ok")
        let gateway = Gateway(presenter: presenter, logger: .quiet)
        try gateway.register(Asks.self, at: "/a")
        let message: JSON = "PIN: wrong. {{input.name}}, {{input.pin}}?"
        try gateway.mock(["b": ["$ask": message, "$choices": ["ok": 1, "no": 0]]])
        _ = try await gateway.text(at: "/a")
        _ = await gateway.respond(to: Request("/b?_mobile_bridge=1&name=Ann&pin=1234"))
        #expect(
            presenter.asked.entries == [
                #"a: Password: too short choice(["ok"])"#,
                #"b: PIN: wrong. Ann, [removed]? choice(["ok", "no"])"#,
            ])
    }

    @Test func ifNobodyDecidesTheLastChoiceIsTheAnswer() async throws {
        let gateway = Gateway(presenter: Answering(answer: nil), logger: .quiet)
        try gateway.mock(Self.question)
        #expect(try await gateway.text(at: "/delete").contains("kept"))
        let nobody = Nobody()
        let waiting = Gateway(presenter: nobody, logger: .quiet)
        try waiting.mock(["a": ["$ask": "?", "$within": 10, "$choices": ["yes": 1, "no": 0]]])
        #expect(try await waiting.text(at: "/a").contains(#""data":0"#))
        await nobody.cancelled.wait(for: 1)
    }

    @Test func aQuestionIsWithdrawnWhenItsCallerLeaves() async throws {
        let nobody = Nobody()
        let gateway = Gateway(presenter: nobody, logger: .quiet)
        try gateway.mock(["a": ["$ask": "?", "$choices": ["yes": 1, "no": 0]]])
        let task = Task { try await gateway.text(at: "/a") }
        task.cancel()
        _ = try await task.value
        await nobody.cancelled.wait(for: 1)
    }

    // MARK: Raw answers

    @Test func anHTTPAnswerOfAMockIsSentAsWritten() async throws {
        let gateway = try await Gateway.replying(
            #"""
            {"expired": {"$response": {"status": 401, "headers": {"WWW-Authenticate": "Bearer", "X-Two": ["a", "b"]},
                                       "json": {"who": "{{input.user}}"}}},
             "text": {"$response": {"body": "plain {{input}}"}}, "none": {"$response": {"status": 204}},
             "page": {"$response": {"headers": {"Content-Type": "text/html"}, "body": "<script>1</script>"}}}
            """#)
        let expired = await gateway.respond(to: Request("/expired?_mobile_bridge=1&user=ann"))
        #expect(expired.status.code == 401)
        #expect(try await expired.text() == #"{"who":"ann"}"#)
        #expect(expired.headers[.contentType] == "application/json")
        #expect(expired.headers[.wwwAuthenticate] == "Bearer")
        let two = try #require(HTTPField.Name("X-Two"))
        #expect(expired.headers[values: two] == ["a", "b"])
        let text = await gateway.respond(to: Request("/text?_mobile_bridge=1"))
        #expect(try await text.text() == "plain {{input}}")
        #expect(text.headers[.contentType] == "text/plain; charset=utf-8")
        #expect(await gateway.respond(to: Request("/none?_mobile_bridge=1")).status.code == 204)
        let policy = HTTPField.Name.contentSecurityPolicy
        let opened = await gateway.respond(to: Request("/page?_mobile_bridge=1"))
        #expect(opened.headers[policy] == "sandbox")
        let fetched = await gateway.respond(
            to: Request(
                "/page?_mobile_bridge=1", headers: [.secFetchDest: "empty", .secFetchSite: "same-origin"]))
        #expect(fetched.headers[policy] == nil)
    }

    @Test func aHandlerBehindAMockStillReadsItsBodyAsAStream() async throws {
        struct Streamed: Handler {
            static let options = HandlerOptions(body: .streamed)

            func handle(_ request: Request) async throws -> Response {
                var count = 0
                for try await chunk in request.body { count += chunk.count }
                return Response(text: "\(request.body.bytes == nil) \(count)")
            }
        }
        let gateway = try await Gateway.replying(#"{"a": {"$pass": true}}"#)
        try gateway.register(Streamed.self, at: "/a")
        let request = Request(.post, "/a?_mobile_bridge=1")
        guard case .taken(.streamed) = gateway.bodyChoice(by: gateway.plan(for: request)) else {
            Issue.record("the body is not streamed")
            return
        }
        try gateway.mock(["a": ["$cases": [["$when": ["x": 1], "$reply": 1]]]])
        guard
            case .taken(.collected(upTo: gateway.bodyLimit)) = gateway.bodyChoice(
                by: gateway.plan(for: request))
        else {
            Issue.record("the body is not collected")
            return
        }
        #expect(try await gateway.text(at: "/a") == "false 0")
    }
}

/// Replies to pages that call by a bridge with a callback.
@Suite("Mocks that answer pages") struct RepliesToPagesTests {
    @Test func aPageGetsValuesErrorsAndMissingNames() async throws {
        let gateway = try await Gateway.replying(
            """
            {"value": {"nick": "Ann"}, "template": {"$reply": ["{{input.a}}"]},
             "error": {"$error": {"code": 7, "message": "no", "data": [1]}}, "missing": {"$missing": true}}
            """)
        let page = TestPage(gateway)
        for (id, name) in ["value", "template", "error", "missing"].enumerated() {
            page.tell(["call": .string(name), "id": .number(.init(id)), "data": ["a": 1], "bridge": "wvjb"])
        }
        #expect(try await page.reply(0)["value"] == ["nick": "Ann"])
        #expect(try await page.reply(1)["value"] == [1])
        #expect(try await page.reply(2)["error"] == ["code": 7, "message": "no", "data": [1]])
        _ = try await page.message {
            $0["log"]?.stringValue == "missing: not available in this app, says its mock (called by wvjb)"
        }
    }

    @Test func aSilentMockIsNeverAnsweredAndTakesNoMemory() async throws {
        let gateway = try await Gateway.replying(#"{"silent": {"$silence": true}, "value": 1}"#)
        let page = TestPage(gateway)
        for id in 0..<1000 { page.tell(["call": "silent", "id": .number(.init(id))]) }
        page.tell(["call": "value", "id": 1000])
        _ = try await page.reply(1000)
        #expect(page.down.count == 1)
        let own = try #require(gateway.pages[page.id])
        await until { own.state.withLock { $0.running.isEmpty } }
    }

    @Test func aPageGetsTheBodyOfARawAnswer() async throws {
        let gateway = try await Gateway.replying(
            #"""
            {"json": {"$response": {"json": {"a": "{{input.a}}"}}}, "text": {"$response": {"body": "plain"}},
             "expired": {"$response": {"status": 401, "json": {"who": "ann"}}}}
            """#)
        let page = TestPage(gateway)
        for (id, name) in ["json", "text", "expired"].enumerated() {
            page.tell(["call": .string(name), "id": .number(.init(id)), "data": ["a": 1], "bridge": "wvjb"])
        }
        #expect(try await page.reply(0)["value"] == ["a": 1])
        #expect(try await page.reply(1)["value"] == "plain")
        #expect(
            try await page.reply(2)["error"]
                == ["code": 401, "message": #"{"who":"ann"}"#, "data": ["who": "ann"]])
    }

    @Test func progressComesBeforeTheAnswerAndStepsAfterIt() async throws {
        let gateway = try await Gateway.replying(
            #"""
            {"upload": {"$reply": "done", "$progress": [10, "{{input.name}}"], "$every": 1, "$delay": 1,
                        "$then": [{"call": "onUploaded", "data": {"name": "{{input.name}}"}},
                                  {"emit": "uploaded", "data": 1, "after": 5}]}}
            """#)
        let page = TestPage(gateway)
        page.tell(["call": "upload", "id": 1, "data": ["name": "a.png"], "bridge": "wvjb"])
        _ = try await page.message { $0["event"] != nil || $0["call"]?.stringValue == "onUploaded" }
        let order = page.down.map(\.message)
        #expect(order[0] == ["reply": 1, "value": 10, "more": true])
        #expect(order[1] == ["reply": 1, "value": "a.png", "more": true])
        #expect(order[2] == ["reply": 1, "value": "done"])
        #expect(order[3]["call"] == "onUploaded")
        #expect(order[3]["data"] == ["name": "a.png"])
    }

    @Test func pendingStepsOfMocksEndWithTheGateway() async throws {
        let gateway = try await Gateway.replying(
            #"{"a": {"$reply": 1, "$then": [{"emit": "late", "after": 86400000}]}}"#)
        let page = TestPage(gateway)
        page.tell(["call": "a", "id": 1, "bridge": "wvjb"])
        _ = try await page.reply(1)
        await until { gateway.replySteps.count == 1 }
        gateway.serverBegan()
        gateway.serverIsStopping()
        gateway.serverHasStopped()
        #expect(gateway.replySteps.count == 0)
        #expect(!page.down.contains { $0.message["event"] != nil })
    }

    /// Steps may wait for a day, and what was sent may have megabytes.
    @Test func waitingStepsTakeLittleMemory() async throws {
        let gateway = try await Gateway.replying(
            #"{"a": {"$reply": 1, "$then": [{"emit": "x", "data": "{{input.x}}", "after": 86400000}]}}"#)
        let page = TestPage(gateway)
        page.tell(["call": "a", "id": 1, "data": ["x": .string(String(repeating: "a", count: 100_000))]])
        page.tell(["call": "a", "id": 2, "data": ["x": "b"]])
        _ = try await page.reply(2)
        await until { gateway.replySteps.count == 1 }
        for id in 3...ReplySteps.most + 50 {
            page.tell(["call": "a", "id": .number(.init(id)), "data": ["x": "b"]])
        }
        await until { gateway.replySteps.count == ReplySteps.most }
        gateway.reset(.usual)
        #expect(gateway.replySteps.count == 0)
    }
}
