import Drawbridge
import TestSupport
import Testing

@testable import DrawbridgeCommand

/// A case is added to a mock whose words all stay, and what was written is taken back.
@Suite("Adding a case, and undoing a save") struct ReplyEditUndoTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var title: String
        var before: String
        var after: String
        /// Where the name begins of the mock that answers it; nil for the mocks of all pages.
        var beside: String?
        var name = "pay"
        var testDescription: String { title }
    }

    static let new: JSON = ["$when": ["$equals": ["level": 3]], "$reply": 1]
    private static let line = #"{"$when": {"$equals": {"level": 3}}, "$reply": 1}"#

    static let cases = [
        Case(
            title: "a value", before: "{\n  \"replies\": {\n    \"pay\": {\"code\": 0}  // why\n  }\n}\n",
            after:
                "{\n  \"replies\": {\n    \"pay\": {\n      \"$cases\": [\n        \(line),\n        {\"code\": 0}\n      ]\n    }  // why\n  }\n}\n"
        ),
        Case(
            title: "words in several lines, with a comment",
            before: "{\"replies\": {\n\t\"pay\": {\n\t\t\"$delay\": 3, // slow\n\t\t\"$reply\": 0\n\t}\n}}",
            after:
                "{\"replies\": {\n\t\"pay\": {\n\t\t\"$cases\": [\n\t\t\t\(line),\n\t\t\t{\n\t\t\t\t\"$delay\": 3, // slow\n\t\t\t\t\"$reply\": 0\n\t\t\t}\n\t\t]\n\t}\n}}"
        ),
        Case(
            title: "cases, each with the comment above it",
            before:
                "{\"replies\": {\n  \"pay\": {\n    \"$cases\": [\n      // first\n      {\"$when\": 1, \"$reply\": 2},\n      0\n    ]\n  }\n}}",
            after:
                "{\"replies\": {\n  \"pay\": {\n    \"$cases\": [\n      \(line),\n      // first\n      {\"$when\": 1, \"$reply\": 2},\n      0\n    ]\n  }\n}}"
        ),
        Case(
            title: "cases in one line",
            before: #"{"replies": {"pay": {"$cases": [ {"$when": "a,b", "$reply": "]"}, 0]}}}"#,
            after: #"{"replies": {"pay": {"$cases": [\#(line),  {"$when": "a,b", "$reply": "]"}, 0]}}}"#),
        Case(
            title: "the same input, answered otherwise",
            before:
                #"{"replies": {"pay": {"$cases": [{"$when": {"$equals": {"level": 3}}, "$reply": 7}, 0]}}}"#,
            after: #"{"replies": {"pay": {"$cases": [\#(line), 0]}}}"#),
        Case(
            title: "the same input, with more to say",
            before:
                #"{"replies": {"pay": {"$cases": [{"$when": {"$equals": {"level": 3}}, "$delay": 9, "$reply": 7}, 0]}}}"#,
            after:
                #"{"replies": {"pay": {"$cases": [\#(line), {"$when": {"$equals": {"level": 3}}, "$delay": 9, "$reply": 7}, 0]}}}"#
        ),
        Case(
            title: "of a scenario",
            before: #"{"replies": {"pay": 0}, "scenarios": {"in": {"pay": {"$pass": true}}}}"#,
            after:
                "{\"replies\": {\"pay\": 0}, \"scenarios\": {\"in\": {\"pay\": {\n    \"$cases\": [\n        \(line),\n        {\"$pass\": true}\n    ]\n}}}}",
            beside: #""pay": {"$pass"#),
        Case(
            title: "beside a pattern, for some pages",
            before: "{\"pages\": {\"/cart\": {\"replies\": {\n    \"user/*\": {\"$silence\": true}\n}}}}",
            after:
                "{\"pages\": {\"/cart\": {\"replies\": {\n    \"user/*\": {\"$silence\": true},\n    \"user/7\": {\"$cases\": [\(line)]}\n}}}}",
            beside: #""user/*""#, name: "user/7"),
        Case(
            title: "lines of Windows",
            before: "{\r\n  \"replies\": {\r\n    \"pay\": [\r\n      1\r\n    ]\r\n  }\r\n}",
            after:
                "{\r\n  \"replies\": {\r\n    \"pay\": {\r\n      \"$cases\": [\r\n        \(line),\r\n        [\r\n          1\r\n        ]\r\n      ]\r\n    }\r\n  }\r\n}"
        ),
    ]

    private static func edit(_ test: Case) throws -> ReplyEdit {
        let before = Array(test.before.utf8)
        let place = test.beside.flatMap { before.firstRange(of: Array($0.utf8))?.lowerBound }
        return try ReplyEdit(before, setting: test.name, to: new, isCase: true, at: place)
    }

    @Test(arguments: cases) func aNewCaseGoesBeforeTheOthersOfTheMock(_ test: Case) throws {
        let edit = try Self.edit(test)
        #expect(String(decoding: edit.text, as: UTF8.self) == test.after)
        _ = try ReplyFile(LocatedJSON(parsing: edit.text))
    }

    /// A comment may be in another encoding, and is kept byte by byte.
    @Test func undoLosesNoByteOfAComment() throws {
        let before =
            Array("{\"replies\": {\"pay\": {\n\"$delay\": 3, // caf".utf8) + [0xE9]
            + Array("\n\"$reply\": 0}}}".utf8)
        let edit = try ReplyEdit(before, setting: "pay", to: Self.new, isCase: true)
        #expect(edit.text.contains(0xE9))
        let written = ReplyEdit.Written(edit, over: before)
        #expect(try ReplyEdit(edit.text, undoing: written).text == before)
    }

    // MARK: Giving

    private static let members: [GivenMember] = [("bridge", "android"), ("message-handler", "tracker")]

    /// What a file has before and after both are given.
    private static let given = [
        ("", "{\n    \"message-handler\": [\"JSBridge\", \"tracker\"],\n    \"bridge\": [\"android\"]\n}\n"),
        (
            "{\n  // mine\n  \"bridge\": \"dsbridge\",  // why\n  \"message-handler\": []\n}\n",
            "{\n  // mine\n  \"bridge\": [\"dsbridge\", \"android\"],  // why\n  \"message-handler\": [\"JSBridge\", \"tracker\"]\n}\n"
        ),
        (
            "{\r\n\t\"message-handler\": [\"ask=reply\"],\r\n\t\"bridge\": [\r\n\t\t\"dsbridge\"  // one\r\n\t]\r\n}",
            "{\r\n\t\"message-handler\": [\"ask=reply\", \"tracker\"],\r\n\t\"bridge\": [\r\n\t\t\"dsbridge\",  // one\r\n\t\t\"android\"\r\n\t]\r\n}"
        ),
        (
            #"{"bridge": [{"name": "object", "options": {"object": "A"}}], "message-handler": null, "replies": {"a": 1}}"#,
            #"{"bridge": [{"name": "object", "options": {"object": "A"}}, "android"], "message-handler": ["JSBridge", "tracker"], "replies": {"a": 1}}"#
        ),
    ]

    private static func give(_ text: [UInt8]) throws -> ReplyEdit {
        try ReplyEdit(text, giving: members, with: ["message-handler": ["JSBridge"]])
    }

    @Test func whatPagesAreGivenIsAddedToTheListsOfAFile() throws {
        for (before, after) in Self.given {
            let text = String(decoding: try Self.give(Array(before.utf8)).text, as: UTF8.self)
            #expect(text == after)
        }
        #expect(throws: ReplyFault.self) { try Self.give(Array("{".utf8)) }
    }

    // MARK: Taking back

    private static var edits: [(before: String, edit: ([UInt8]) throws -> ReplyEdit)] {
        var all: [(before: String, edit: ([UInt8]) throws -> ReplyEdit)] = []
        for test in cases { all.append((test.before, { _ in try edit(test) })) }
        for test in ReplyEditTests.cases where !test.before.isEmpty {
            let reply = Array(test.reply.utf8)
            all.append(
                (test.before, { try ReplyEdit($0, setting: test.name, to: JSON(parsing: reply)) }))
        }
        for (before, _) in given where !before.isEmpty { all.append((before, give)) }
        let names = [UnansweredName("vibrate", inputs: [1]), UnansweredName("b", inputs: [])]
        for (before, _) in ReplyEditTests.missing where !before.isEmpty {
            all.append((before, { try ReplyEdit($0, adding: names) }))
        }
        return all
    }

    @Test func undoRestoresTheFileByteForByte() throws {
        for (before, edit) in Self.edits {
            let done = try edit(Array(before.utf8))
            let written = ReplyEdit.Written(done, over: Array(before.utf8))
            let undone = try ReplyEdit(done.text, undoing: written)
            #expect(String(decoding: undone.text, as: UTF8.self) == before)
            #expect(undone.undone == written.mocks.map(\.name))
        }
    }

    /// What others have saved since stays: other mocks, in any order, and what is around them.
    @Test func undoKeepsWhatOthersSavedMeanwhile() throws {
        for (before, edit) in Self.edits {
            let done = try edit(Array(before.utf8))
            let written = ReplyEdit.Written(done, over: Array(before.utf8))
            let other = try ReplyEdit(done.text, setting: "other", to: ["x": 1]).text
            let later = try ReplyEdit(Array("// Mine.\n".utf8) + other, setting: "another", to: 2).text
            let undone = try ReplyEdit(later, undoing: written).text
            let old = try JSON(parsing: JSON.blankingComments(in: Array(before.utf8)))
            let now = try JSON(parsing: JSON.blankingComments(in: undone))
            let key = old["mocks"] == nil ? "replies" : "mocks"
            var wanted = old[key]?.objectValue ?? [:]
            wanted["other"] = ["x": 1]
            wanted["another"] = 2
            #expect(now[key] == .object(wanted), "\(String(decoding: undone, as: UTF8.self))")
            #expect(now["scenarios"] == old["scenarios"] && now["pages"] == old["pages"])
            #expect(undone.starts(with: "// Mine.\n".utf8))
        }
    }

    /// Somebody has written in the file since: the lists that the save made go with what it had put there.
    @Test func undoLeavesNoEmptyListAfterAnEditByHand() throws {
        func commented(_ text: String) -> String {
            text.replacing("{\n    ", with: "{\n    // Mine.\n    ", maxReplacements: 1)
        }
        func givenAndUndone(_ before: String, _ byHand: (String) -> String) throws -> String {
            let done = try Self.give(Array(before.utf8))
            let written = ReplyEdit.Written(done, over: Array(before.utf8))
            let later = byHand(String(decoding: done.text, as: UTF8.self))
            return String(decoding: try ReplyEdit(Array(later.utf8), undoing: written).text, as: UTF8.self)
        }
        for list in ["", "\"bridge\": [],\n    "] {
            let before = "{\n    \(list)\"replies\": {\"a\": 1}\n}\n"
            #expect(try givenAndUndone(before, commented) == commented(before))
        }
        // A comment that somebody wrote into the list keeps it.
        let kept = try givenAndUndone("{}") {
            $0.replacing("[\"android\"]", with: "[\n    // mine\n    \"android\"\n]")
        }
        #expect(kept.contains("\"bridge\": [\n    // mine\n]"), "\(kept)")
    }

    @Test func undoLeavesAndNamesAMockThatWasChangedSince() throws {
        let before = Array(#"{"replies": {"a": 1}}"#.utf8)
        let names = ["pay", "vibrate"].map { UnansweredName($0, inputs: [3]) }
        let edit = try ReplyEdit(before, adding: names)
        let written = ReplyEdit.Written(edit, over: before)
        let filled = try ReplyEdit(edit.text, setting: "pay", to: ["code": 0]).text
        let undone = try ReplyEdit(filled, undoing: written)
        #expect(undone.undone == ["vibrate"])
        #expect(
            String(decoding: undone.text, as: UTF8.self)
                == "{\"replies\": {\"a\": 1,\n    // called with 3\n    \"pay\": {\"code\": 0}\n}}")
        let both = try ReplyEdit(filled, setting: "vibrate", to: 1).text
        #expect {
            try ReplyEdit(both, undoing: written)
        } throws: { "\($0)".contains("pay, vibrate") }
    }
}
