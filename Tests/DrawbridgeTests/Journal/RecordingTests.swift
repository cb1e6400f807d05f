import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages
@testable import DrawbridgeMocks

/// What was answered, as a file of replies that answers the same.
@Suite("Recordings", .timeLimit(.minutes(5))) struct RecordingTests {
    private static func record(_ program: JournalProgram, _ query: String = "") async throws -> String {
        let answer = await program.ask(.get, "record\(query)")
        #expect(answer.headers[.contentDisposition] == "attachment; filename=drawbridge.json")
        return try await answer.text()
    }

    /// A gateway that answers by a recording alone, as one that was found by itself.
    private static func replaying(_ text: String, _ answers: AnswerForm = .envelope) throws
        -> JournalProgram
    {
        let file = try ReplyFile(LocatedJSON(parsing: Array(text.utf8)), isAlone: true, trust: .little)
        #expect(file.doubts.isEmpty, "\(file.doubts)")
        let gateway = Gateway(answers: answers, keepsJournal: true, logger: .quiet)
        gateway.reply(by: ReplyLayers(ReplyNames(), files: [file], scenario: []))
        return JournalProgram(gateway, withHandlers: false)
    }

    private static func recording(
        _ calls: [(target: String, body: String)], _ replies: String = "{}"
    ) async throws -> String {
        let program = JournalProgram(Gateway(keepsJournal: true, logger: .quiet))
        try program.gateway.mock(JSON(parsing: Array(replies.utf8)))
        for (target, body) in calls { await program.call(target, body) }
        return try await record(program)
    }

    /// What a person sends again, to see what is answered, no page has asked.
    @Test func resentCallsAreLeftOutOfARecording() async throws {
        let program = JournalProgram(Gateway(keepsJournal: true, logger: .quiet))
        try program.gateway.mock(["pay": ["$sequence": [1, 2]]])
        await program.call("/pay?_mobile_bridge=1")
        #expect(await program.ask(.post, "calls/1/resend").status == .ok)
        #expect(try await program.calls("?name=pay").map { $0["output"] } == [1, 2])
        #expect(try await Self.record(program).contains(#"        "pay": 1\#n"#))
    }

    @Test func oneAnswerIsAConstantAndSeveralAreCasesOrASequence() async throws {
        let text = try await Self.recording(
            [
                ("/getUser?_mobile_bridge=1", #"{"id": 1}"#), ("/getUser?_mobile_bridge=1", #"{"id": 2}"#),
                ("/echo?_mobile_bridge=1", #"{"a": 1}"#), ("/echo?_mobile_bridge=1", #"{"a": 2.0}"#),
                ("/echo?_mobile_bridge=1", #"{"a": 1.0}"#), ("/sync?_mobile_bridge=1", ""),
                ("/sync?_mobile_bridge=1", ""), ("/sync?_mobile_bridge=1", ""),
                ("/fail?_mobile_bridge=1", ""),
                ("/nobody?_mobile_bridge=1", ""), ("/text?_mobile_bridge=1", ""),
                ("/gone?_mobile_bridge=1", ""),
                ("/stream?_mobile_bridge=1", ""), ("/nothing?_mobile_bridge=1", ""),
            ],
            #"""
            {"getUser": {"nick": "Ann"}, "gone": {"$missing": true},
             "sync": {"$sequence": [{"$error": {"code": 1001, "message": "not {{\"{{\"}}ready}}"}}, "done"]}}
            """#)
        #expect(
            text.split(separator: "\n").prefix { $0.hasPrefix("//") } == [
                "// Recorded by Drawbridge: 11 calls of session default. It holds what was really said, secrets too:",
                "// look through it before anybody else gets it.",
                "// Left out: 1 call that nobody answered: nobody.",
                "// Left out: 1 call whose answers are not JSON, but text/plain; charset=utf-8, which a file that is found without a flag cannot contain: text.",
                "// Left out: 1 call whose answers were streams or files: stream.",
            ], "\(text)")
        let replies = try LocatedJSON(parsing: Array(text.utf8)).json["replies"]
        #expect(
            replies == [
                "getUser": ["nick": "Ann"],
                "echo": [
                    "$cases": [
                        [
                            "$when": ["$equals": ["a": 1]],
                            "$sequence": [["a": 1], ["a": .number(.init(literal: "1.0")!)]],
                        ],
                        [
                            "$when": ["$equals": ["a": .number(.init(literal: "2.0")!)]],
                            "$reply": ["a": .number(.init(literal: "2.0")!)],
                        ],
                    ]
                ],
                "sync": [
                    "$sequence": [
                        ["$error": ["code": 1001, "message": #"not {{"{{"}}ready}}"#]], "done",
                    ]
                ],
                "fail": ["$error": ["code": 418, "message": "no tea"]],
                "gone": ["$missing": true], "nothing": .null,
            ], "\(text)")
    }

    @Test func namesOfPagesCannotBreakARecording() async throws {
        let text = try await Self.recording(
            ["a\nb", "*", "a/*", ":id", "$x", "a%2Fb", "\u{2028}\" //"].map {
                ("/\($0.contains("%") ? $0 : Percent.encode($0, keeping: "/"))?_mobile_bridge=1", "")
            }, #"{"*": 1}"#)
        let file = try ReplyFile(LocatedJSON(parsing: Array(text.utf8)), isAlone: true, trust: .little)
        #expect(file.replies.names == ["a\nb", "\u{2028}\" //"].sorted())
        #expect(
            text.contains(
                "// Left out: 5 calls whose names a reply cannot have: *, a/*, :id, $x, a/b."))
    }

    @Test func callsThatWereCutAreLeftOutOfARecording() async throws {
        let long = String(repeating: "x", count: 70_000)
        let text = try await Self.recording([
            ("/echo?_mobile_bridge=1", #"{"a": "\#(long)"}"#), ("/echo?_mobile_bridge=1", #"{"a": 1}"#),
            ("/fail?_mobile_bridge=1", #"{"a": "\#(long)"}"#), ("/fail?_mobile_bridge=1", #"{"a": 1}"#),
            (
                "/echo?_mobile_bridge=1",
                String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
            ),
        ])
        #expect(text.contains("1 call whose answers had more than 64 KB: echo"))
        #expect(text.contains("1 call whose answers are nested too deeply for a reply: echo"))
        let replies = try LocatedJSON(parsing: Array(text.utf8)).json["replies"]
        #expect(replies == ["echo": ["a": 1], "fail": ["$error": ["code": 418, "message": "no tea"]]])
    }

    /// What a handler reads as it comes, nobody keeps: then nobody can tell inputs apart by it.
    @Test func streamedBodiesAreNotKeptForARecording() async throws {
        let program = JournalProgram(Gateway(keepsJournal: true, logger: .quiet))
        for number in 0..<2 {
            program.gateway.answer(at: "/count") { _ in try Response(output: number) }
            _ = await program.gateway.respond(
                to: Request(.post, "/count?_mobile_bridge=1", body: Request.Body(OneChunk())))
        }
        struct Streamed: Handler {
            static let options = HandlerOptions(body: .streamed)
            func handle(_ request: Request) async throws -> Response {
                try Response(output: request.query["n"])
            }
        }
        try program.gateway.register(Streamed.self, at: "/streamed")
        for number in 0..<2 {
            _ = await program.gateway.respond(
                to: Request(.post, "/streamed?_mobile_bridge=1&n=\(number)", body: Request.Body(OneChunk())))
        }
        let calls = try await program.calls()
        #expect(calls.map { $0["inputIsCut"] } == [nil, nil, true, true])
        let text = try await Self.record(program)
        #expect(
            text.contains(
                "// Left out: 2 calls whose inputs decide the answer, but are incomplete or cannot be read: streamed."
            ))
        #expect(
            try LocatedJSON(parsing: Array(text.utf8)).json["replies"] == ["count": ["$sequence": [0, 1]]])
    }

    // MARK: Replay

    /// A call by one of the doors.
    private struct Call {
        enum Door: CaseIterable { case flag, json, form, jsbridge, action, page }
        let door: Door
        let name: String
        let input: JSON
    }

    private struct Answer: Equatable, CustomStringConvertible {
        let status: Int
        let body: JSON
        var description: String { "\(status) \(body)" }
    }

    private static func answer(
        _ call: Call, _ number: Int, _ program: JournalProgram, _ page: TestPage
    ) async throws -> Answer {
        let texts =
            call.input.objectValue?.map { (name: $0.key, value: $0.value.stringValue ?? "\($0.value)") } ?? []
        let query = texts.map { "\(Percent.encode($0.name))=\(Percent.encode($0.value))" }.joined(
            separator: "&")
        let json: HTTPFields = [.contentType: "application/json"]
        let request: Request
        switch call.door {
        case .flag: request = Request("/\(call.name)?_mobile_bridge=1\(query.isEmpty ? "" : "&")\(query)")
        case .json:
            request = Request(
                .post, "/\(call.name)?_mobile_bridge=1", headers: json, body: .init("\(call.input)"))
        case .form:
            request = Request(
                .post, "/\(call.name)?_mobile_bridge=1",
                headers: [.contentType: "application/x-www-form-urlencoded"], body: .init(query))
        case .jsbridge:
            request = Request(
                .post, "/__jsbridge__/\(call.name)", headers: json, body: .init("\(call.input)"))
        case .action:
            request = Request(
                .post, "/", authority: "__jsbridge__", headers: json,
                body: .init("\(["action": .string(call.name), "data": call.input] as JSON)"))
        case .page:
            page.tell([
                "call": .string(call.name), "id": .number(.init(number)), "bridge": "shortcut",
                "data": call.input,
            ])
            let reply = try await page.reply(number)
            return Answer(status: 0, body: reply["error"].map { ["error": $0] } ?? reply["value"] ?? .null)
        }
        let response = await program.gateway.respond(to: request)
        return Answer(status: response.status.code, body: try await response.json())
    }

    /// The same calls in the same order are answered in the same way, without the handlers.
    @Test(arguments: 0..<12) func aRecordingAnswersTheSameCallsAlike(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let answers = [AnswerForm.envelope, .http, .bare][Int(seed % 3)]
        let gateway = Gateway(answers: answers, keepsJournal: true, logger: .quiet)
        let first = JournalProgram(gateway, withHandlers: false)
        let values = (0..<8).map { _ in JSON.recorded(using: &random) }
        let codes = [200, 200, 201, 404, 299, 503]
        // Answers by chance, so that the same input gets one and then another.
        let chance = Chance(seed: seed)
        for name in ["one", "two/three", "caf\u{E9}"] {
            gateway.answer(at: "/\(name)") { _ in
                switch chance.number(below: 8) {
                case 0: throw HTTPError(.badRequest, "no {{input}}", code: 1001, data: values[0])
                case 1: throw HTTPError(.init(code: 418), "no tea")
                case 2: return Response(bytes: values[1].bytes, contentType: "application/json")
                case 3:
                    var response = try Response(output: values[chance.number(below: values.count)])
                    response.status = .init(code: codes[chance.number(below: codes.count)])
                    return response
                default: return try Response(output: values[chance.number(below: values.count)])
                }
            }
        }
        try gateway.register(Echo.self, at: "/echo")
        try gateway.mock([
            "reply": ["$cases": [["$when": ["a": 1], "$reply": "{{input}}"], ["$reply": ["$x": 1]]]],
            "error": ["$error": ["code": 7, "message": "{{input.a}}"]], "gone": ["$missing": true],
            "constant": ["nick": "{{uuid}}", "reply": 1, "delay": 2],
            "raw": ["$response": ["status": 402, "json": ["b": "{{input.a}}"]]],
        ])
        let names = ["one", "two/three", "caf%C3%A9", "echo", "reply", "error", "gone", "constant", "raw"]
        let inputs = (0..<4).map { _ in JSON.recorded(using: &random) } + [["a": 1], ["a": "1"], .null]
        let calls = (0..<60).map { _ in
            let door = Call.Door.allCases.randomElement(using: &random) ?? .json
            let name = names.randomElement(using: &random) ?? "one"
            // Only in a path it is encoded.
            let isPath = door != .action && door != .page
            return Call(
                door: door, name: isPath ? name : Percent.decode(name[...].utf8) ?? name,
                input: inputs.randomElement(using: &random) ?? .null)
        }
        let page = TestPage(gateway)
        var answered: [Answer] = []
        for (number, call) in calls.enumerated() {
            answered.append(try await Self.answer(call, number + 1, first, page))
        }
        let text = try await Self.record(first)
        #expect(!text.contains("// Left out"), "\(text)")

        let second = try Self.replaying(text, answers)
        let other = TestPage(second.gateway)
        for (number, call) in calls.enumerated() {
            let answer = try await Self.answer(call, number + 1, second, other)
            #expect(answer == answered[number], "\(call): \(text)")
        }
        // And what was called is the same to a test.
        let (mine, theirs) = (try await first.calls(), try await second.calls())
        #expect(mine.map { $0["name"] } == theirs.map { $0["name"] })
        for call in mine {
            let name = try #require(call["name"])
            let input = call["input"] ?? .null
            let same = Condition.equals(input)
            let count = mine.count {
                $0["name"] == name && same.misfit(ReplyInput($0["input"] ?? .null), nil) == nil
            }
            let check: JSON = ["name": name, "equals": input, "count": .number(.init(count))]
            for program in [first, second] {
                let verdict = await program.ask(.post, "calls/verify", "\(check)")
                #expect(verdict.status == .ok, "\(check)")
            }
        }
        // What was recorded of the replay is the same file, but for what it says of itself.
        let again = try await Self.record(second)
        #expect(
            try LocatedJSON(parsing: Array(again.utf8)).json == LocatedJSON(parsing: Array(text.utf8)).json)
    }
}

/// A body that comes in one part.
private actor OneChunk: ChunkSource {
    private var hasCome = false

    func next() async throws -> [UInt8]? {
        defer { hasCome = true }
        return hasCome ? nil : Array(#"{"a": 1}"#.utf8)
    }
}

/// Numbers that handlers draw.
private final class Chance: Sendable {
    private let random: Mutex<SeededRandom>

    init(seed: UInt64) { random = Mutex(SeededRandom(seed: seed &+ 1000)) }

    func number(below limit: Int) -> Int { random.withLock { Int.random(in: 0..<limit, using: &$0) } }
}

extension JSON {
    /// An awkward value; often an object, whose members perhaps are words and templates.
    fileprivate static func recorded(using random: inout SeededRandom) -> JSON {
        let texts = [
            "$reply", "$when", "a", "{{input}}", "{{", "}}", "{{{x}}}", "reply", "delay", "$$", "{{\"{{\"}}",
        ]
        guard Bool.random(using: &random) else { return .random(depth: 3, using: &random) }
        return .object(
            Object(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    let value: JSON =
                        Bool.random(using: &random)
                        ? .string(texts.randomElement(using: &random) ?? "")
                        : .random(depth: 2, using: &random)
                    return (texts.randomElement(using: &random) ?? "", value)
                }))
    }
}
