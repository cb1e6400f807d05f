import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages
@testable import DrawbridgeMocks

/// Scenarios: what is answered while they are on, and which are.
@Suite("Scenarios") struct ScenarioTests {
    private static let text = #"""
        {
            "replies": {"getUser": "nobody", "pay": 1},
            "scenarios": {
                "user/signed-in": {"getUser": "Ann", "login": {"$error": {"code": 409}}},
                "user/signed-out": {"getUser": {"$error": {"code": 401}}},
                "offline": {"*": {"$silence": true}},
                "app/3.1": {"pay": {"$missing": true}}
            },
            "scenario": "user/signed-out"
        }
        """#

    private static func layers(_ text: String = text, scenario: [String]? = nil) throws -> ReplyLayers {
        var file = try ReplyFile(LocatedJSON(parsing: Array(text.utf8)), isAlone: true)
        file.name(by: "file")
        return ReplyLayers(
            [file.replies], scenarios: [file.scenarios], scenario: scenario ?? file.scenario)
    }

    private static func title(_ book: ReplyBook, _ path: String) -> String? {
        var lookup = book.lookup(path)
        return book.next(in: &lookup, ReplyInput(nil), Redaction()).map { "\($0.source): \($0.title)" }
    }

    @Test func theMocksOfAScenarioComeBeforeAllOthers() throws {
        let book = ReplyBook(in: Registry())
        book.set(try Self.layers())
        #expect(book.scenarios() == ["user/signed-out"])
        #expect(Self.title(book, "/getUser") == "file, scenario user/signed-out: getUser (user/signed-out)")
        #expect(Self.title(book, "/pay") == "file: pay")
        try book.turn("offline", on: true)
        #expect(Self.title(book, "/pay") == "file, scenario offline: * (offline)")
        #expect(Self.title(book, "/anything") == "file, scenario offline: * (offline)")
        try book.turn("offline", on: false)
        #expect(Self.title(book, "/anything") == nil)
    }

    @Test func oneScenarioOfAGroupIsOnAndTheLatestIsAskedFirst() throws {
        let book = ReplyBook(in: Registry())
        book.set(try Self.layers())
        try book.turn("offline", on: true)
        try book.turn("user/signed-in", on: true)
        #expect(book.scenarios() == ["offline", "user/signed-in"])
        #expect(Self.title(book, "/getUser") == "file, scenario user/signed-in: getUser (user/signed-in)")
        try book.turn("offline", on: true)
        #expect(book.scenarios() == ["user/signed-in", "offline"])
        #expect(Self.title(book, "/getUser") == "file, scenario offline: * (offline)")
        try book.turn("user/signed-in", on: false)
        try book.turn("user/signed-in", on: false)
        #expect(book.scenarios() == ["offline"])
    }

    @Test func aSaveKeepsTheScenariosThatSomebodySwitched() throws {
        let book = ReplyBook(in: Registry())
        book.set(try Self.layers())
        book.set(try Self.layers(scenario: ["offline"]))
        #expect(book.scenarios() == ["offline"], "nobody switched, so the file counts")
        try book.turn("app/3.1", on: true)
        book.set(try Self.layers())
        #expect(book.scenarios() == ["offline", "app/3.1"])
        book.set(try Self.layers(#"{"replies": {}, "scenarios": {"app/3.1": {}}}"#))
        #expect(book.scenarios() == ["app/3.1"])
    }

    @Test func anUnknownScenarioIsReportedWithASuggestion() throws {
        let book = ReplyBook(in: Registry())
        book.set(try Self.layers())
        let error = try #require(throws: NoScenario.self) { try book.turn("ofline", on: true) }
        #expect("\(error)" == "there is no scenario ofline; did you mean offline?")
        let text = #"{"scenarios": {"a": {}}, "scenario": ["b"]}"#
        let fault = try #require(throws: ReplyFault.self) { try Self.layers(text) }
        #expect("\(fault)".contains("scenario: there is no scenario b"), "\(fault)")
        for wrong in [
            #"{"scenarios": []}"#, #"{"scenarios": {"/a": {}}}"#, #"{"scenarios": {"a": 1}}"#,
            #"{"scenarios": {}, "scenario": 5}"#,
        ] {
            #expect(throws: ReplyFault.self) { try Self.layers(wrong) }
        }
    }
}
