import Drawbridge
import Foundation
import Glibc
import HTTPGrammar
import TestSupport
import Testing

@testable import DrawbridgeCommand

/// A reply is put into a file, and all else in it stays.
@Suite("Writing a mock into a file") struct ReplyEditTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var title: String
        var before: String
        var after: String
        var name = "pay"
        var reply = #"{"code":0}"#
        var line: Int
        var testDescription: String { title }
    }

    static let cases = [
        Case(
            title: "nothing", before: "",
            after: "{\n    \"replies\": {\n        \"pay\": {\"code\": 0}\n    }\n}\n", line: 3),
        Case(
            title: "an empty object", before: "{}",
            after: "{\n    \"replies\": {\n        \"pay\": {\"code\": 0}\n    }\n}", line: 3),
        Case(
            title: "no replies yet", before: "{\n  // Ours.\n  \"scheme\": \"app\"  // why\n}\n",
            after:
                "{\n  \"replies\": {\n    \"pay\": {\"code\": 0}\n  },\n  // Ours.\n  \"scheme\": \"app\"  // why\n}\n",
            line: 3),
        Case(
            title: "no names yet", before: "{\n\t\"replies\": {}\n}\n",
            after: "{\n\t\"replies\": {\n\t\t\"pay\": {\"code\": 0}\n\t}\n}\n", line: 3),
        Case(
            title: "mocks by their other name", before: "{\n\t\"mocks\": {\"pay\": 1}\n}\n",
            after: "{\n\t\"mocks\": {\"pay\": {\"code\": 0}}\n}\n", line: 2),
        Case(
            title: "only a comment", before: "{\n  \"replies\": {\n    // None } yet.\n  }\n}\n",
            after: "{\n  \"replies\": {\n    // None } yet.\n    \"pay\": {\"code\": 0}\n  }\n}\n", line: 4),
        Case(
            title: "beside others",
            before: "{\n  \"replies\": {  // All.\n    // Who.\n    \"a\": 1  // one\n  }\n}",
            after:
                "{\n  \"replies\": {  // All.\n    // Who.\n    \"a\": 1,  // one\n    \"pay\": {\"code\": 0}\n  }\n}",
            line: 5),
        Case(
            title: "in one line", before: #"{"replies": {"a": 1}, "inject": "x"}"#,
            after: #"{"replies": {"a": 1, "pay": {"code": 0}}, "inject": "x"}"#, line: 1),
        Case(
            title: "in its place",
            before: "{\"replies\": {\n  \"pay\" : // old\n    12, // why\n  \"b\": \"pay\"}}",
            after: "{\"replies\": {\n  \"pay\" : // old\n    {\"code\": 0}, // why\n  \"b\": \"pay\"}}",
            line: 3),
        Case(
            title: "in its place, under its name with a slash", before: #"{"replies": {"/pay": [1, "]}"]}}"#,
            after: #"{"replies": {"/pay": {"code": 0}}}"#, line: 1),
        Case(
            title: "a name inside others is another one",
            before: #"{"scenarios": {"pay": {"pay": 1}}, "replies": {}}"#,
            after: "{\"scenarios\": {\"pay\": {\"pay\": 1}}, \"replies\": {\n    \"pay\": {\"code\": 0}\n}}",
            line: 2),
        Case(
            title: "lines of Windows", before: "{\r\n  \"replies\": {\r\n    \"a\": 1\r\n  }\r\n}\r\n",
            after: "{\r\n  \"replies\": {\r\n    \"a\": 1,\r\n    \"pay\": {\"code\": 0}\r\n  }\r\n}\r\n",
            line: 4),
        Case(
            title: "behind the one in the bracket's line", before: "{\"replies\": {\"a\": {\n  \"b\": 1}\n}}",
            after: "{\"replies\": {\"a\": {\n  \"b\": 1}, \"pay\": {\"code\": 0}\n}}", line: 2),
        Case(
            title: "behind the one of a comment without a mock",
            before: "{\"replies\": {\r\n  \"a\": 1 // one\r\n  // None \"b\".\r\n}}",
            after:
                "{\"replies\": {\r\n  \"a\": 1, // one\r\n  \"pay\": {\"code\": 0}\r\n  // None \"b\".\r\n}}",
            line: 3),
        Case(
            title: "a name in need of escapes", before: "{\"replies\": {}}",
            after: "{\"replies\": {\n    \"a\\\"b\\\\c\": \"\\n\"\n}}", name: "a\"b\\c", reply: #""\n""#,
            line: 2),
        Case(
            title: "all digits", before: #"{"replies": {"a": 12345678901234567890.10}}"#,
            after: #"{"replies": {"a": 12345678901234567890.10, "pay": 0.10}}"#, reply: "0.10", line: 1),
    ]

    @Test(arguments: cases) func changingAMockLeavesTheRestOfTheFileUnchanged(_ test: Case) throws {
        let edit = try ReplyEdit(
            Array(test.before.utf8), setting: test.name, to: JSON(parsing: Array(test.reply.utf8)))
        #expect(String(decoding: edit.text, as: UTF8.self) == test.after)
        #expect(edit.line == test.line)
    }

    /// What a file said, and says with two more names.
    static let missing = [
        (
            "",
            "{\n    \"replies\": {\n        // called with {\"ms\":30}, 2\n        \"vibrate\": {},\n        \"a/b\": {}\n    }\n}\n"
        ),
        (
            "{ // ours\n\n  \"replies\" : {  // all\n     // who\n     \"a\":1 }}",
            "{ // ours\n\n  \"replies\" : {  // all\n     // who\n     \"a\":1,\n     // called with {\"ms\":30}, 2\n     \"vibrate\": {},\n     \"a/b\": {}\n   }}"
        ),
        (
            #"{"replies": {"a": 1}}"#,
            "{\"replies\": {\"a\": 1,\n    // called with {\"ms\":30}, 2\n    \"vibrate\": {},\n    \"a/b\": {}\n}}"
        ),
        (
            "{\r\n\t\"replies\": {\r\n\t\t// None.\r\n\t}\r\n}",
            "{\r\n\t\"replies\": {\r\n\t\t// None.\r\n\t\t// called with {\"ms\":30}, 2\r\n\t\t\"vibrate\": {},\r\n\t\t\"a/b\": {}\r\n\t}\r\n}"
        ),
    ]

    @Test(arguments: missing) func addingNamesLeavesTheRestOfTheFileUnchanged(before: String, after: String)
        throws
    {
        let names = [
            UnansweredName("vibrate", inputs: [["ms": 30], 2]), UnansweredName("/a/b", inputs: []),
        ]
        let edit = try ReplyEdit(Array(before.utf8), adding: names)
        #expect(String(decoding: edit.text, as: UTF8.self) == after)
        #expect(try JSON(parsing: JSON.blankingComments(in: edit.text))["replies"]?["vibrate"] == [:])
    }

    /// A page calls itself what it likes, and sends what it likes.
    @Test func textFromPagesCannotBreakALineOfTheWrittenFile() throws {
        let text = "\"\n}, \u{2028}\u{202E}\u{9B}2J // \\"
        let names = [
            UnansweredName(text, inputs: [.string(text), .string(String(repeating: "x", count: 5000))])
        ]
        let edit = try ReplyEdit([], adding: names)
        let written = String(decoding: edit.text, as: UTF8.self)
        #expect(written.unicodeScalars.allSatisfy { $0 == "\n" || $0.isHarmless }, "\(written)")
        #expect(written.split(separator: "\n").count == 6 && written.utf8.count < 1000)
        let file = try JSON(parsing: JSON.blankingComments(in: edit.text))
        #expect(file["replies"]?.objectValue?.map(\.key) == [text])
    }

    @Test func aLongMockIsWrittenOverSeveralLines() throws {
        let list = JSON.array(
            (1...4).map { ["name": .string(String(repeating: "x", count: 30)), "n": .number(.init($0))] })
        let edit = try ReplyEdit(
            Array("{\n  \"replies\": {\n    \"a\": 1\n  }\n}\n".utf8), setting: "all", to: ["list": list])
        let text = String(decoding: edit.text, as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 100 } && lines.count == 13, "\(text)")
        #expect(lines[2...4] == ["    \"a\": 1,", "    \"all\": {", "      \"list\": ["], "\(text)")
    }

    /// Whatever a file says, it says it afterwards too, and the new reply.
    @Test func addingAMockToAnyFileKeepsAllItsOtherValues() throws {
        var generator = SeededRandom(seed: 4711)
        for _ in 0..<300 {
            let names = ["a", "pay", "/b", "c/d", "e\"", "{", "//x"].shuffled(using: &generator).prefix(
                .random(in: 0...5, using: &generator))
            let style = (0..<4).map { _ in
                ["", " ", "\n", "\n  ", " // x \" { }\n", "\r\n\t"].randomElement(using: &generator)!
            }
            let members = names.map { "\(JSON.string($0))\(style[0]):\(style[1])\(Self.value(&generator))" }
            let replies = "{\(style[2])\(members.joined(separator: ",\(style[3])"))\(style[0])}"
            let text =
                "\(style[1]){\"x\": [1, {}]\(style[2]),\(style[0])\"replies\"\(style[3]):\(replies)\(style[1])}\(style[0])"
            let old = try JSON(parsing: JSON.blankingComments(in: Array(text.utf8)))
            let name = ["pay", "b", "/a", "new", "q\"\\"].randomElement(using: &generator)!
            let reply = try JSON(parsing: Array(Self.value(&generator).utf8))
            let edit = try ReplyEdit(Array(text.utf8), setting: name, to: reply)
            let new = try JSON(parsing: JSON.blankingComments(in: edit.text))
            #expect(new["x"] == old["x"])
            func plain(_ object: JSON?) -> [String: JSON] {
                var all: [String: JSON] = [:]
                for (key, value) in object?.objectValue ?? JSON.Object() { all[ReplyNames.key(key)] = value }
                return all
            }
            var wanted = plain(old["replies"])
            wanted[ReplyNames.key(name)] = reply
            #expect(plain(new["replies"]) == wanted, "\(text)")
            let lines = edit.text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let rest = lines.dropFirst(edit.line - 1).joined(separator: [UInt8(ascii: "\n")])
            #expect(Array(rest).firstRange(of: reply.bytes.prefix(3)) != nil)
        }
    }

    private static func value(_ generator: inout SeededRandom) -> String {
        [
            "1", "\"a\"", "\"}{\\\"//\"", "[]", "{}", "[1, {\"a\": [\"]\"]}]", "null",
            "{\"pay\": {\"pay\": 1}}", "-1.50e3",
        ]
        .randomElement(using: &generator)!
    }

    @Test(arguments: ["[]", "{\"replies\": 1}", "{", "12"]) func textsThatAreNotFilesOfMocksAreRefused(
        _ text: String
    ) {
        #expect(throws: ReplyFault.self) { try ReplyEdit(Array(text.utf8), setting: "pay", to: 1) }
    }
}

/// A file is replaced as a whole.
@Suite("Replacing a file") struct FileReplacementTests {
    /// A gateway that runs as root, in a container for instance, takes no file from the person who edits it.
    @Test(.enabled(if: geteuid() == 0, "only the superuser may give a file away"))
    func aReplacedFileKeepsItsOwner() throws {
        let folder = try Folder()
        let path = try folder.write("drawbridge.json", "{}")
        #expect(chown(path, 1234, 2345) == 0 && chmod(path, 0o640) == 0)
        #expect(try FileReplacement.write(Array("{ }".utf8), over: path, ifIs: Array("{}".utf8)))
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_uid == 1234 && status.st_gid == 2345 && status.st_mode & 0o777 == 0o640)
        #expect(try folder.read("drawbridge.json") == "{ }")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["drawbridge.json"])
    }
}
