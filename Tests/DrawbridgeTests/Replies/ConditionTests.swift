import Foundation
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages
@testable import DrawbridgeMocks

/// What `$when` says fits, or does not.
@Suite("Conditions") struct ConditionTests {
    private struct Row: CustomTestStringConvertible {
        let when: String
        let input: String
        let fits: Bool

        var testDescription: String { "\(when) and \(input)" }
    }

    /// The table of the manual's article: a condition, an input, and whether it fits.
    private static let table: [Row] = {
        let article = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Drawbridge/Drawbridge.docc/MockingNativeCalls.md")
        guard let text = try? String(contentsOf: article, encoding: .utf8) else { return [] }
        return text.matches(of: /\| `(.+)` \| `(.+)` \| (fits|does not) \|/).map { row in
            Row(when: String(row.output.1), input: String(row.output.2), fits: row.output.3 == "fits")
        }
    }()

    @Test func theManualHasTheTableOfConditions() { #expect(Self.table.count >= 40) }

    private static func condition(_ text: String) throws -> Condition {
        let cases = try ReplyFile(
            LocatedJSON(
                parsing: Array(#"{"replies": {"x": {"$cases": [{"$when": \#(text), "$reply": 1}]}}}"#.utf8)))
        guard case .cases(let all)? = cases.replies.matches(["x"]).first?.reply.outcome else {
            throw Missing()
        }
        return try #require(all[0].condition)
    }

    private struct Missing: Error {}

    @Test(arguments: table) private func conditionsMatchAsTheManualsTableSays(_ row: Row) throws {
        let input = try JSON(parsing: Array(row.input.utf8))
        let misfit = try Self.condition(row.when).misfit(ReplyInput(input.isNull ? nil : input), Redaction())
        #expect((misfit == nil) == row.fits, "\(row.when) on \(row.input): \(misfit ?? "fits")")
    }

    @Test func textOfAFormMatchesNumbersAndBooleans() throws {
        let input = ReplyInput(["amount": "5.0", "isNew": "true", "name": "5"], texts: ["amount", "isNew"])
        #expect(try Self.condition(#"{"amount": 5}"#).misfit(input, Redaction()) == nil)
        #expect(try Self.condition(#"{"isNew": true}"#).misfit(input, Redaction()) == nil)
        #expect(try Self.condition(#"{"amount": "5.0"}"#).misfit(input, Redaction()) == nil)
        #expect(try Self.condition(#"{"name": 5}"#).misfit(input, Redaction()) == #"name is "5", wanted 5"#)
    }

    /// The sentence goes into logs and to programs.
    @Test func theReasonWhyAConditionFailsContainsNoSecrets() throws {
        let input = ReplyInput(["iban": ["code": "DE1"], "token": "t1", "city": "Bonn"])
        func why(_ when: String, _ redaction: Redaction?) throws -> String? {
            try Self.condition(when).misfit(input, redaction)
        }
        let redaction = Redaction(also: ["iban"])
        #expect(try why(#"{"token": "t2"}"#, redaction) == "token is not the wanted value")
        #expect(try why(#"{"iban": {"code": "DE2"}}"#, redaction) == "iban.code is not the wanted value")
        let equals = #"{"iban": {"$equals": {"code": "DE2"}}}"#
        #expect(try why(equals, redaction) == "iban.code is not the wanted value")
        #expect(try why(#"{"city": "Kiel"}"#, redaction) == #"city is "Bonn", wanted "Kiel""#)
        #expect(try why(#"{"token": "t2"}"#, nil) == #"token is "t1", wanted "t2""#)
    }

    @Test func theReasonWhyAConditionFailsNamesMemberAndValues() throws {
        func why(_ when: String, _ input: JSON?) throws -> String? {
            try Self.condition(when).misfit(ReplyInput(input), Redaction())
        }
        #expect(
            try why(#"{"a": {"b": "alipay"}}"#, ["a": ["b": "wechat"]])
                == #"a.b is "wechat", wanted "alipay""#)
        #expect(try why(#"{"a": 1}"#, nil) == "the input is missing, wanted an object")
        #expect(try why(#"{"a": [1]}"#, ["a": [1, 2]]) == "a has 2, wanted 1 element")
        #expect(try why(#"{"a": [1]}"#, ["a": [2]]) == "a[0] is 2, wanted 1")
        #expect(try why(#"{"a": {"$match": "b*"}}"#, ["a": "c"]) == #"a is "c", wanted a text like b*"#)
        #expect(try why(#"{"a": {"$exists": false}}"#, ["a": 1]) == "a is there")
        #expect(try why(#"{"a": {"$equals": 1}}"#, [:]) == "a is missing, wanted exactly 1")
        let long = try why(#"{"a": 1, "b": 2}"#, ["a": .string(String(repeating: "ä", count: 1 << 20))])
        #expect(long?.utf8.count ?? 0 < 250)
        #expect(try why(#"{"a": 1}"#, ["a": [1, 2, 3]]) == "a is an array of 3, wanted 1")
        #expect(try why(#"{"a": [{"b": [[1]]}]}"#, ["a": [["b": [[2]]]]]) == "a[0].b[0][0] is 2, wanted 1")
        // As many steps as it is deep, and not twice as many for each level.
        let deep = String(repeating: #"{"a": ["#, count: 40), ends = String(repeating: "]}", count: 40)
        let other = try JSON(parsing: Array("\(deep)2\(ends)".utf8))
        let misfit = try why(#"{"$equals": \#(deep)1\#(ends)}"#, other)
        #expect(misfit?.hasSuffix("a[0] is 2, wanted exactly 1") == true, "\(misfit ?? "")")
        var unreadable = ReplyInput(nil)
        unreadable.isUnreadable = true
        #expect(try Self.condition("null").misfit(unreadable, Redaction()) == "the input cannot be read")
    }
}

/// Globs are matched in time that grows with the string alone.
@Suite("Globs") struct GlobTests {
    @Test(arguments: [
        ("", "", true), ("", "a", false), ("*", "", true), ("*", "abc", true), ("a*", "a", true),
        ("a*a", "a", false), ("a*a", "aa", true), ("a*b*c", "aXbYc", true), ("a*b*c", "aXcYb", false),
        ("**", "x", true), ("*ab*", "aab", true), ("*aab*", "aaab", true), ("*abab*", "abaabab", true),
        ("a*", "A", false), ("*ö", "xö", true), ("?", "x", false),
    ])
    func aGlobMustFitTheWholeString(_ glob: String, _ text: String, _ fits: Bool) {
        #expect(Glob(glob).matches(text) == fits)
    }

    /// One that goes back would need some 10^15 steps.
    @Test func aGlobWithManyStarsTakesNoLonger() {
        let glob = Glob(String(repeating: "*a", count: 40) + "*b")
        #expect(!glob.matches(String(repeating: "a", count: 60_000)))
        #expect(!Glob("*").matches(String(repeating: "a", count: 65_537)))
    }
}
