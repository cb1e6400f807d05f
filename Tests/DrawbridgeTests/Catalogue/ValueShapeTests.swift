import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeMocks

/// What values have in common, as a schema and as a type of TypeScript.
@Suite("Shapes of values", .timeLimit(.minutes(5))) struct ShapeTests {
    @Test(arguments: [
        ("[]", "{}", "unknown"),
        ("[1, 2]", #"{"type":"integer"}"#, "number"),
        ("[1, 2.5, null]", #"{"type":["number","null"]}"#, "number | null"),
        (#"["a", true]"#, #"{"type":["string","boolean"]}"#, "string | boolean"),
        (
            #"[{"a": 1}, {"a": 2, "b": "x"}]"#,
            #"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"]}"#,
            #"{ "a": number; "b"?: string }"#
        ),
        (
            #"[[], [1], ["a"]]"#, #"{"type":"array","items":{"type":["string","integer"]}}"#,
            "Array<string | number>"
        ),
        ("[[]]", #"{"type":"array","items":{}}"#, "Array<unknown>"),
        ("[{}]", #"{"type":"object"}"#, "{ [name: string]: unknown }"),
        (
            #"[{"a": {"b": null}}, [1]]"#,
            #"{"type":["object","array"],"properties":{"a":{"type":"object","properties":{"b":{"type":"null"}},"required":["b"]}},"required":["a"],"items":{"type":"integer"}}"#,
            #"{ "a": { "b": null } } | Array<number>"#
        ),
    ])
    func valuesAreMerged(values: String, schema: String, type: String) throws {
        let shape = ValueShape(of: try #require(JSON(parsing: Array(values.utf8)).arrayValue))
        #expect(JSON.object(shape.schema) == (try JSON(parsing: Array(schema.utf8))))
        #expect(shape.typeScript == type)
    }

    @Test func manyNamesAreNoNames() {
        let object = JSON.object(JSON.Object((0...ValueShape.mostMembers).map { ("id\($0)", .string("x")) }))
        #expect(
            ValueShape(of: [object, ["id1": 2]]).schema["additionalProperties"] == [
                "type": ["string", "integer"]
            ])
        #expect(ValueShape(of: [object]).typeScript == "{ [name: string]: string }")
    }

    @Test func whatIsDeepOrManifoldIsCut() {
        var deep: JSON = 1
        for _ in 0..<400 { deep = ["a": deep] }
        #expect(ValueShape(of: [deep]).typeScript.utf8.count < 1000)
        func wide(_ depth: Int) -> JSON {
            depth == 0 ? 1 : .object(JSON.Object((0..<20).map { ("n\($0)", wide(depth - 1)) }))
        }
        #expect(JSON.object(ValueShape(of: [wide(3)]).schema).bytes.count < 200_000)
    }

    /// A schema takes all values that it was made of, in whichever order they came.
    @Test(arguments: 0..<60) func aShapeTakesWhatItWasMadeOf(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let values = (0..<Int.random(in: 1...8, using: &random)).map { _ in
            JSON.random(depth: 3, using: &random)
        }
        let shape = ValueShape(of: values)
        let other = ValueShape(of: values.shuffled(using: &random))
        for value in values {
            #expect(shape.takes(value) && other.takes(value))
            let schema = JSON.object(shape.schema)
            #expect(SchemaCheck.takes(value, schema), "\(value) is not \(schema)")
        }
        var parser = TypeScriptParser("export type A = \(shape.typeScript);")
        try parser.file()
    }

    @Test(arguments: [
        (#"{"a": 1}"#, #"{"a": "x"}"#), (#"{"a": 1}"#, "{}"), ("[1]", #"["a"]"#), ("1", "1.5"), ("null", "0"),
        (#""a""#, "true"),
    ])
    func aShapeRefusesOthers(seen: String, other: String) throws {
        let shape = ValueShape(of: [try JSON(parsing: Array(seen.utf8))])
        let value = try JSON(parsing: Array(other.utf8))
        #expect(!shape.takes(value))
        #expect(!SchemaCheck.takes(value, .object(shape.schema)))
    }
}

/// As much of JSON Schema as shapes are written in.
enum SchemaCheck {
    static func takes(_ value: JSON, _ schema: JSON) -> Bool {
        if let types = schema["type"] {
            let names = (types.arrayValue ?? [types]).compactMap(\.stringValue)
            guard names.contains(where: { isOf(value, $0) }) else { return false }
        }
        if let cases = schema["enum"]?.arrayValue, !cases.contains(where: { Condition.isEqual(value, $0) }) {
            return false
        }
        if let elements = value.arrayValue, let items = schema["items"] {
            guard elements.allSatisfy({ takes($0, items) }) else { return false }
        }
        guard let object = value.objectValue else { return true }
        for name in schema["required"]?.arrayValue?.compactMap(\.stringValue) ?? [] where object[name] == nil
        {
            return false
        }
        return object.allSatisfy { member in
            guard let own = schema["properties"]?[member.key] ?? schema["additionalProperties"] else {
                return true
            }
            return takes(member.value, own)
        }
    }

    private static func isOf(_ value: JSON, _ type: String) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .bool), ("string", .string), ("number", .number), ("array", .array),
            ("object", .object):
            true
        case ("integer", .number(let number)): number.isWhole
        default: false
        }
    }
}
