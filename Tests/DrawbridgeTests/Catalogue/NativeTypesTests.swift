import HTTPTypes
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

/// Handlers and replies as OpenAPI and as TypeScript.
@Suite("Types of native", .timeLimit(.minutes(5))) struct NativeTypesTests {
    private static func program() async throws -> JournalProgram {
        let program = JournalProgram(try CatalogueTests.gateway())
        await program.call("/pay?_mobile_bridge=1", #"{"orderNo": 17}"#)
        await program.call("/odd?_mobile_bridge=1")
        await program.call("/user/7?_mobile_bridge=1", #"{"a": 1}"#)
        await program.call("/user/8?_mobile_bridge=1", #"{"a": "x", "b": [null]}"#)
        await program.call("/text?_mobile_bridge=1")
        return program
    }

    @Test func eachNameIsAnOperation() async throws {
        let program = try await Self.program()
        let answer = await program.ask(.get, "openapi.json")
        #expect(answer.headers[.contentType] == "application/json")
        let document = try await answer.json()
        #expect(document["openapi"] == "3.1.0")
        let paths = try #require(document["paths"]?.objectValue)
        func input(_ name: String) -> JSON? {
            paths["/__jsbridge__/\(name)"]?["post"]?["requestBody"]?["content"]?["application/json"]?[
                "schema"]
        }
        func output(_ name: String) -> JSON? {
            paths["/__jsbridge__/\(name)"]?["post"]?["responses"]?["200"]?["content"]?["text/json"]?[
                "schema"]?[
                    "properties"]?["data"]
        }
        #expect(
            input("pay") == [
                "type": "object",
                "properties": [
                    "orderNo": ["type": "integer"],
                    "channel": ["type": ["string", "null"], "enum": ["wechat", "alipay", .null]],
                ], "required": ["orderNo"], "x-from": "type",
            ])
        #expect(
            output("pay") == [
                "type": "object",
                "properties": ["code": ["type": "integer"], "receipt": ["type": "string"]],
                "x-from": "type, reply",
            ])
        #expect(output("odd") == ["type": "string", "x-from": "seen"])
        #expect(
            output("getUser") == [
                "type": "object", "properties": ["nick": ["type": "string"]], "required": ["nick"],
                "x-from": "reply",
            ])
        #expect(input("user/{id}")?["x-from"] == "seen")
        #expect(
            input("user/{id}")?["properties"] == [
                "a": ["type": ["string", "integer"]], "b": ["type": "array", "items": ["type": "null"]],
            ])
        #expect(
            paths["/__jsbridge__/user/{id}"]?["post"]?["parameters"] == [
                ["name": "id", "in": "path", "required": true, "schema": ["type": "string"]]
            ])
        #expect(
            paths["/__jsbridge__/gets"]?["get"]?["parameters"] == [
                ["name": "id", "in": "query", "required": true, "schema": ["type": "integer"]]
            ])
        #expect(
            paths["/__jsbridge__/text"]?["post"]?["responses"]?["200"]?["content"]?.objectValue?.map(\.key)
                == ["text/plain; charset=utf-8"])
        #expect(input("fail") == [:])
        let ids = paths.compactMap {
            $0.value.objectValue?.first { _ in true }?.value["operationId"]?.stringValue
        }
        #expect(ids.count == paths.count && Set(ids).count == ids.count)
    }

    /// Such a handler is never asked, and what pages send to the reply is something else.
    @Test func behindAReplyThatAlwaysAnswersNoTypeOfAHandlerCounts() async throws {
        struct Charge: JSONHandler {
            struct Input: Decodable, Sendable { var type: String }
            func handle(_ input: Input) async throws -> Nothing { Nothing() }
        }
        let gateway = Gateway(keepsJournal: true)
        try gateway.register(Charge.self, at: "/charge")
        let program = JournalProgram(gateway, withHandlers: false)
        #expect(try await program.ask(.get, "types.d.ts").text().contains(#"{ "type": string }"#))
        try await gateway.mock(#"{"charge": {"code": 0}}"#)
        await program.call("/charge?_mobile_bridge=1", #"{"orderNo": 7}"#)
        let types = try await program.ask(.get, "types.d.ts").text()
        #expect(types.contains(#"{ "orderNo": number }"#) && !types.contains(#""type""#), "\(types)")
    }

    /// What the document says can be called can be called.
    private struct Lists: JSONHandler {
        struct Input: Decodable { var id: Int, words: String? }
        static var methods: [HTTPRequest.Method]? { [.get] }
        func handle(_ input: Input) async throws -> [String] { [] }
    }

    private struct Removes: JSONHandler {
        struct Input: Decodable { var id: Int }
        static var methods: [HTTPRequest.Method]? { [.delete] }
        func handle(_ input: Input) async throws -> Nothing { Nothing() }
    }

    /// Handlers of one path are one name, and an operation for each method; what stands in the path is asked nowhere else.
    @Test func handlersOfOnePathAreOperationsBesideEachOther() async throws {
        let program = JournalProgram(Gateway(keepsJournal: true), withHandlers: false)
        try program.gateway.register(Lists.self, at: "/list/:id")
        try program.gateway.register(Removes.self, at: "/list/:id")
        let handlers = try await program.ask(.get, "handlers").json()["data"]
        #expect(handlers?.arrayValue?.count == 1)
        #expect(
            handlers?[0]?["handler"] == "Lists, Removes" && handlers?[0]?["methods"] == ["GET", "DELETE"])
        let document = try await program.ask(.get, "openapi.json").json()
        let paths = document["paths"]?.objectValue.map(Array.init)
        let path = try #require(paths?.first)
        #expect(paths?.count == 1 && path.value.objectValue?.map(\.key) == ["get", "delete"])
        #expect(path.value["get"]?["operationId"] == "listIdGet")
        let names = path.value["get"]?["parameters"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
        #expect(names.filter { $0 == "id" }.count == 1 && names.contains("words"), "\(names)")
    }

    @Test func anOperationIsAnswered() async throws {
        for rules: [any InterceptionRule] in [[.jsBridge, .flag()], [.flag("native", "yes")]] {
            let gateway = Gateway(rules: rules, keepsJournal: true, logger: .quiet)
            try gateway.register(Echo.self, at: "/caf\u{E9} {x}/:id")
            let program = JournalProgram(gateway)
            let document = try await program.ask(.get, "openapi.json").json()
            for (path, operation) in try #require(document["paths"]?.objectValue) {
                guard path.contains("caf") else { continue }
                var target = path.replacing("{id}", with: "7")
                for parameter in operation["post"]?["parameters"]?.arrayValue ?? []
                where parameter["in"] == "query" {
                    let name = try #require(parameter["name"]?.stringValue)
                    let value = try #require(parameter["schema"]?["enum"]?[0]?.stringValue)
                    target += "?\(name)=\(value)"
                }
                let answer = await gateway.respond(to: Request(.post, target, body: .init(#"{"a":1}"#)))
                let input: JSON = path.contains("{id}") ? ["a": 1, "id": "7"] : ["a": 1]
                #expect(try await answer.json()["data"] == input, "\(target)")
            }
        }
    }

    @Test func eachNameHasItsTypes() async throws {
        let program = try await Self.program()
        let text = try await program.ask(.get, "types.d.ts").text()
        for part in [
            """
            // type
            export interface PayInput { "orderNo": number; "channel"?: "wechat" | "alipay" | null }
            """,
            """
            // type, reply
            export interface PayOutput { "code"?: number; "receipt"?: string }
            """, "// seen\nexport type OddOutput = string;", "// seen\nexport type OddInput = null;",
            "// seen\nexport interface UserIdInput { \"a\": string | number; \"b\"?: Array<null> }",
            "    \"user/:id\": { input: UserIdInput; output: UserIdOutput };",
        ] { #expect(text.contains(part), "\(part) is not in \(text)") }
        var parser = TypeScriptParser(text)
        try parser.file()
        #expect(parser.keys.contains("pay") && parser.keys.contains("order/:id"))
    }

    /// Nothing of what pages or files say breaks out of its literal.
    @Test func hostileNamesAreLiterals() async throws {
        let hostile = [
            "a\"b", "x*/ y", "`${x}`", "a'b\\", "</script>", "\u{2028}x", "a\nexport type X = 1;",
            "__proto__",
            "x// y", "é\u{202E}", "constructor", "", "a b", "A-B", "a-b", "a_b", "1", "😀", "\u{0}",
            "NativeCalls",
        ]
        let program = JournalProgram(Gateway(keepsJournal: true, logger: .quiet))
        var names = ReplyNames()
        for name in hostile {
            let value: JSON = ["\(name)x": .string(name), "list": [["\(name)": 1]]]
            try names.set(LocatedJSON(parsing: value.bytes), for: name)
        }
        names.source = "test"
        program.gateway.reply(by: ReplyLayers([names]))
        for name in hostile {
            await program.call(
                "/\(Percent.encode(name))?_mobile_bridge=1", "\(["\(name)y": .string(name)] as JSON)")
        }
        let text = try await program.ask(.get, "types.d.ts").text()
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
        var parser = TypeScriptParser(text)
        try parser.file()
        let keys = Set(parser.keys.map { JSON.Bytewise($0) })
        for name in hostile { #expect(keys.contains(JSON.Bytewise(name)), "\(name)") }
        #expect(parser.comments.allSatisfy { !$0.contains("export") })
        let document = try await program.ask(.get, "openapi.json").json()
        #expect((document["paths"]?.objectValue?.count ?? 0) >= hostile.count - 1)
    }
}
