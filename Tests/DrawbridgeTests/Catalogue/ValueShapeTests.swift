import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeJSON
@testable import DrawbridgeMocks

/// What values have in common, as a type of TypeScript.
@Suite("Shapes of values", .timeLimit(.minutes(5))) struct ShapeTests {
    @Test(arguments: [
        ("[]", "unknown"), ("[1, 2]", "number"), ("[1, 2.5, null]", "number | null"),
        (#"["a", true]"#, "string | boolean"),
        (#"[{"a": 1}, {"a": 2, "b": "x"}]"#, #"{ "a": number; "b"?: string }"#),
        (#"[[], [1], ["a"]]"#, "Array<string | number>"), ("[[]]", "Array<unknown>"),
        ("[{}]", "{ [name: string]: unknown }"),
        (#"[{"a": {"b": null}}, [1]]"#, #"{ "a": { "b": null } } | Array<number>"#),
    ])
    func theShapesOfSeveralValuesAreMerged(values: String, type: String) throws {
        let shape = ValueShape(of: try #require(JSON(parsing: Array(values.utf8)).arrayValue))
        #expect(shape.typeScript == type)
    }

    @Test func anObjectOfTooManyNamesIsADictionary() {
        let object = JSON.object(JSON.Object((0...ValueShape.mostMembers).map { ("id\($0)", .string("x")) }))
        #expect(
            ValueShape(of: [object, ["id1": 2]]).typeScript == "{ [name: string]: string | number }")
        #expect(ValueShape(of: [object]).typeScript == "{ [name: string]: string }")
    }

    @Test func deepAndWideShapesAreCut() {
        var deep: JSON = 1
        for _ in 0..<400 { deep = ["a": deep] }
        #expect(ValueShape(of: [deep]).typeScript.utf8.count < 1000)
        func wide(_ depth: Int) -> JSON {
            depth == 0 ? 1 : .object(JSON.Object((0..<20).map { ("n\($0)", wide(depth - 1)) }))
        }
        #expect(ValueShape(of: [wide(3)]).typeScript.utf8.count < 200_000)
    }

    /// In whichever order the values came, the type is as wide, and can be read.
    @Test(arguments: 0..<60) func theOrderOfValuesDoesNotChangeTheShape(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let values = (0..<Int.random(in: 1...8, using: &random)).map { _ in
            JSON.random(depth: 3, using: &random)
        }
        let shape = ValueShape(of: values)
        let type = shape.typeScript
        #expect(shape.merged(ValueShape(of: values.shuffled(using: &random))).typeScript == type)
        for value in values { #expect(shape.merged(ValueShape(of: [value])).typeScript == type, "\(value)") }
        var parser = TypeScriptParser("export type A = \(type);")
        try parser.file()
    }
}
