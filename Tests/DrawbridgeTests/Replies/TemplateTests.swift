import Testing

@testable import Drawbridge
@testable import DrawbridgeMocks

/// What `{{…}}` in a `$reply` becomes.
@Suite("Templates") struct TemplateTests {
    private static let input = ReplyInput(
        [
            "orderNo": "A1", "price": .number(JSON.Number(literal: "12.50")!), "isNew": true, "none": .null,
            "item": ["id": 7, "tags": ["x", "y"]],
            "evil": #"","x":1,"{{uuid}}"#, "written": #"{"id": 8, "tags": "[\"z\"]"}"#,
        ], userAgent: "ShopApp/3.2")

    private static func fill(_ text: String) throws -> String {
        "\(try Template(JSON(parsing: Array(text.utf8))).filled(input))"
    }

    @Test(arguments: [
        (#""{{input.orderNo}}""#, #""A1""#), (#""no {{input.orderNo}}!""#, #""no A1!""#),
        (#""{{input.price}}""#, "12.50"), (#""{{input.price}} EUR""#, #""12.50 EUR""#),
        (#"["{{input.isNew}}"]"#, "[true]"), (#""{{input.item}}""#, #"{"id":7,"tags":["x","y"]}"#),
        (#""{{input.item.tags.1}}""#, #""y""#),
        // Pages of bridges that take texts alone send JSON as text.
        (#"["{{input.written.id}}", "{{input.written.tags.0}}"]"#, #"[8,"z"]"#),
        (#""a {{input.item}}""#, #""a {\"id\":7,\"tags\":[\"x\",\"y\"]}""#),
        (#"{"{{input.orderNo}}": "{{input.orderNo}}{{input.orderNo}}"}"#, #"{"{{input.orderNo}}":"A1A1"}"#),
        (#""{{userAgent}} x""#, #""ShopApp/3.2 x""#), (#""{{input.none}}""#, "null"),
        (#""no template }} {{""#, #""no template }} {{""#), (#""{ {x} }""#, #""{ {x} }""#),
        ("17", "17"), ("null", "null"), (#""{{\"{{\"}}""#, #""{{""#),
        (#""{{\"{{\"}}input.orderNo}} {{input.orderNo}}""#, #""{{input.orderNo}} A1""#),
    ])
    func placeholdersOfATemplateAreFilledIn(_ template: String, _ expected: String) throws {
        #expect(try Self.fill(template) == expected)
    }

    @Test func aFilledTemplateIsWrittenAsJSONText() throws {
        let template = try Template(["nick": "{{input.orderNo}}", "n": 1], isWritten: true)
        #expect(try template.filled(Self.input) == #"{"nick":"A1","n":1}"#)
        #expect(try Template("a\"b", isWritten: true).filled(Self.input) == .string(#""a\"b""#))
    }

    @Test func insertedValuesAreNotExpandedAgain() throws {
        #expect(
            try Self.fill(#"["{{input.evil}}", "<{{input.evil}}>"]"#)
                == #"["\",\"x\":1,\"{{uuid}}","<\",\"x\":1,\"{{uuid}}>"]"#)
    }

    @Test func aPlaceholderWithoutAValueIsEmptyAndReported() throws {
        var told: [String] = []
        let template = try Template([
            "{{input.a}}", "x{{input.b.c}}y", "{{input.item.tags.9}}", "{{input.none}}!",
        ])
        let filled = try template.filled(Self.input) { told.append($0) }
        #expect(filled == [.null, "xy", .null, "!"])
        #expect(told == ["input.a", "input.b.c", "input.item.tags.9", "input.none"])
        #expect("\(try Template("{{input}}").filled(ReplyInput(nil)))" == "null")
    }

    @Test func eachUUIDInATemplateIsNew() throws {
        let template = try Template(["{{uuid}}", "{{uuid}}"])
        let all = try (0..<10).flatMap { _ in try template.filled(Self.input).arrayValue ?? [] }
        #expect(Set(all).count == 20)
        #expect(
            all.allSatisfy {
                $0.stringValue?.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil
            })
    }

    @Test func theSizeOfAFilledTemplateIsLimited() throws {
        let input = ReplyInput(["a": .string(String(repeating: "x", count: 1 << 20))])
        let some = try Template(.array(Array(repeating: "{{input.a}} {{input.a}}", count: 3)))
        #expect(try some.filled(input).bytes.count > 6 << 20)
        let many = try Template(.array(Array(repeating: "{{input}}", count: 9)))
        #expect(throws: Template.TooLarge.self) { try many.filled(input) }
    }

    @Test(arguments: ["{{}}", "{{inputs}}", "{{input..a}}", "{{ input.a }}", "{{uuid.a}}", "a{{date}}b"])
    func anUnknownPlaceholderIsRefused(_ text: String) {
        #expect(throws: Template.UnknownWord.self) { try Template(["a": .string(text)]) }
    }

    @Test func aTemplateKnowsWhetherItNeedsTheInput() throws {
        #expect(try Template(["a", "x {{input.a}}"]).looksAtInput)
        #expect(try !Template(["a", "{{uuid}}{{userAgent}}"]).looksAtInput)
    }
}
