import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

/// What pages send and get, as TypeScript.
@Suite("Type declarations of native calls", .timeLimit(.minutes(5))) struct TypeScriptFileTests {
    private static func program() async throws -> JournalProgram {
        let program = JournalProgram(try CatalogueTests.gateway())
        await program.call("/pay?_mobile_bridge=1", #"{"orderNo": 17}"#)
        await program.call("/odd?_mobile_bridge=1")
        await program.call("/user/7?_mobile_bridge=1", #"{"a": 1}"#)
        await program.call("/user/8?_mobile_bridge=1", #"{"a": "x", "b": [null]}"#)
        await program.call("/text?_mobile_bridge=1")
        return program
    }

    @Test func eachNameHasItsInputAndOutputTypes() async throws {
        let program = try await Self.program()
        let text = try await program.ask(.get, "types.d.ts").text()
        for part in [
            "// seen\nexport interface PayInput { \"orderNo\": number }",
            """
            // reply, seen
            export interface PayOutput { "code"?: number; "receipt"?: string }
            """, "// reply\nexport interface GetUserOutput { \"nick\": string }",
            "\nexport type GetUserInput = unknown;",
            "// seen\nexport type OddOutput = string;", "// seen\nexport type OddInput = null;",
            "// seen\nexport interface UserIdInput { \"a\": string | number; \"b\"?: Array<null> }",
            "    \"user/:id\": { input: UserIdInput; output: UserIdOutput };",
        ] { #expect(text.contains(part), "\(part) is not in \(text)") }
        var parser = TypeScriptParser(text)
        try parser.file()
        #expect(parser.keys.contains("pay") && parser.keys.contains("order/:id"))
    }

    /// Nothing of what pages or files say breaks out of its literal.
    @Test func hostileNamesStayInsideTheirLiterals() async throws {
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
    }
}
