import HTTPTypes
import Testing

@testable import Drawbridge
@testable import DrawbridgeMocks

/// What leaves the journal for other tools, and what does not.
@Suite("What leaves the journal", .timeLimit(.minutes(5))) struct JournalCopyTests {
    @Test(arguments: [
        ("accessToken", true), ("X-Api-Key", true), ("apiKeys", true), ("user_pwd", true), ("APIKey", true),
        ("sessionId", true), ("pinCode", true), ("otp", true), ("Set-Cookie", true), ("csrfTokens", true),
        ("accesstoken", true), ("Authorization", true), ("cardCVV", true), ("orderNo", false),
        ("key", false), ("shipping", false), ("author", false), ("tokenise", false), ("pinned", false),
        ("keyboardApi", false), ("", false), ("myField", true), ("_", false),
    ])
    func secretsAreKnownByOneWordOfTheirName(name: String, isSecret: Bool) {
        #expect(Redaction(also: ["MyField"]).isSecret(name) == isSecret)
    }

    @Test func othersSecretsStayInTheJournal() async throws {
        let program = JournalProgram()
        let body =
            #"{"user": "ann", "auth": {"a": 1}, "list": [{"password": "PLOVER"}], "text": "{\"token\": \"TERN\"}"}"#
        await program.call("/echo?_mobile_bridge=1&apiKey=KESTREL", body)
        try await program.gateway.mock(
            #"{"login": {"$cases": [{"$when": {"token": "t9"}, "$reply": 1}, {"$reply": {"sid": 1, "secret": "STORK"}}]}}"#
        )
        await program.call("/login?_mobile_bridge=1", #"{"token": "TEAL"}"#)
        let canaries = ["PLOVER", "KESTREL", "TERN", "TEAL", "STORK"]
        for path in [
            "calls", "calls/1", "calls/2", "calls.har", "calls/1/curl", "calls/2/test?for=playwright",
            "calls/2/test?for=pytest", "calls/2/test?for=curl",
        ] {
            let text = try await program.ask(.get, path).text()
            for canary in canaries { #expect(!text.contains(canary), "\(path): \(canary) in \(text)") }
            #expect(text.contains("[removed]"), "\(path): \(text)")
            let mark = path.contains("?") ? "&" : "?"
            let whole = try await program.ask(.get, "\(path)\(mark)secrets=1").text()
            #expect(canaries.contains { whole.contains($0) }, "\(path): \(whole)")
        }
        let near = try await program.ask(
            .post, "calls/verify", #"{"name": "login", "when": {"token": "t3"}}"#
        ).text()
        #expect(!near.contains("TEAL"), "\(near)")
        let first = try #require(try await program.calls().first)
        #expect(
            first["input"] == [
                "user": "ann", "auth": "[removed]", "list": [["password": "[removed]"]],
                "text": #"{"token":"[removed]"}"#, "apiKey": "[removed]",
            ])
    }

    /// What nobody can read as JSON, and what stands in texts, has names too.
    @Test(arguments: [
        (#"{"user": "ann", "token": "CANARY", "pad": "\#(String(repeating: "x", count: 70_000))"}"#, "", nil),
        (#"{"user": "ann", "token": "CANARY""#, "", nil),
        ("user=ann&password=CANARY", "", "text/plain"),
        ("user=ann&pass%77ord=CANARY", "", "application/x-www-form-urlencoded"),
        (#"{"user": "ann"}"#, "&data=%7B%22password%22%3A%22CANARY%22%7D", nil),
        (#"{"user": "ann", "data": " {\"token\": \"CANARY\"}"}"#, "", nil),
        (#"{"user": "ann", "data": "a=1&session_id=CANARY"}"#, "", nil),
        (#"{"user": "ann", "url": "https://m.example/cb?access_token=CANARY"}"#, "", nil),
        (
            "--b\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\nann\r\n--b\r\nContent-Disposition: form-data; name=\"pwd\"\r\n\r\nCANARY\r\n--b--",
            "", "multipart/form-data; boundary=b"
        ),
    ]) func secretsInTextsAreLeftOutToo(_ body: String, _ query: String, _ type: String?) async throws {
        let program = JournalProgram()
        let headers: HTTPFields = type.map { [.contentType: $0] } ?? [:]
        await program.call("/echo?_mobile_bridge=1\(query)", body, headers: headers)
        for path in ["calls", "calls/1", "calls.har", "calls/1/curl", "handlers"] {
            let answer = await program.ask(.get, path)
            let text = try await answer.text()
            #expect(!text.contains("CANARY"), "\(path): \(text.prefix(2000))")
            // What was cut cannot be sent again.
            #expect(text.contains("ann") || path == "handlers" || answer.status == .conflict, "\(path)")
        }
        let whole = try await program.ask(.get, "calls/1?secrets=1").text()
        #expect(whole.contains("CANARY"))
    }

    /// A copied test that answers `:id` would answer every name.
    @Test(arguments: ["/:id", "/*", "/a%2Fb"]) func aNameThatWouldStandForOthersHasNoReply(_ path: String)
        async throws
    {
        let program = JournalProgram(withHandlers: false)
        await program.call("\(path)?_mobile_bridge=1")
        for language in ["pytest", "playwright", "curl"] {
            let text = try await program.ask(.get, "calls/1/test?for=\(language)").text()
            #expect(text.contains("No reply is set, since no reply can have its name for itself"), "\(text)")
        }
    }

    /// Copies say that they are for native as the gateway's rules have it.
    @Test func aFlagOfOnesOwnStandsInCopies() async throws {
        let program = JournalProgram(Gateway(rules: [.flag("cmd", "1")], keepsJournal: true))
        await program.call("/echo?cmd=1&a=2")
        for path in ["calls/1/curl", "calls.har"] {
            let text = try await program.ask(.get, path).text()
            #expect(text.contains("/echo?a=2&cmd=1") && !text.contains("_mobile_bridge"), "\(text)")
        }
    }

    /// Nothing of ours is ever in a record: what would open something here.
    @Test func ourOwnSecretsNeverEnter() async throws {
        let program = JournalProgram()
        let (page, tester) = (program.gateway.access.token.text, program.gateway.testerToken.text)
        let (_, cookie) = program.gateway.admissions.admit(address: "127.0.0.1", browser: "")
        await program.call(
            "/echo?_mobile_bridge=1", #"{"a": 1}"#,
            headers: [
                .pageToken: page, .authorization: "Bearer \(tester)", .cookie: "drawbridge-80=\(cookie); a=b",
                .contentType: "application/json",
            ])
        _ = await program.gateway.respond(to: Request("/a.html", headers: [.pageToken: page]))
        _ = await program.ask(.get, "pages")
        for path in [
            "calls?kind=all&secrets=1", "calls.har?kind=all&secrets=1", "calls/1/curl?secrets=1",
            "calls/1/test?for=curl&secrets=1",
        ] {
            let text = try await program.ask(.get, path).text()
            for secret in [page, tester, cookie] { #expect(!text.contains(secret), "\(path)") }
        }
    }

    @Test func aCallIsMadeAgainAndAnother() async throws {
        let program = JournalProgram()
        await program.call("/echo?_mobile_bridge=1&b=2", #"{"a": 1}"#, headers: [.session: "ann"])
        await program.call(
            "/echo?_mobile_bridge=1", "a=1&b=%20",
            headers: [
                .contentType: "application/x-www-form-urlencoded"
            ])
        func data(_ answer: Response) async throws -> JSON {
            let json = try await answer.json()
            return try #require(json["data"], "\(json)")
        }
        let same = try await data(program.ask(.post, "calls/1/resend"))
        #expect(same["resentFrom"] == 1 && same["output"] == ["a": 1, "b": "2"] && same["session"] == "ann")
        #expect(same["bridge"] == "flag")
        let edited = try await data(program.ask(.post, "calls/1/resend", #"{"input": {"c": 3}}"#))
        #expect(edited["input"] == ["c": 3] && edited["output"] == ["c": 3])
        let form = try await data(program.ask(.post, "calls/2/resend"))
        #expect(form["output"] == ["a": "1", "b": " "])
        let tried = try await data(
            program.ask(.post, "calls?session=eve", #"{"name": "/fail", "input": [1]}"#))
        #expect(tried["state"] == "error" && tried["code"] == 418 && tried["session"] == "eve")
        #expect(tried["bridge"] == "program" && tried["resentFrom"] == nil)
        try await program.gateway.mock(#"{"quiet": {"$silence": true}}"#)
        #expect(try await data(program.ask(.post, "calls", #"{"name": "quiet"}"#))["state"] == "silent")

        // For the page that called, while it is there.
        let page = TestPage(program.gateway)
        page.tell(["call": "echo", "id": 1, "bridge": "wvjb", "data": ["d": 4]])
        _ = try await page.reply(1)
        let number = try #require(try await program.calls("?page=\(page.id)").last?["number"])
        let again = try await data(program.ask(.post, "calls/\(number)/resend"))
        #expect(again["page"]?["id"]?.stringValue == page.id && again["bridge"] == "wvjb")
        #expect(page.down.count { $0.message["reply"] != nil } == 1)

        for (target, status) in [
            ("calls/999/resend", HTTPResponse.Status.notFound), ("calls/x/resend", .notFound),
            ("calls/1/other", .notFound),
        ] { #expect(await program.ask(.post, target).status == status) }
        #expect(await program.ask(.post, "calls", "[]").status == .badRequest)
        #expect(await program.ask(.get, "calls/1/resend").status == .methodNotAllowed)
    }

    @Test func anArchiveHasWhatToolsForItRead() async throws {
        let program = JournalProgram()
        await program.call("/echo?_mobile_bridge=1&b=2", #"{"a": "ü"}"#)
        let log = try #require(try await program.ask(.get, "calls.har").json()["log"])
        let entry = try #require(log["entries"]?[0])
        #expect(log["version"] == "1.2")
        #expect(
            entry["request"]?["url"]?.stringValue?.hasSuffix("/echo?b=2&_mobile_bridge=1") == true, "\(entry)"
        )
        #expect(entry["request"]?["postData"]?["text"] == #"{"a": "ü"}"#)
        #expect(
            entry["request"]?["queryString"] == [
                ["name": "b", "value": "2"], ["name": "_mobile_bridge", "value": "1"],
            ])
        #expect(
            entry["response"]?["content"]?["text"] == #"{"code":200,"data":{"a":"ü","b":"2"},"message":""}"#)
        #expect(entry["response"]?["status"] == 200)
        // All that HAR 1.2 asks for is there.
        let members: [(String, [String])] = [
            (
                "request",
                [
                    "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize",
                    "bodySize",
                ]
            ),
            (
                "response",
                [
                    "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL",
                    "headersSize", "bodySize",
                ]
            ),
            ("timings", ["send", "wait", "receive"]),
        ]
        for (name, members) in members {
            for member in members { #expect(entry[name]?[member] != nil, "\(name).\(member)") }
        }
        for member in ["startedDateTime", "time", "cache"] { #expect(entry[member] != nil, "\(member)") }
    }

    /// An app's own error is no status of HTTP's, and what was never answered has none.
    @Test(arguments: [(AnswerForm.envelope, 200), (.http, 418), (.bare, 418)])
    func anArchiveHasTheStatusThatARequestGot(_ answers: AnswerForm, _ status: Int) async throws {
        let program = JournalProgram(Gateway(answers: answers, keepsJournal: true))
        try await program.gateway.mock(
            #"{"app": {"$error": {"code": 6001, "message": "no"}}, "quiet": {"$silence": true}}"#)
        await program.call("/fail?_mobile_bridge=1")
        await program.call("/app?_mobile_bridge=1")
        _ = await program.ask(.post, "calls", #"{"name": "quiet"}"#)
        let log = try #require(try await program.ask(.get, "calls.har").json()["log"])
        let responses = (0..<3).map { log["entries"]?[$0]?["response"] }
        #expect(responses[0]?["status"] == .number(.init(status)))
        #expect(responses[0]?["content"]?["text"] == #"{"code":418,"message":"no tea"}"#)
        #expect(responses[1]?["status"] == (answers.hasStatus ? 500 : 200))
        #expect(responses[2]?["status"] == 0 && responses[2]?["content"]?["text"] == "")
    }

    /// A line for a shell asks the same, and nothing in it is an option, a default or a form that nobody sent.
    @Test(arguments: [
        Sent(.post, "/echo", "text/plain", "--x\n1-%", line: #"printf '\055-x\0121-%%' | curl "#),
        Sent(.post, "/echo", "text/plain", "17", line: "-H 'Content-Type: text/plain' --data-raw '17'"),
        Sent(.post, "/echo", "text/plain", "'\u{301};x", line: "--data-raw ''\\''\u{301};x'"),
        Sent(.head, "/echo", line: "curl -sS --globoff --path-as-is --head 'http"),
        Sent(.post, "/echo", "text/plain", "a\u{202E}b", line: #"printf 'a\342\200\256b' | "#),
        Sent(.post, "/echo", nil, "17", line: "-H 'Content-Type:' --data-raw '17'"),
    ])
    func aLineForAShellMakesTheSameCall(_ sent: Sent) async throws {
        let program = JournalProgram()
        let headers: HTTPFields = sent.type.map { [.contentType: $0] } ?? [:]
        let mark = sent.target.contains("?") ? "&" : "?"
        _ = await program.gateway.respond(
            to: Request(
                sent.method, "\(sent.target)\(mark)_mobile_bridge=1", headers: headers, body: .init(sent.body)
            ))
        let line = try await program.ask(.get, "calls/1/curl").text()
        #expect(line.contains(sent.line), "\(line)")
    }

    @Test func aNameThatBeginsWithTheBridgesIsAskedWhole() async throws {
        let program = JournalProgram()
        await program.call("/__jsbridge__", #"{"action": "__jsbridge__/pay", "data": {"a": 1}}"#)
        #expect(try await program.calls().first?["name"] == "__jsbridge__/pay")
        let line = try await program.ask(.get, "calls/1/curl").text()
        #expect(line.contains("/__jsbridge__/__jsbridge__/pay' -H"), "\(line)")
    }

    @Test func aCopiedTestAnswersAnErrorWithItsData() async throws {
        let program = JournalProgram()
        try await program.gateway.mock(
            #"{"pay": {"$error": {"code": 7, "message": "no", "data": {"left": 3}}}}"#)
        await program.call("/pay?_mobile_bridge=1", #"{"a": 1}"#)
        let test = try await program.ask(.get, "calls/1/test?for=pytest").text()
        #expect(
            test.contains(#"{"$error": {"code": 7, "message": "no", "data": {"left": 3}}}"#), "\(test)")
    }

    /// What cannot be set as a reply is left out, and the test says why.
    @Test(arguments: [
        ("$(x)", "{}", "no reply can have its name for itself"), ("", "{}", "the call has no name"),
        ("a/*/b", "{}", "no reply can have its name for itself"), ("bare", #"{"$a": "{{uuid}}"}"#, nil),
        ("fails", #"{"text": "{{{x}}"}"#, nil), ("bare", #"{"$a": "x\n{"}"#, nil),
        ("bare", #"{"a": "{{uuid}}"}"#, nil),
    ])
    func aCopiedTestSetsNoReplyThatCannotBeSet(name: String, input: String, reason: String?) async throws {
        let program = JournalProgram()
        try await program.gateway.mock(
            #"{"bare": {"$reply": "{{input}}"}, "fails": {"$error": {"code": 1, "message": "{{input.text}}"}}}"#
        )
        let call = #"{"name": "\#(name)", "input": \#(input)}"#
        #expect(await program.ask(.post, "calls", call).status == .ok)
        for language in ["playwright", "pytest", "curl"] {
            let test = try await program.ask(.get, "calls/1/test?for=\(language)").text()
            #expect(test.contains("No reply is set") == (reason != nil), "\(test)")
            if let reason { #expect(test.contains(reason), "\(test)") }
        }
    }

    @Test func aTestThatCannotBeWrittenIsRefused() async throws {
        let program = JournalProgram()
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        await program.call("/echo?_mobile_bridge=1", deep)
        await program.call("/echo?_mobile_bridge=1", #"{"a": [1e999]}"#)
        for (number, language, status) in [
            (1, "pytest", HTTPResponse.Status.conflict), (1, "curl", .conflict), (2, "pytest", .conflict),
            (2, "playwright", .conflict), (2, "curl", .ok),
        ] {
            let answer = await program.ask(.get, "calls/\(number)/test?for=\(language)")
            #expect(answer.status == status, "\(number), \(language)")
        }
    }

    struct Sent: Sendable {
        let method: HTTPRequest.Method
        let target: String
        let type: String?
        let body: String
        /// What stands in the line.
        let line: String

        init(
            _ method: HTTPRequest.Method, _ target: String, _ type: String? = nil, _ body: String = "",
            line: String
        ) { (self.method, self.target, self.type, self.body, self.line) = (method, target, type, body, line) }
    }

    @Test(arguments: [
        (#"a"b"#, #""a\"b""#), ("a\nb\u{2028}<é", #""a\nb\u2028\u003c\u00e9""#),
        ("😀", #""\ud83d\ude00""#), (#"\${x}`"#, #""\\${x}`""#),
    ])
    func textsAreLiteralsOfTheirLanguage(text: String, literal: String) {
        #expect(Literal.javaScript(.string(text)) == literal)
        #expect(Literal.ascii(["a": .string(text)]) == #"{"a":\#(literal)}"#)
        let python = literal.replacing(#"\ud83d\ude00"#, with: #"\U0001f600"#)
        #expect(Literal.python(.string(text)) == python)
    }

    @Test func valuesAreLiteralsOfTheirLanguage() {
        let value: JSON = ["__proto__": 1, "t": true, "n": .null, "l": [1.5, false], "o": [:]]
        #expect(
            Literal.javaScript(value)
                == #"{ ["__proto__"]: 1, "t": true, "n": null, "l": [1.5, false], "o": {} }"#)
        #expect(
            Literal.python(value) == #"{"__proto__": 1, "t": True, "n": None, "l": [1.5, False], "o": {}}"#)
    }
}
