import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeJSON
@testable import DrawbridgeMocks

/// What values have in common, as a type of TypeScript.
@Suite("Types of values", .timeLimit(.minutes(5))) struct TypeScriptTests {
    @Test(arguments: [
        ("[]", "unknown"), ("[1, 2]", "number"), ("[1, 2.5, null]", "number | null"),
        (#"["a", true]"#, "string | boolean"),
        (#"[{"a": 1}, {"a": 2, "b": "x"}]"#, #"{ "a": number; "b"?: string }"#),
        (#"[[], [1], ["a"]]"#, "Array<string | number>"), ("[[]]", "Array<unknown>"),
        ("[{}]", "{ [name: string]: unknown }"),
        (#"[{"a": {"b": null}}, [1]]"#, #"{ "a": { "b": null } } | Array<number>"#),
    ])
    func theTypesOfSeveralValuesAreMerged(values: String, type: String) throws {
        let all = try #require(JSON(parsing: Array(values.utf8)).arrayValue)
        #expect(TypeScript.type(of: all) == type)
    }

    @Test func whatATemplateTakesFromTheInputMayHaveAnyType() throws {
        let mock: JSON = ["id": "{{input.id}}", "text": "no {{input.id}}", "list": ["{{uuid}}"]]
        let sample = try Template(mock).sample
        let others: JSON = ["id": 7, "text": "", "list": []]
        #expect(
            TypeScript.type(of: [others, sample])
                == #"{ "id": unknown; "text": string; "list": Array<string> }"#)
    }

    @Test func anObjectOfTooManyNamesIsADictionary() {
        let object = JSON.object(JSON.Object((0...TypeScript.mostMembers).map { ("id\($0)", .string("x")) }))
        #expect(
            TypeScript.type(of: [object, ["id1": 2]]) == "{ [name: string]: string | number }")
        #expect(TypeScript.type(of: [object]) == "{ [name: string]: string }")
    }

    @Test func deepAndWideTypesAreCut() {
        var deep: JSON = 1
        for _ in 0..<400 { deep = ["a": deep] }
        #expect(TypeScript.type(of: [deep]).utf8.count < 1000)
        func wide(_ depth: Int) -> JSON {
            depth == 0 ? 1 : .object(JSON.Object((0..<20).map { ("n\($0)", wide(depth - 1)) }))
        }
        #expect(TypeScript.type(of: [wide(3)]).utf8.count < 200_000)
    }

    /// In whichever order the values came, the type is as wide, and can be read.
    @Test(arguments: 0..<60) func theOrderOfValuesDoesNotChangeTheType(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let values = (0..<Int.random(in: 1...8, using: &random)).map { _ in
            JSON.random(depth: 3, using: &random)
        }
        let type = TypeScript.type(of: values)
        #expect(TypeScript.type(of: values + values.shuffled(using: &random)) == type)
        for value in values { #expect(TypeScript.type(of: values + [value]) == type, "\(value)") }
        var parser = TypeScriptParser("export type A = \(type);")
        try parser.file()
    }
}
