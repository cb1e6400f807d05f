import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeJSON
@testable import DrawbridgeMessages
@testable import DrawbridgeMocks

/// How a value of a text is written.
@Suite("The written text of JSON values") struct LocatedTextTests {
    @Test func eachMemberKeepsItsWrittenText() throws {
        let text = #"""
            // first
            { "a" : 12.50 , "b\u0041": "x\"}, y", // "c"
              "d":[1,{ "e" : "]" // in it
            }] ,"f":true,"g":{},"h" : null
            } // last
            """#
        let value = try LocatedJSON(parsing: Array(text.utf8))
        let members = try #require(value.members)
        #expect(
            members.map(\.value.text) == [
                "12.50", #""x\"}, y""#, "[1,{ \"e\" : \"]\" // in it\n}]", "true", "{}", "null",
            ])
        #expect(value.text.hasPrefix("{ \"a\"") && value.text.hasSuffix("null\n}"))
        #expect(try LocatedJSON(parsing: Array(" 17 ".utf8)).text == "17")
    }

    /// What is written is what is read, wherever it is.
    @Test(arguments: 0..<40) func theWrittenTextOfAMemberParsesToItsValue(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let value = JSON.object(
            JSON.Object((0..<6).map { ("n\($0)", .random(depth: 4, using: &random)) }))
        let located = try LocatedJSON(parsing: value.bytes)
        for (name, member) in try #require(located.members) {
            #expect(member.text == "\(try #require(value[name]))")
        }
    }
}
