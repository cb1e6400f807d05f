import Synchronization
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages
@testable import DrawbridgeMocks

/// What replies may say that nobody has named, and what those say that answer with a file.
@Suite("Which mocks a found file may have") struct ReplyTrustTests {
    /// Each outcome, and whether a file that nobody has named may say it.
    private static let outcomes: [(word: String, reply: String, isForAll: Bool)] = [
        ("$reply", #"{"$reply": 1}"#, true), ("$text", #"{"$text": {"a": 1}}"#, true),
        ("$error", #"{"$error": {"code": 1}}"#, true),
        ("$silence", #"{"$silence": true}"#, true), ("$missing", #"{"$missing": true}"#, true),
        ("$pass", #"{"$pass": true}"#, true), ("$sequence", #"{"$sequence": [1]}"#, true),
        ("$cases", #"{"$cases": [1]}"#, true), ("$ask", #"{"$ask": "?", "$choices": {"a": 1}}"#, true),
        ("$response", #"{"$response": {"status": 201, "json": 1}}"#, true),
        ("$response", #"{"$response": {"headers": {"A": "b"}}}"#, false),
        ("$response", #"{"$response": {"body": "a"}}"#, false),
        ("$response", #"{"$response": {"file": "a"}}"#, false),
        ("$forward", #"{"$forward": "http://127.0.0.1:1/"}"#, false),
    ]

    /// A new word needs a class, by whether a file may say it that nobody has named.
    @Test func everyOutcomeOfAMockIsAllowedInAnyFileOrOnlyInNamedOnes() throws {
        let beside: Set<String> = ["$delay", "$when", "$progress", "$every", "$choices", "$within", "$then"]
        #expect(Set(ReplyReader.words).subtracting(beside) == Set(Self.outcomes.map(\.word)))
        #expect(
            ReplyFile.keys == [
                "$schema", "cookies", "events", "globals", "mocks", "pages", "replies", "scenario",
                "scenarios",
                "userAgent",
            ])
        for (_, reply, isForAll) in Self.outcomes {
            // Wherever a mock may be.
            for text in [
                #"{"replies": {"a": \#(reply)}}"#, #"{"scenarios": {"s": {"a": \#(reply)}}}"#,
                #"{"pages": {"/": {"replies": {"a": \#(reply)}}}}"#,
                #"{"replies": {"a": {"$sequence": [\#(reply)]}}}"#,
                #"{"replies": {"a": {"$cases": [\#(reply)]}}}"#,
                #"{"replies": {"a": {"$ask": "?", "$choices": {"a": \#(reply)}}}}"#,
            ] {
                let value = try LocatedJSON(parsing: Array(text.utf8))
                #expect(throws: Never.self, "\(text)") {
                    try ReplyFile(value, trust: .named(folder: "."))
                }
                if isForAll {
                    #expect(throws: Never.self, "\(text)") { try ReplyFile(value, trust: .little) }
                } else {
                    let fault = #expect(throws: ReplyFault.self, "\(text)") {
                        try ReplyFile(value, trust: .little)
                    }
                    #expect(fault?.message.contains("only allowed in a file that -c or") == true)
                }
            }
        }
    }
}

/// What a page receives of a mock that is a file, at a bridge with a callback.
@Suite("Values from answer files") struct AnswerFileValueTests {
    private struct Files: ReplySupplier {
        func ask(_ call: [UInt8], at target: ForwardTarget, for request: Request) async throws -> [UInt8] {
            call
        }

        func open(_ file: AnswerFile, for request: Request?) throws -> Response? {
            func answer(_ body: Response.Body, _ type: String) -> Response {
                Response(headers: [.contentType: type], body: body)
            }
            return switch file.names.last {
            case "a.json": answer(.bytes(Array(#" {"nick": "Ann"} "#.utf8)), "application/json")
            case "broken.json": answer(.bytes(Array("{".utf8)), "application/json")
            case "a.txt": answer(.bytes(Array("Hello".utf8)), "text/plain; charset=utf-8")
            case "a.png": answer(.bytes([0x89, 0x50]), "image/png")
            default: nil
            }
        }
    }

    @Test(arguments: [
        ("a.json", 200, #"{"value":{"nick":"Ann"}}"#), ("a.txt", 200, #"{"value":"Hello"}"#),
        ("a.json", 401, #"{"error":{"code":401,"message":" {\"nick\": \"Ann\"} ","data":{"nick":"Ann"}}}"#),
        ("broken.json", 200, "broken.json is not JSON"),
        ("a.png", 200, "let the page send a request with _mobile_bridge=1"),
        ("none", 200, "cannot find none in the folder of the file of mocks; put it there"),
    ])
    func aCallbackGetsTheContentOfAnAnswerFile(_ name: String, _ status: Int, _ heard: String) async throws {
        let gateway = PageHandlers.gateway()
        gateway.configure { $0.replySupplier = Files() }
        let text = #"{"replies": {"a": {"$response": {"status": \#(status), "file": "\#(name)"}}}}"#
        let file = try ReplyFile(LocatedJSON(parsing: Array(text.utf8)), trust: .named(folder: "pictures"))
        gateway.reply(by: ReplyLayers(ReplyNames(), files: [file], scenario: []))
        let page = TestPage(gateway)
        page.tell(["call": "a", "id": 1, "bridge": "wvjb"])
        let reply = try await page.reply(1)
        #expect(
            "\(reply)".contains(heard.hasPrefix("{") ? String(heard.dropFirst().dropLast()) : heard),
            "\(reply)")
    }
}
