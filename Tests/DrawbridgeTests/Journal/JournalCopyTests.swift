import HTTPTypes
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages
@testable import DrawbridgeMocks

/// What leaves the journal for other tools, and what does not.
@Suite("Copies from the journal", .timeLimit(.minutes(5))) struct JournalCopyTests {
    @Test(arguments: [
        ("accessToken", true), ("X-Api-Key", true), ("apiKeys", true), ("user_pwd", true), ("APIKey", true),
        ("sessionId", true), ("pinCode", true), ("otp", true), ("Set-Cookie", true), ("csrfTokens", true),
        ("accesstoken", true), ("Authorization", true), ("cardCVV", true), ("orderNo", false),
        ("key", false), ("shipping", false), ("author", false), ("tokenise", false), ("pinned", false),
        ("keyboardApi", false), ("", false), ("myField", true), ("_", false), ("sessionid", true),
        ("JSESSIONID", true), ("PHPSESSID", true), ("cvv2", true), ("pwds", true), ("authtoken", true),
        ("refreshToken", true), ("bearer", true), ("jwt", true), ("passwd", true), ("passphrase", true),
        ("ssn", true), ("privateKey", true), ("tokenCount", false), ("token_type", false), ("spinner", false),
        ("keyboard", false), ("authorName", false), ("sessionExpiresAt", false), ("publicKey", false),
        ("\(String(repeating: "a", count: 99))-token", true),
    ])
    func aMemberIsSecretIfOneWordOfItsNameIs(name: String, isSecret: Bool) {
        #expect(Redaction(also: ["MyField"]).isSecret(name) == isSecret)
    }

    @Test func secretsAreKeptInTheJournalAndLeftOutOfCopies() async throws {
        let program = JournalProgram()
        let body =
            #"{"user": "ann", "auth": {"a": 1}, "list": [{"password": "PLOVER"}], "text": "{\"token\": \"TERN\"}"}"#
        await program.call("/echo?_mobile_bridge=1&apiKey=KESTREL", body)
        try program.gateway.mock([
            "login": [
                "$cases": [
                    ["$when": ["token": "t9"], "$reply": 1], ["$reply": ["sid": 1, "secret": "STORK"]],
                ]
            ]
        ])
        await program.call("/login?_mobile_bridge=1", #"{"token": "TEAL"}"#)
        let canaries = ["PLOVER", "KESTREL", "TERN", "TEAL", "STORK"]
        for path in [
            "calls", "calls/1", "calls/2", "calls/1/curl", "calls/2/curl",
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

    /// What nobody can read as JSON, and what is in texts, has names too.
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
    ]) func secretsInsideOfTextsAreLeftOutToo(_ body: String, _ query: String, _ type: String?) async throws {
        let program = JournalProgram()
        let headers: HTTPFields = type.map { [.contentType: $0] } ?? [:]
        await program.call("/echo?_mobile_bridge=1\(query)", body, headers: headers)
        for path in ["calls", "calls/1", "calls/1/curl", "handlers"] {
            let answer = await program.ask(.get, path)
            let text = try await answer.text()
            #expect(!text.contains("CANARY"), "\(path): \(text.prefix(2000))")
            // What was cut cannot be sent again.
            #expect(text.contains("ann") || path == "handlers" || answer.status == .conflict, "\(path)")
        }
        let whole = try await program.ask(.get, "calls/1?secrets=1").text()
        #expect(whole.contains("CANARY"))
    }

    /// Copies say that they are for native as the gateway's rules have it.
    @Test func aCopiedCallUsesTheFlagOfTheGatewaysRules() async throws {
        let program = JournalProgram(Gateway(rules: [.flag("cmd", "1")], keepsJournal: true))
        await program.call("/echo?cmd=1&a=2")
        let text = try await program.ask(.get, "calls/1/curl").text()
        #expect(text.contains("/echo?a=2&cmd=1") && !text.contains("_mobile_bridge"), "\(text)")
    }

    /// Nothing of ours is ever in a record: what would open something here.
    @Test func theGatewaysOwnSecretsNeverEnterTheJournal() async throws {
        let program = JournalProgram()
        let (page, tester) = (program.gateway.access.token.text, program.gateway.testerToken.text)
        let (_, cookie) = program.gateway.admissions.admit(
            ticket: program.gateway.admissions.drawTicket(), address: "127.0.0.1", browser: "")!
        await program.call(
            "/echo?_mobile_bridge=1", #"{"a": 1}"#,
            headers: [
                .pageToken: page, .authorization: "Bearer \(tester)", .cookie: "drawbridge-80=\(cookie); a=b",
                .contentType: "application/json",
            ])
        _ = await program.gateway.respond(to: Request("/a.html", headers: [.pageToken: page]))
        _ = await program.ask(.get, "pages")
        for path in [
            "calls?kind=all&secrets=1", "calls/1/curl?secrets=1",
        ] {
            let text = try await program.ask(.get, path).text()
            for secret in [page, tester, cookie] { #expect(!text.contains(secret), "\(path)") }
        }
    }

    @Test func aCallCanBeSentAgainAsItWasOrChanged() async throws {
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
        try program.gateway.mock(["quiet": ["$silence": true]])
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

    /// A line for a shell asks the same, and nothing in it is an option, a default or a form that nobody sent.
    @Test(arguments: [
        Sent(.post, "/echo", "text/plain", "--x\n1-%", line: #"printf '\055-x\0121-%%' | curl "#),
        Sent(.post, "/echo", "text/plain", "17", line: "-H 'Content-Type: text/plain' --data-raw '17'"),
        Sent(.post, "/echo", "text/plain", "'\u{301};x", line: "--data-raw ''\\''\u{301};x'"),
        Sent(.head, "/echo", line: "curl -sS --globoff --path-as-is --head 'http"),
        Sent(.post, "/echo", "text/plain", "a\u{202E}b", line: #"printf 'a\342\200\256b' | "#),
        Sent(.post, "/echo", nil, "17", line: "-H 'Content-Type:' --data-raw '17'"),
    ])
    func aCallCopiedForAShellMakesTheSameCall(_ sent: Sent) async throws {
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

    @Test func aNameThatBeginsLikeTheBridgesPathIsCopiedWhole() async throws {
        let program = JournalProgram()
        await program.call("/__jsbridge__", #"{"action": "__jsbridge__/pay", "data": {"a": 1}}"#)
        #expect(try await program.calls().first?["name"] == "__jsbridge__/pay")
        let line = try await program.ask(.get, "calls/1/curl").text()
        #expect(line.contains("/__jsbridge__/__jsbridge__/pay' -H"), "\(line)")
    }

    struct Sent: Sendable {
        let method: HTTPRequest.Method
        let target: String
        let type: String?
        let body: String
        /// What is in the line.
        let line: String

        init(
            _ method: HTTPRequest.Method, _ target: String, _ type: String? = nil, _ body: String = "",
            line: String
        ) { (self.method, self.target, self.type, self.body, self.line) = (method, target, type, body, line) }
    }
}
