import Foundation
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeServer

/// Who may ask what of the inspector, and what it tells.
@Suite("The inspector", .timeLimit(.minutes(5))) struct InspectorTests {
    /// A gateway with its inspector, and the inspector's secret.
    struct Opened {
        let gateway: Gateway
        let inspector: Inspector
        let secret: String

        init(_ gateway: Gateway = Gateway(keepsJournal: true, logger: quiet)) async throws {
            self.gateway = gateway
            inspector = try Inspector(of: gateway)
            let link = inspector.drawLink()
            let answer = try await InspectorTests.post(
                inspector, "/ticket", #"{"ticket":"\#(link.suffix(32))"}"#)
            secret = try #require(JSON(parsing: Array(answer.body.utf8))["secret"]?.stringValue)
        }

        var host: String { String(inspector.origin.dropFirst("http://".count)) }
        var port: Int { Int(host.split(separator: ":")[1]) ?? 0 }

        func get(_ path: String, _ fields: String...) async throws -> (
            status: Int, head: String, body: String
        ) {
            try await InspectorTests.exchange(
                self.inspector, "GET", path, ["Authorization: Bearer \(secret)"] + fields)
        }

        func post(_ path: String, _ body: String, method: String = "POST") async throws -> (
            status: Int, body: String
        ) {
            let answer = try await InspectorTests.exchange(
                inspector, method, path, ["Authorization: Bearer \(secret)"], body)
            return (answer.status, answer.body)
        }
    }

    private static let quiet = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    private static func post(_ inspector: Inspector, _ path: String, _ body: String) async throws -> (
        status: Int, head: String, body: String
    ) { try await exchange(inspector, "POST", path, [], body) }

    /// - Parameter fields: one that begins with `Host` or is a whole request line takes the place of the usual one.
    private static func exchange(
        _ inspector: Inspector, _ method: String, _ path: String, _ fields: [String] = [], _ body: String = ""
    ) async throws -> (status: Int, head: String, body: String) {
        let host = String(inspector.origin.dropFirst("http://".count))
        var lines = ["\(method) \(path) HTTP/1.1"]
        if !fields.contains(where: { $0.hasPrefix("Host") }) { lines.append("Host: \(host)") }
        lines += fields
        if !body.isEmpty || method == "POST" { lines.append("Content-Length: \(body.utf8.count)") }
        let text = lines.map { $0 + "\r\n" }.joined() + "\r\n" + body
        let port = Int(host.split(separator: ":")[1]) ?? 0
        return try await blocking {
            let client = try RawClient(port)
            try client.send(Array(text.utf8))
            let reply = try client.reply()
            let head = reply.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
            return (reply.status, head, String(decoding: reply.body, as: UTF8.self))
        }
    }

    // MARK: Who may

    @Test func theInspectorsPageIsServedWithHeadersThatIsolateIt() async throws {
        let opened = try await Opened()
        for path in ["/"] + InspectorDoor.files.keys.map({ "/\($0)" }) {
            let answer = try await opened.get(path)
            #expect(answer.status == 200, "\(path)")
            for field in [
                "default-src 'none'; script-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'",
                "DENY",
                "same-origin", "no-referrer", "nosniff", "no-store",
            ] {
                #expect(answer.head.contains(field), "\(path): \(field) in \(answer.head)")
            }
            #expect(
                !answer.head.lowercased().contains("access-control") && !answer.head.contains("Set-Cookie"))
        }
        await opened.inspector.stop()
    }

    /// Each file of the folder is served, and no other.
    @Test func allFilesOfTheInspectorsPageAreServed() throws {
        let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let files = try FileManager.default.contentsOfDirectory(
            atPath: "/\(folder)/Sources/DrawbridgeServer/Inspector/Page")
        #expect(Set(files) == Set(InspectorDoor.files.keys))
    }

    @Test func anInspectorLinkWorksOnce() async throws {
        let opened = try await Opened()
        let ticket = opened.inspector.drawLink().suffix(32)
        let body = #"{"ticket":"\#(ticket)"}"#
        #expect(try await Self.post(opened.inspector, "/ticket", body).status == 200)
        #expect(try await Self.post(opened.inspector, "/ticket", body).status == 403)
        #expect(try await Self.post(opened.inspector, "/ticket", "{}").status == 400)
        #expect(try await Self.exchange(opened.inspector, "GET", "/ticket").status == 405)
        await opened.inspector.stop()
    }

    @Test func onlyTheSecretGivesAccessToTheInspector() async throws {
        let opened = try await Opened()
        let path = "/__drawbridge__/calls"
        #expect(try await opened.get(path).status == 200)
        for field in [
            "Authorization: Bearer \(opened.gateway.testerToken.text)", "Authorization: Bearer ", "X: y",
            "Authorization: Basic \(opened.secret)", "X-Drawbridge-Token: \(opened.secret)",
            "Cookie: drawbridge-inspector=\(opened.secret)",
            "Authorization: Bearer \(opened.gateway.access.token.text)",
        ] {
            let answer = try await Self.exchange(opened.inspector, "GET", path, [field])
            #expect(answer.status == 401, "\(field)")
        }
        // And it opens nothing on the page's own listener.
        let server = try GatewayServer(
            opened.gateway, ServerConfiguration(port: 0, loops: 1, logsRequests: false))
        for path in OwnPath.allCases where path.isForTesters {
            #expect(try await Self.exchange(opened.inspector, "GET", path.path).status == 401, "\(path)")
            let asTester = try await curl(
                "-H", "Authorization: Bearer \(opened.secret)", "\(server.address)\(path.path)")
            #expect(asTester.hasPrefix(#"{"code":403,"#), "\(path): \(asTester)")
        }
        await server.stop()
        await opened.inspector.stop()
    }

    /// Whatever a page elsewhere sends, with the secret or without: not a byte of the journal comes back.
    @Test(arguments: [
        "Host: 127.0.0.1:PORT", "Host: localhost:PORT", "Host: [::1]:PORT", "Host: evil.example",
        "Host: OTHER.localhost:PORT",
        "Host: NAME", "Host: NAME:1", "Host: NAME.:PORT", "Host: x.NAME:PORT", "Host: ",
        "Origin: http://127.0.0.1:8080", "Origin: null", "Origin: https://NAME:PORT", "Origin: http://NAME",
        "Origin: http://NAME:PORT.evil.example", "Sec-Fetch-Site: same-site", "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: none", "Service-Worker: script", "X-Forwarded-For: 192.0.2.7",
        "Forwarded: for=192.0.2.7",
        "X-Real-IP: 192.0.2.7",
    ])
    func requestsFromElsewhereAreRefused(_ field: String) async throws {
        let opened = try await Opened()
        _ = await opened.gateway.respond(to: Request("/canary?_mobile_bridge=1"))
        let name = opened.host.split(separator: ":")[0]
        let sent = field.replacing("NAME", with: name).replacing("PORT", with: "\(opened.port)")
            .replacing("OTHER", with: "i-0000000000000000")
        for path in ["/__drawbridge__/calls", "/__drawbridge__/calls/events"] {
            let answer = try await opened.get(path, sent)
            #expect([400, 403].contains(answer.status), "\(sent): \(answer.status)")
            #expect(!answer.body.contains("canary"), "\(sent)")
        }
        await opened.inspector.stop()
    }

    @Test func theInspectorMayBeOpenedButNeitherFramedNorFetched() async throws {
        let opened = try await Opened()
        for (fields, status) in [
            (["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Sec-Fetch-Site: none"], 200),
            (["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"], 403),
            (["Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script"], 403), (["Sec-Fetch-Mode: cors"], 403),
            (["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: embed"], 403),
        ] {
            #expect(
                try await Self.exchange(opened.inspector, "GET", "/", fields).status == status, "\(fields)")
        }
        let script = try await Self.exchange(
            opened.inspector, "GET", "/main.js", ["Sec-Fetch-Site: cross-site"])
        #expect(script.status == 403)
        let whole = try await Self.exchange(opened.inspector, "GET", "\(opened.inspector.origin)/")
        #expect(whole.status == 403)
        #expect(try await Self.exchange(opened.inspector, "OPTIONS", "/__drawbridge__/calls").status == 401)
        #expect(try await Self.exchange(opened.inspector, "GET", "/nothing").status == 404)
        #expect(try await Self.exchange(opened.inspector, "POST", "/main.js").status == 405)
        await opened.inspector.stop()
    }

    @Test func aSecretInAnAddressIsRefused() async throws {
        let opened = try await Opened()
        for name in ["ticket", "token", "secret", "access_token"] {
            #expect(try await opened.get("/__drawbridge__/calls?\(name)=\(opened.secret)").status == 400)
        }
        await opened.inspector.stop()
    }

    /// The inspector's listener is not a way to the app: no handlers, no pages, no channel, no files.
    @Test func theInspectorsPortServesNothingOfTheApp() async throws {
        let gateway = Gateway(passThrough: [.staticFiles("/etc")], keepsJournal: true, logger: Self.quiet)
        try gateway.mock(["echo": 12])
        let opened = try await Opened(gateway)
        for path in [
            "/echo?_mobile_bridge=1", "/__jsbridge__/echo", "/passwd", "/__drawbridge__/page.js",
            "/__drawbridge__/token",
            "/__drawbridge__/enter", "/__drawbridge__/session/ann", "/__drawbridge__/health",
            "/__drawbridge__/call",
        ] {
            let answer = try await opened.get(path)
            #expect(answer.status == 404, "\(path): \(answer.status) \(answer.body)")
        }
        let upgrade = try await opened.get(
            "/__drawbridge__/channel", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: token.\(opened.secret)")
        #expect(upgrade.status == 404)
        #expect(opened.gateway.journal.calls().isEmpty)
        await opened.inspector.stop()
    }

    @Test func guessesOfTheInspectorsSecretAreThrottled() async throws {
        let opened = try await Opened()
        let (host, port, secret) = (opened.host, opened.port, opened.secret)
        func statuses() async throws -> [Int] {
            let guesses = (0..<25).map { _ in String.random128() } + [secret]
            let text = guesses.map {
                "GET /__drawbridge__/calls HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Bearer \($0)\r\n\r\n"
            }.joined()
            return try await blocking {
                let client = try RawClient(port)
                try client.send(text)
                return try guesses.map { _ in try client.reply().status }
            }
        }
        // Twenty within a second count, for which a busy machine may need several tries; then the right one is refused.
        let first = try await statuses()
        #expect(first.prefix(20).allSatisfy { $0 == 401 })
        var last = first
        for _ in 1...50 where last.last != 429 { last = try await statuses() }
        let throttled = try #require(last.firstIndex(of: 429), "50 times 25 guesses were each looked at")
        #expect(last[..<throttled].allSatisfy { $0 == 401 } && last[throttled...].allSatisfy { $0 == 429 })
        await opened.inspector.stop()
    }

    // MARK: What it tells

    @Test func theInspectorUsesTheTestersAPIFromABrowser() async throws {
        let opened = try await Opened()
        _ = await opened.gateway.respond(to: Request("/pay?_mobile_bridge=1&n=1"))
        let answer = try await opened.get(
            "/__drawbridge__/calls", "Origin: \(opened.inspector.origin)", "Sec-Fetch-Site: same-origin",
            "Sec-Fetch-Dest: empty", "Referer: \(opened.inspector.origin)/", "User-Agent: Mozilla/5.0",
            "Accept-Language: en")
        let calls = try JSON(parsing: Array(answer.body.utf8))["data"]?["calls"]
        #expect(
            answer.status == 200 && calls?.arrayValue?.count == 1 && calls?[0]?["name"] == "pay",
            "\(answer.body)")
        await opened.inspector.stop()
    }

    @Test func theStreamHasEventsForQuestionsScenariosAndSessions() async throws {
        let gateway = Gateway(keepsJournal: true, logger: Self.quiet)
        gateway.reply(
            by: try Self.layers(
                #"{"replies": {"ask": {"$ask": "Sure?", "$choices": {"ok": 1, "no": 0}}}, "scenarios": {"offline": {"a": 1}}}"#
            ))
        let opened = try await Opened(gateway)
        let events = try await EventReader(
            opened.inspector, opened.secret, "calls/events?session=*&kind=all&secrets=1")
        for name in ["gateway", "pages", "questions", "replies", "scenarios", "sessions"] {
            _ = try await events.next(name)
        }
        let asking = Task { await gateway.respond(to: Request("/ask?_mobile_bridge=1")) }
        let questions = try await events.next("questions")
        let question = try #require(questions[0], "\(questions)")
        #expect(
            question["name"] == "ask" && question["message"] == "Sure?"
                && question["choices"] == ["ok", "no"])
        #expect(question["session"] == "default")
        let number = try #require(question["number"])
        let answer = try await opened.post("/__drawbridge__/questions/\(number)", #"{"choice":"ok"}"#)
        #expect(answer.status == 200, "\(answer.body)")
        _ = await asking.value
        #expect(try await events.next("questions") == [])
        // Who comes second is told so.
        #expect(
            try await opened.post("/__drawbridge__/questions/\(number)", #"{"choice":"no"}"#).status == 404)
        #expect(gateway.journal.calls().first?.output == 1)
        _ = try await opened.post(
            "/__drawbridge__/scenario?session=ann", #"{"scenario":"offline"}"#, method: "PUT")
        #expect(
            try await events.next("scenarios") == [
                "names": ["offline"], "on": ["default": [], "ann": ["offline"]],
            ])
        #expect(try await events.next("sessions") == ["ann", "default"])
        _ = try await opened.post("/__drawbridge__/replies?name=pay&session=ann", "12", method: "PUT")
        #expect(
            try await events.next("replies") == [
                "set": ["ann": ["pay": 12]], "file": .null, "problem": .null, "saves": [],
                "answered": [],
            ])
        _ = try await opened.post("/__drawbridge__/reset?session=ann", "")
        #expect(
            try await events.next("replies") == [
                "set": [:], "file": .null, "problem": .null, "saves": [], "answered": [],
            ])
        events.end()
        await opened.inspector.stop()
    }

    private struct UserHandler: Handler {
        func handle(_ request: Request) -> Response { Response() }
    }

    /// Of a full journal a person sees the newest before megabytes of older ones are there.
    @Test func theNewestRecordsComeFirstAndThenAllInTheirOrder() async throws {
        let gateway = Gateway(keepsJournal: true, logger: Self.quiet)
        for number in 1...450 {
            _ = await gateway.respond(to: Request("/pay?_mobile_bridge=1&n=\(number)"))
        }
        let opened = try await Opened(gateway)
        let events = try await EventReader(opened.inspector, opened.secret, "calls/events?kind=call")
        var numbers: [Int] = []
        for _ in 1...650 {
            numbers.append(try #require(try await events.next("record")["number"]?.numberValue?.intValue))
        }
        #expect(numbers == (251...450).reversed() + Array(1...450))
        events.end()
        await opened.inspector.stop()
    }

    /// A save answers calls that nobody had answered, if it would answer this input, on this page, in this session.
    @Test func theGatewaySaysWhichCallsWouldBeAnsweredNow() async throws {
        let gateway = Gateway(keepsJournal: true, logger: Self.quiet)
        func call(_ name: String, level: Int = 1, _ fields: HTTPFields = [:]) async {
            _ = await gateway.respond(
                to: Request(.get, "/\(name)?_mobile_bridge=1&level=\(level)", headers: fields))
        }
        let id = String(repeating: "a", count: 32)
        let page: HTTPFields = [.pagePath: "/cart/", .pageID: id, .pageToken: gateway.access.token.text]
        await call("pay")
        await call("pay", level: 2)
        await call("getUser")
        await call("getUser", page)
        await call("getVip", [.session: "ann"])
        _ = await gateway.respond(to: Request(.head, "/getUser?_mobile_bridge=1"))
        func mocked(_ mocks: String) throws -> [Int] {
            gateway.reply(by: try Self.layers(mocks))
            return gateway.answeredSince()
        }
        #expect(gateway.answeredSince() == [])
        #expect(try mocked(#"{"replies": {"pay": 1}}"#) == [1, 2])
        let cases = #"{"replies": {"pay": {"$cases": [{"$when": {"level": 2}, "$reply": 1}]}}}"#
        #expect(try mocked(cases) == [2])
        #expect(try mocked(#"{"replies": {"pay": {"$missing": true}}}"#) == [1, 2])
        #expect(try mocked(#"{"replies": {"pay": {"$pass": true}}}"#) == [])
        #expect(try mocked(#"{"pages": {"/cart/*": {"replies": {"getUser": 1}}}}"#) == [4])
        #expect(try mocked(#"{"scenarios": {"on": {"getVip": 1}}}"#) == [])
        try gateway.turn("on", on: true, in: try #require(Session("ann")))
        #expect(gateway.answeredSince() == [5])
        // Asking is no call: the sequence has its first step yet.
        #expect(try mocked(#"{"replies": {"pay": {"$sequence": [7, {"$pass": true}]}}}"#) == [1, 2])
        #expect(gateway.answeredSince() == [1, 2])
        await call("pay")
        #expect(gateway.journal.calls().last?.output == 7)
        #expect(gateway.answeredSince() == [])
        try gateway.register(at: "/getUser") { UserHandler() }
        #expect(gateway.answeredSince().filter { $0 < 6 } == [3, 4])
    }

    /// Where nobody looks, a question that nobody answers has no answer at once, as before.
    @Test func questionsWaitWhileAnInspectorIsOpen() async throws {
        let gateway = Gateway(keepsJournal: true, logger: Self.quiet)
        gateway.reply(
            by: try Self.layers(#"{"replies": {"ask": {"$ask": "Sure?", "$choices": {"ok": 1, "no": 0}}}}"#))
        let opened = try await Opened(gateway)
        _ = await gateway.respond(to: Request("/ask?_mobile_bridge=1"))
        #expect(gateway.journal.calls().first?.output != 1)
        let events = try await EventReader(opened.inspector, opened.secret, "calls/events")
        _ = try await events.next("questions")
        let asking = Task { await gateway.respond(to: Request("/ask?_mobile_bridge=1")) }
        #expect(try await events.next("questions").arrayValue?.count == 1)
        asking.cancel()
        #expect(try await events.next("questions") == [])
        events.end()
        #expect(await eventually { gateway.questions.watchEnds(in: .usual) == nil })
        await opened.inspector.stop()
    }

    /// Nothing that opens the inspector is in what leaves it.
    @Test func noSecretOfTheInspectorIsInTheJournal() async throws {
        let opened = try await Opened()
        _ = await opened.gateway.respond(to: Request("/pay?_mobile_bridge=1"))
        let ticket = String(opened.inspector.drawLink().suffix(32))
        _ = try await opened.post("/ticket", #"{"ticket":"\#(ticket)"}"#)
        for path in [
            "calls?kind=all&secrets=1", "calls/1/curl?secrets=1", "pages",
        ] {
            let answer = try await opened.get("/__drawbridge__/\(path)")
            #expect(answer.status == 200, "\(path)")
            for secret in [
                ticket, opened.secret, opened.gateway.testerToken.text, opened.gateway.access.token.text,
            ] {
                #expect(!answer.body.contains(secret) && !answer.head.contains(secret), "\(path)")
            }
        }
        await opened.inspector.stop()
    }

    @Test func savingMocksIsRefusedInAProgramThatIsNotTheCommand() async throws {
        let opened = try await Opened()
        let answer = try await opened.post("/__drawbridge__/replies/save", #"{"name":"pay","reply":1}"#)
        #expect(
            answer.status == 403 && answer.body.contains("the drawbridge command starts"), "\(answer.body)")
        await opened.inspector.stop()
    }

    private static func layers(_ text: String) throws -> ReplyLayers {
        ReplyLayers(
            ReplyNames(), files: [try ReplyFile(LocatedJSON(parsing: Array(text.utf8)))], scenario: [])
    }
}

/// Reads an inspector's stream of events, one reader at a time.
private final class EventReader: @unchecked Sendable {
    private let client: RawClient
    private var text = ""

    init(_ inspector: Inspector, _ secret: String, _ path: String) async throws {
        let host = String(inspector.origin.dropFirst("http://".count))
        client = try RawClient(Int(host.split(separator: ":")[1]) ?? 0, timeout: 20)
        let head =
            "GET /__drawbridge__/\(path) HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Bearer \(secret)\r\n\r\n"
        try await blocking { [client] in
            try client.send(head)
            let reply = try client.head()
            guard reply.status == 200 else {
                throw RawClient.Failure.malformed("the stream answers \(reply.status)")
            }
        }
    }

    /// What the next event of a name says; others are passed over.
    func next(_ name: String) async throws -> JSON {
        try await blocking { [self] in
            while true {
                while let end = text.firstRange(of: "\n\n") {
                    let lines = text[..<end.lowerBound].split(separator: "\n")
                    text.removeSubrange(..<end.upperBound)
                    guard lines.first == "event: \(name)", let data = lines.last?.dropFirst("data: ".count)
                    else { continue }
                    return try JSON(parsing: Array(data.utf8))
                }
                guard let chunk = try client.chunk() else {
                    throw RawClient.Failure.malformed("the stream has ended")
                }
                text += String(decoding: chunk, as: UTF8.self)
            }
        }
    }

    func end() { client.close() }
}
