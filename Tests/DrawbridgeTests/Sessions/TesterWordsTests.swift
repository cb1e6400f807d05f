import HTTPTypes
import Testing

@testable import Drawbridge

/// What a tester misspells is an error: a test that says less than was meant passes where it should not.
@Suite("Messages of the tester's API") struct TesterWordsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var request: String
        var body = ""
        var status: Int
        /// What the message has.
        var says: String
        var testDescription: String { "\(request) \(body)" }
    }

    static let cases = [
        Case(request: "DELETE calls?name=pay", status: 400, says: "name: no such word"),
        Case(
            request: "POST calls/verify?name=pay", body: #"{"count":0}"#, status: 400,
            says: "name: no such word"),
        Case(
            request: "POST calls/verify", body: #"{"seconds":"5"}"#, status: 400,
            says: "seconds must be a number"),
        Case(
            request: "POST calls/verify", body: #"{"order":["a"],"count":5}"#, status: 400,
            says: "count cannot be checked together with order"),
        Case(
            request: "POST calls", body: #"{"name":"x","inptu":1}"#, status: 400, says: "did you mean input?"),
        Case(request: "PUT scenario", body: #"["offline"]"#, status: 400, says: "the body is not an object"),
        Case(request: "GET calls?by=handlr", status: 400, says: "by: must be one of reply"),
        Case(request: "GET calls?kind=", status: 400, says: "kind: must be one of call"),
        Case(request: "GET calls?secrets=true", status: 400, says: "secrets: must be 1 or 0"),
        Case(request: "GET calls?seconds=x", status: 400, says: "seconds: must be a number"),
        Case(request: "GET calls?seconds=0x1", status: 400, says: "seconds: must be a number"),
        Case(request: "GET calls?seconds=1e0", status: 400, says: "seconds: must be a number"),
        Case(request: "GET calls?since=%2B1", status: 400, says: "since: must be a whole number"),
        Case(request: "GET calls?limit=-0", status: 400, says: "limit: must be a whole number"),
        Case(request: "GET calls?name=pay&seconds=0.05", status: 504, says: "0 of 1 calls of pay"),
        Case(request: "GET calls?since=99999", status: 410, says: "since:"),
        Case(request: "GET calls/0", status: 404, says: "there is no call 0"),
        Case(request: "GET calls/-1", status: 404, says: "nothing at"),
        Case(request: "GET calls/99999999999999999999", status: 404, says: "there is no call"),
        Case(
            request: "PUT scenario", body: #"{"scenario":"offline","onn":false}"#, status: 400,
            says: "onn: no such member"),
        Case(request: "GET scenario?sesion=x", status: 400, says: "did you mean session?"),
        Case(request: "GET questions?sesion=x", status: 400, says: "did you mean session?"),
        Case(request: "DELETE questions", status: 405, says: "takes GET, PUT"),
        Case(request: "PUT questions", body: "{}", status: 400, says: "ask: must be one of auto, page, off"),
        Case(request: "PUT questions", body: #"{"ask":"on"}"#, status: 400, says: "off, and not on"),
        Case(request: "PUT questions", body: #"{"aks":"page"}"#, status: 400, says: "did you mean ask?"),
        Case(request: "PUT questions?sesion=x", status: 400, says: "did you mean session?"),
        Case(request: "GET questions/1", status: 405, says: "takes POST"),
        Case(request: "POST questions/pay", body: "{}", status: 400, says: "an answer is"),
        Case(
            request: "POST questions/pay?seconds=61", status: 400, says: "seconds: must be a number up to 60"),
        Case(
            request: "POST questions/99999999999999999999?seconds=60", body: #"{"choice":1}"#, status: 404,
            says: "no question 99999999999999999999 waits in session default; none waits there"),
        Case(
            request: "POST questions/+1?seconds=0", body: #"{"choice":1}"#, status: 404,
            says: "no question +1 waits"),
        Case(request: "PUT admissions", status: 405, says: "takes GET, POST"),
        Case(request: "GET admissions/12345678", status: 405, says: "takes DELETE"),
        Case(request: "PUT pages", status: 405, says: "takes GET"),
        Case(request: "GET pages?session=a%20b", status: 400, says: "session: the name of a session"),
        Case(request: "GET pages?sesion=a", status: 400, says: "did you mean session?"),
        Case(request: "GET replies/other", status: 404, says: "replies/save"),
        Case(request: "PUT replies?name=%20", body: "1", status: 400, says: "name: say which call"),
        Case(request: "PUT replies?name=/", body: "1", status: 400, says: "name: say which call"),
        Case(request: "POST reset?sesion=x", status: 400, says: "did you mean session?"),
        Case(request: "GET nothing", status: 404, says: "/__drawbridge__/session/NAME"),
    ]

    @Test(arguments: cases) func aWrongRequestOfATesterIsAnErrorThatSaysWhatToDo(_ test: Case) async throws {
        let program = JournalProgram(Gateway(pageRuntime: PageRuntime(), keepsJournal: true))
        let parts = test.request.split(separator: " ", maxSplits: 1)
        let method = try #require(HTTPRequest.Method(String(parts[0])))
        let answer = await program.ask(method, String(parts[1]), test.body)
        let message = try await answer.json()["message"]?.stringValue ?? ""
        #expect(answer.status.code == test.status, "\(message)")
        #expect(message.contains(test.says), "\(message)")
        #expect((test.status == 405) == (answer.headers[.allow] != nil))
    }

    @Test func anEventThatIsTooLargeIsNotAnErrorOfTheGateway() async throws {
        let gateway = Gateway(keepsJournal: true)
        let big = String(repeating: "x", count: 70_000)
        gateway.reply(
            by: ReplyLayers(
                ReplyNames(),
                files: [
                    try ReplyFile(
                        LocatedJSON(
                            parsing: Array(#"{"events":{"big":[{"emit":"x","data":"\#(big)"}]}}"#.utf8)))
                ],
                scenario: []))
        _ = await gateway.respond(to: Request("/__drawbridge__/calls"))
        let answer = await JournalProgram(gateway).ask(.post, "events/big")
        #expect(answer.status == .conflict, "\(answer)")
    }

    @Test func secretsAreShownOnThisMachineAlone() async throws {
        let gateway = Gateway(
            access: AccessPolicy(allowedHosts: ["bridge.test"], apiIsForOthers: true), keepsJournal: true)
        func status(_ target: String) async -> Int {
            let request = Request(
                .get, "/__drawbridge__/\(target)", authority: "bridge.test",
                headers: [.authorization: "Bearer \(gateway.testerToken.text)"], remoteAddress: "192.0.2.7")
            return await gateway.respond(to: request).status.code
        }
        #expect(await status("calls") == 200)
        for target in [
            "calls?secrets=1", "calls/events?secrets=1", "handlers?secrets=1",
        ] {
            #expect(await status(target) == 403, "\(target)")
        }
    }

    /// Paths of the gateway's own that are not there are no requests of pages.
    @Test func requestsForTheGatewaysOwnEndpointsAreNotRecorded() async throws {
        let program = JournalProgram()
        _ = await program.ask(.get, "nothing")
        _ = await program.gateway.respond(to: Request("/__drawbridge__/nothing/else"))
        _ = await program.gateway.respond(to: Request("/a.html"))
        let calls = try await program.calls("?kind=all")
        #expect(calls.map { $0["name"] } == ["/a.html"])
    }

    @Test func aCallWhoseRecordIsDeletedWhileItRunsIsStillAnswered() async throws {
        let program = JournalProgram()
        try program.gateway.register(ForgetsAll.self, at: "/forgets")
        let answer = await program.ask(.post, "calls", #"{"name":"forgets"}"#)
        #expect(answer.status == .ok)
        let name = try await answer.json()["data"]?["name"]
        #expect(name == "forgets")
    }

    private struct ForgetsAll: Handler {
        func handle(_ request: Request) async throws -> Response {
            (request.answerer as? Gateway)?.journal.forget(nil)
            return try Response(output: "done")
        }
    }
}
