import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway

/// What the log says of a call.
@Suite(.timeLimit(.minutes(5))) struct CallLineTests {
    private let gateway = Gateway(keepsJournal: true)

    /// The command's, without handlers in code.
    init() { gateway.configure { $0.suggestions = [.mock] } }

    /// The line of one call.
    private func line(
        _ target: String, _ body: String = "", columns: Int? = nil, hasIDs: Bool = false
    ) async throws -> String {
        let lines = Lines()
        gateway.tellCalls(hasIDs: hasIDs, columns: { columns }) { line, _ in lines.add(line) }
        _ = await gateway.respond(
            to: Request(body.isEmpty ? .get : .post, target, body: .init(Array(body.utf8))))
        #expect(lines.all.count == 1)
        return try #require(lines.all.last)
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    @Test func theLineSaysWhoAnswered() async throws {
        try gateway.mock([
            "getUser": ["$sequence": [["nick": "Ann"], ["nick": "Bob"]]],
            "bad": ["$error": ["code": 402, "message": "no"]],
            "mute": ["$error": ["code": 1001, "message": ""]], "old": ["$missing": true],
            "pay": ["$cases": [["$when": ["channel": "wechat"], "$reply": 1]]],
        ])
        #expect(
            try await line("/getUser?_mobile_bridge=1").contains(
                #/^getUser +reply getUser, step 1 +[\d.]+ ms  \{"nick":"Ann"\}$/#))
        #expect(
            try await line("/getUser?_mobile_bridge=1&a=1").contains(
                #/^getUser \{"a":"1"\} +reply getUser, step 2 +[\d.]+ ms  \{"nick":"Bob"\}$/#))
        #expect(
            try await line("/bad?_mobile_bridge=1").contains(#/reply bad +[\d.]+ ms  error 402: no$/#))
        #expect(try await line("/mute?_mobile_bridge=1").contains(#/reply mute +[\d.]+ ms  error 1001$/#))
        #expect(try await line("/old?_mobile_bridge=1").hasSuffix("  reply old: not available in this app"))
        #expect(
            try await line("/__jsbridge__", #"{"action":"pay","data":{"channel":"card"}}"#).contains(
                #/^pay \{"channel":"card"\} +no case fits: channel is "card", wanted "wechat"; nobody answers$/#
            ))
    }

    @Test func theLineCountsUnansweredCallsOfAName() async throws {
        try gateway.mock(["getUser": 1])
        let lines = [
            try await line("/vibrate?_mobile_bridge=1"), try await line("/vibrate?_mobile_bridge=1"),
            try await line("/getUsr?_mobile_bridge=1"),
        ]
        #expect(lines[0].hasSuffix("  not mocked; mock it: --reply 'vibrate=…'"), "\(lines)")
        #expect(lines[1].hasSuffix("  not mocked, 2 times now; mock it: --reply 'vibrate=…'"), "\(lines)")
        #expect(lines[2].contains("  not mocked; did you mean getUser? Else mock it: "), "\(lines)")
    }

    /// Once in a run, since each line would say the same.
    @Test(arguments: ["/vibrate", "/pay"]) func onlyTheFirstUnansweredCallPointsToTheInspector(path: String)
        async throws
    {
        gateway.configure { $0.suggestions.insert(.inspector) }
        try gateway.mock(["pay": ["$cases": [["$when": ["n": 1], "$reply": 1]]]])
        let first = try await line("\(path)?_mobile_bridge=1")
        let second = try await line("/vibrate?_mobile_bridge=1")
        #expect(
            first.hasSuffix(path == "/pay" ? "answers; the inspector can" : ", or in the inspector"),
            "\(first)")
        #expect(first.contains(path == "/pay" ? "no case fits" : "mock it: --reply 'vibrate=…'"))
        #expect(second.contains("not mocked") && !second.contains("inspector"), "\(second)")
    }

    /// The gateway refused nothing.
    @Test func aCallWhoseCallerLeftIsNotShownAsRefused() async throws {
        try gateway.mock(["pay": ["$ask": "Pay?", "$choices": ["ok": 1, "no": 0]]])
        _ = gateway.questions.watch(.usual)
        let lines = Lines()
        gateway.tellCalls(hasIDs: false, columns: { nil }) { line, _ in lines.add(line) }
        let call = Task { await gateway.respond(to: Request("/pay?_mobile_bridge=1")) }
        await until { gateway.questions.waiting.count == 1 }
        call.cancel()
        _ = await call.value
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.contains(#/^pay +[\d.]+ ms  its caller left$/#) == true, "\(lines.all)")
    }

    private struct Gets: JSONHandler {
        static let options = HandlerOptions(methods: [.get])
        func handle(_ input: Nothing) async throws -> Nothing { Nothing() }
    }

    /// Somebody has the name, so it needs no mock.
    @Test func theLineSaysWhichMethodsHandlersTake() async throws {
        try gateway.register(Gets.self, at: "/notes")
        let line = try await line("/notes?_mobile_bridge=1", "{}")
        let end = "  /notes has no handler that takes POST; registered there: GET, HEAD"
        #expect(line.hasSuffix(end), "\(line)")
    }

    /// A shell would run what a page calls itself.
    @Test(arguments: ["a%27%3B+rm", "%22%7B", "%1B%5B2J", "%E2%80%AE"])
    func aNameOfAPageNeverBecomesAShellCommand(name: String) async throws {
        #expect(!(try await line("/\(name)?_mobile_bridge=1")).contains("--reply"))
    }

    @Test(arguments: [60, 70, 110]) func theLineFitsTheTerminal(columns: Int) async throws {
        try gateway.mock(
            ["long": "{{input.text}}", "wide": ["$reply": .string(String(repeating: "好", count: 60))]])
        let text = String(repeating: "x", count: 10_000)
        for target in ["/long?text=\(text)&_mobile_bridge=1", "/wide?a=%E5%A5%BD&_mobile_bridge=1"] {
            let line = try await line(target, columns: columns)
            let width = line.unicodeScalars.reduce(0) { $0 + ($1.isASCII || $1 == "…" ? 1 : 2) }
            #expect(width <= columns && line.contains("…"), "\(line)")
        }
        let missing = try await line("/vibrate?ms=30&_mobile_bridge=1", columns: 60)
        #expect(missing.hasSuffix("--reply 'vibrate=…'"), "\(missing)")
    }

    @Test func theLineHasNoSecretsAndIDsOnlyOnRequest() async throws {
        try gateway.mock(["login": ["token": "CANARY"]])
        let line = try await line("/login?password=CANARY&_mobile_bridge=1", hasIDs: true)
        #expect(!line.contains("CANARY") && line.contains("[removed]"))
        #expect(line.contains(#/  request=[\w-]+  bridge=flag$/#), "\(line)")
    }
}
