import Testing

@testable import Drawbridge
@testable import DrawbridgeMocks

/// The tables by which files of mocks are read, and from which their JSON Schema is printed.
@Suite("The grammar of mocks") struct GrammarTests {
    private static let tables = [
        Grammar.file, Grammar.page, Grammar.reply, Grammar.error, Grammar.response, Grammar.step,
        Grammar.condition,
    ]

    @Test(arguments: tables.flatMap(\.all).filter { $0.example != nil })
    func everyExampleOfAKeywordIsValid(_ keyword: Keyword) throws {
        let example = try #require(keyword.example)
        let value = try LocatedJSON(parsing: Array(example.utf8))
        #expect(throws: Never.self) { try keyword.check(value) }
        #expect(!keyword.says.isEmpty)
    }

    @Test func everyKeywordAllowedNextToAnotherIsDefined() {
        for table in Self.tables {
            let beside = table.leading.flatMap { $0.beside ?? [] }
            #expect(Set(beside).isSubset(of: table.names), "\(table.title)")
        }
    }

    /// A member that an object cannot have, and the end of what is said of it.
    @Test(arguments: [
        (
            #"{"replies": {"a": {"$error": {"code": 1, "mesage": "x"}}}}"#,
            "and no mesage; did you mean message?"
        ),
        (#"{"replies": {"a": {"$response": {"header": {}}}}}"#, "and no header; did you mean headers?"),
        (#"{"events": {"a": [{"emit": "b", "dat": 1}]}}"#, "and no dat; did you mean data?"),
        (#"{"pages": {"/a": {"scenarios": {}}}}"#, "a page has replies, mocks, bridge, globals, cookies"),
        (#"{"pages": {"/a": {}}}"#, "write one of them"), (#"{"globals": []}"#, "globals are an object"),
        (#"{"scenario": 5}"#, "scenario is a name, or an array of names"),
    ])
    func aMistakeNamesTheValidKeywords(_ text: String, _ expected: String) throws {
        let fault = #expect(throws: ReplyFault.self) {
            try ReplyFile(LocatedJSON(parsing: Array(text.utf8)))
        }
        #expect(fault?.description.contains(expected) == true, "\(fault?.description ?? "")")
    }

    /// A program without settings of its own serves the schema of a file of mocks, whose top level has no others.
    @Test func aProgramServesTheSchemaOfFilesOfMocks() async throws {
        let schema = try await Gateway.testing()
            .respond(to: Request("/__drawbridge__/schema.json")).json()
        #expect(schema["properties"]?.objectValue?.map(\.key) == Grammar.file.names)
        #expect(schema["additionalProperties"] == false)
        let delay = schema["definitions"]?["case"]?["properties"]?["$delay"]
        #expect(delay?["errorMessage"]?.stringValue == Grammar.reply["$delay"]?.otherwise)
        let all = Grammar.schema(with: ["properties": ["port": ["type": "integer"]]])["properties"]
        #expect(all?["port"]?["type"] == "integer" && all?["replies"] != nil)
    }
}
