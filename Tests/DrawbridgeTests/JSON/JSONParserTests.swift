import Testing

@testable import Drawbridge
@testable import DrawbridgeJSON

@Suite("Reading JSON")
struct JSONParserTests {
    static let accepted: [(text: String, compact: String)] = [
        ("null", "null"), ("true", "true"), ("false", "false"), (" null ", "null"), ("\t\r\n true", "true"),
        ("0", "0"), ("-0", "-0"), ("7", "7"), ("-1", "-1"), ("10", "10"), ("1234567890", "1234567890"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("0.5", "0.5"), ("-0.0", "-0.0"), ("1.10", "1.10"), ("3.000", "3.000"),
        ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
        ("1e5", "1e5"), ("1E5", "1E5"), ("1e+5", "1e+5"), ("1e-5", "1e-5"), ("0e0", "0e0"), ("0e+1", "0e+1"),
        ("1.5e10", "1.5e10"), ("-1.5E-10", "-1.5E-10"), ("1e999", "1e999"), ("-1e-999", "-1e-999"),
        ("1e00005", "1e00005"), ("0.0e-0", "0.0e-0"),
        ("1e99999999999999999999", "1e99999999999999999999"),
        (#""""#, #""""#), (#""a""#, #""a""#), (#"" a b ""#, #"" a b ""#), (#""é""#, #""é""#),
        (#""日本""#, #""日本""#), (#""😀""#, #""😀""#), (#""a/b""#, #""a/b""#), (#""a\/b""#, #""a/b""#),
        (#""\"\\\b\f\n\r\t""#, #""\"\\\b\f\n\r\t""#), (#""\u0041""#, #""A""#), (#""\u00e9""#, #""é""#),
        (#""\u00E9""#, #""é""#), (#""\ud83d\ude00""#, #""😀""#), (#""\uD83D\uDE00!""#, #""😀!""#),
        (#""\u0000""#, #""\u0000""#), (#""\u001f""#, #""\u001f""#), (#""\u0022""#, #""\"""#),
        (#""\u005c""#, #""\\""#), (#""\u2028""#, #""\u2028""#), ("\"\u{2029}\"", #""\u2029""#),
        ("\"\u{7F}\"", "\"\u{7F}\""), ("\"\u{FEFF}\"", "\"\u{FEFF}\""), ("\"\u{FFFF}\"", "\"\u{FFFF}\""),
        (#""\uffff""#, "\"\u{FFFF}\""), (#""\udbff\udfff""#, "\"\u{10FFFF}\""),
        ("\"\u{2027}\"", "\"\u{2027}\""),
        (#""a\nb\u0063d""#, #""a\nbcd""#), (#""null""#, #""null""#),
        (#""// no comment""#, #""// no comment""#),
        ("[]", "[]"), ("[ ]", "[]"), ("[1]", "[1]"), ("[1,2,3]", "[1,2,3]"), ("[ 1 , 2 ]", "[1,2]"),
        ("[[]]", "[[]]"), ("[[[[]]]]", "[[[[]]]]"), ("[[],[]]", "[[],[]]"),
        ("[[1],[2,[3]],4]", "[[1],[2,[3]],4]"),
        ("[null,true,false]", "[null,true,false]"), ("[{}]", "[{}]"), ("[\n1\n]", "[1]"),
        (#"[""]"#, #"[""]"#),
        ("{}", "{}"), ("{ }", "{}"), (#"{"a":1}"#, #"{"a":1}"#), (#"{ "a" : 1 }"#, #"{"a":1}"#),
        (#"{"b":1,"a":2}"#, #"{"b":1,"a":2}"#), (#"{"":0}"#, #"{"":0}"#), (#"{"a":{}}"#, #"{"a":{}}"#),
        (#"{"a":{"a":{"a":null}}}"#, #"{"a":{"a":{"a":null}}}"#),
        (#"{"a":[],"b":[{}]}"#, #"{"a":[],"b":[{}]}"#),
        (#"{"a":1,"A":2}"#, #"{"a":1,"A":2}"#), (#"{"\u0061":1}"#, #"{"a":1}"#),
        ("{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"\u{E9}\":1,\"e\u{301}\":2}"), (#"{"a\"b":1}"#, #"{"a\"b":1}"#),
        (
            #"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10}"#,
            #"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10}"#
        ),
    ]

    /// As browsers encode them: JSON can say half of a pair, and UTF-8 cannot.
    static let halves: [(text: String, read: String)] = [
        (#""\ud800""#, "\"\u{FFFD}\""), (#""\udc00""#, "\"\u{FFFD}\""), (#""\ud83dx""#, "\"\u{FFFD}x\""),
        (#""\ud83d\n""#, "\"\u{FFFD}\\n\""), (#""\ud83d\ud83d""#, "\"\u{FFFD}\u{FFFD}\""),
        (#""\ude00\ud83d""#, "\"\u{FFFD}\u{FFFD}\""), (#""\ud83d\ud83d\ude00""#, "\"\u{FFFD}😀\""),
        // Two names that are different in the page stay two.
        (
            #"{"\ud83c":1,"\ud83d":2,"\ud83c\u0301":3}"#,
            "{\"\u{FFFD}\":1,\"\u{FFFD}\u{FFFD}\":2,\"\u{FFFD}\u{301}\":3}"
        ),
        ("\u{FEFF}{\"a\":1}", #"{"a":1}"#),
    ]

    @Test(arguments: halves)
    func halvesOfCharactersAndAMarkAreReadAsBrowsersDo(text: String, read: String) throws {
        #expect(String(decoding: try JSON(parsing: Array(text.utf8)).bytes, as: UTF8.self) == read)
    }

    /// Whoever sends many of them gets no quadratic work.
    @Test func manyNamesThatHalvesMakeTheSameAreRefused() {
        let members = (0..<2000).map { #""\ud8\#(String($0 % 256 + 256, radix: 16).dropFirst())":\#($0)"# }
        #expect(throws: JSON.ParseError.self) {
            try JSON(parsing: Array("{\(members.joined(separator: ","))}".utf8))
        }
    }

    @Test(arguments: accepted)
    func validTextsAreReadAndWrittenAlike(text: String, compact: String) throws {
        #expect(String(decoding: try JSON(parsing: Array(text.utf8)).bytes, as: UTF8.self) == compact)
    }

    static let refused: [(text: String, message: String)] = [
        ("", "line 1, column 1: the text is empty; expected a JSON value"),
        ("  ", "line 1, column 3: expected a value, found the end of the text"),
        ("\u{FEFF}", "line 1, column 4: expected a value, found the end of the text"),
        ("\u{FEFF}\u{FEFF}1", "line 1, column 4: expected a value, found '\u{FEFF}'"),
        (#"{"a":1,"a":2,"b":"\ud800"}"#, #"line 1, column 8: the object has two members with the name "a""#),
        ("1 2", "line 1, column 3: expected nothing after the value, found '2'"),
        ("[]]", "line 1, column 3: expected nothing after the value, found ']'"),
        ("{}x", "line 1, column 3: expected nothing after the value, found 'x'"),
        ("\"a\"\"b\"", "line 1, column 4: expected nothing after the value, found '\"'"),
        ("nul", "line 1, column 1: expected a value, found 'nul'"),
        ("nulll", "line 1, column 5: expected nothing after the value, found 'l'"),
        ("True", "line 1, column 1: expected a value, found 'True'"),
        ("NaN", "line 1, column 1: expected a value, found 'NaN'"),
        ("Infinity", "line 1, column 1: expected a value, found 'Infinity'"),
        ("-Infinity", "line 1, column 2: expected a digit, found 'Infinity'"),
        ("undefined", "line 1, column 1: expected a value, found 'undefined'"),
        ("'a'", "line 1, column 1: a string begins with a double quote, not with '"),
        ("// a\n1", "line 1, column 1: expected a value, found '/'; JSON has no comments"),
        ("1/**/", "line 1, column 2: expected nothing after the value, found '/'"),
        ("+1", "line 1, column 1: a number does not begin with '+'"),
        (".5", "line 1, column 1: a number has a digit before '.'"),
        ("1.", "line 1, column 3: expected a digit after '.', found the end of the text"),
        ("1.e5", "line 1, column 3: expected a digit after '.', found 'e'"),
        ("-", "line 1, column 2: expected a digit, found the end of the text"),
        ("-.5", "line 1, column 2: expected a digit, found '.'"),
        ("--1", "line 1, column 2: expected a digit, found '-'"),
        ("01", "line 1, column 2: a number does not begin with a zero before other digits"),
        ("-01", "line 1, column 3: a number does not begin with a zero before other digits"),
        ("00", "line 1, column 2: a number does not begin with a zero before other digits"),
        ("1e", "line 1, column 3: expected a digit in the exponent, found the end of the text"),
        ("1e+", "line 1, column 4: expected a digit in the exponent, found the end of the text"),
        ("1e5.5", "line 1, column 4: expected nothing after the value, found '.'"),
        ("0x10", "line 1, column 2: expected nothing after the value, found 'x'"),
        ("1_000", "line 1, column 2: expected nothing after the value, found '_'"),
        ("１", "line 1, column 1: expected a value, found '１'"),
        ("\"", "line 1, column 1: the string that begins here does not end"),
        ("\"abc", "line 1, column 1: the string that begins here does not end"),
        ("\"\\\"", "line 1, column 1: the string that begins here does not end"),
        (
            "\"a\nb\"",
            "line 1, column 3: a string cannot hold the control character \\u000a as it is; write it with a backslash"
        ),
        (
            "\"\t\"",
            "line 1, column 2: a string cannot hold the control character \\u0009 as it is; write it with a backslash"
        ),
        (
            "\"\0\"",
            "line 1, column 2: a string cannot hold the control character \\u0000 as it is; write it with a backslash"
        ),
        (#""\x41""#, #"line 1, column 3: expected one of "\/bfnrtu after the backslash, found 'x'"#),
        (#""\'""#, #"line 1, column 3: expected one of "\/bfnrtu after the backslash, found '''"#),
        (
            "\"\\",
            #"line 1, column 3: expected one of "\/bfnrtu after the backslash, found the end of the text"#
        ),
        (#""\u12""#, #"line 1, column 6: expected four hexadecimal digits after \u, found '"'"#),
        (#""\u00g0""#, #"line 1, column 6: expected four hexadecimal digits after \u, found 'g'"#),
        (#""\u+123""#, #"line 1, column 4: expected four hexadecimal digits after \u, found '+'"#),
        (#""\ud83d\u""#, #"line 1, column 10: expected four hexadecimal digits after \u, found '"'"#),
        ("[", "line 1, column 2: expected a value, found the end of the text"),
        ("[1", "line 1, column 3: expected ',' or ']', found the end of the text"),
        ("[1,", "line 1, column 4: expected a value, found the end of the text"),
        ("[1,]", "line 1, column 4: expected a value after ',', found ']'"),
        ("[1,\n ]", "line 2, column 2: expected a value after ',', found ']'"),
        ("[,1]", "line 1, column 2: expected a value, found ','"),
        ("[1,,2]", "line 1, column 4: expected a value, found ','"),
        ("[1 2]", "line 1, column 4: expected ',' or ']', found '2'"),
        ("[1}", "line 1, column 3: expected ',' or ']', found '}'"),
        ("[1:2]", "line 1, column 3: expected ',' or ']', found ':'"),
        ("]", "line 1, column 1: expected a value, found ']'"),
        (",", "line 1, column 1: expected a value, found ','"),
        ("}", "line 1, column 1: expected a value, found '}'"),
        ("{", "line 1, column 2: expected the name of a member in double quotes, found the end of the text"),
        ("{a:1}", "line 1, column 2: expected the name of a member in double quotes, found 'a'"),
        ("{'a':1}", "line 1, column 2: expected the name of a member in double quotes, found '''"),
        ("{1:1}", "line 1, column 2: expected the name of a member in double quotes, found '1'"),
        (#"{"a"}"#, "line 1, column 5: expected ':' after the name of a member, found '}'"),
        (#"{"a",1}"#, "line 1, column 5: expected ':' after the name of a member, found ','"),
        (#"{"a"=1}"#, "line 1, column 5: expected ':' after the name of a member, found '='"),
        (#"{"a":}"#, "line 1, column 6: expected a value, found '}'"),
        (#"{"a":1"#, "line 1, column 7: expected ',' or '}', found the end of the text"),
        (#"{"a":1]"#, "line 1, column 7: expected ',' or '}', found ']'"),
        (
            #"{"a":1,}"#,
            "line 1, column 8: expected the name of a member in double quotes, found '}'; take out the comma before it"
        ),
        (#"{"a":1 "b":2}"#, "line 1, column 8: expected ',' or '}', found '\"'"),
        (#"{"a":1,"a":2}"#, #"line 1, column 8: the object has two members with the name "a""#),
        (#"{"a":1,"\u0061":2}"#, #"line 1, column 8: the object has two members with the name "a""#),
        (
            "[{\"b\":1,\n \"c\":{\"x\":1,\"x\":1}}]",
            #"line 2, column 13: the object has two members with the name "x""#
        ),
        (
            #"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"c":10}"#,
            #"line 1, column 56: the object has two members with the name "c""#
        ),
        ("\u{A0}1", "line 1, column 1: expected a value, found '\u{A0}'"),
        ("\u{0C}1", "line 1, column 1: expected a value, found the control character \\u000c"),
        ("\0", "line 1, column 1: expected a value, found the control character \\u0000"),
        ("1\0", "line 1, column 2: expected nothing after the value, found the control character \\u0000"),
    ]

    @Test(arguments: refused)
    func anErrorSaysWhatIsWrongAndWhere(text: String, message: String) {
        #expect(parseError(Array(text.utf8))?.description == message)
    }

    @Test(
        arguments: [
            ([0x22, 0xFF, 0x22], 1), ([0x22, 0xC0, 0xAF, 0x22], 1), ([0x22, 0xE2, 0x82, 0x22], 1),
            ([0x22, 0xED, 0xA0, 0x80, 0x22], 1), ([0x22, 0x61, 0x80, 0x22], 2),
            ([0xFF, 0xFE, 0x31, 0x00], 0),
            ([0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], 1), ([0x31, 0xE9], 1), ([0x22, 0xF0, 0x9F, 0x98], 1),
        ] as [([UInt8], Int)])
    func textsThatAreNotUTF8AreRefused(bytes: [UInt8], offset: Int) throws {
        let error = try #require(parseError(bytes))
        let byte = String(bytes[offset], radix: 16, uppercase: true)
        #expect(error.message == "the text is not UTF-8: byte \(byte) does not belong here")
        #expect(error.offset == offset)
    }

    @Test func everyTextCutShortIsRefusedWithoutTrapping() {
        let text = Array(#"{"a":[1,-2.5e+3,"x\u00e9\ud83d\ude00é😀",true,false,null,{"b":{}}]}"#.utf8)
        for end in text.indices { #expect(parseError(Array(text[..<end])) != nil) }
        #expect(parseError(text) == nil)
    }

    @Test func everyByteChangedIsReadOrRefusedWithoutTrapping() throws {
        let text = Array(#"{"a":[1,-2.5e+3,"x\u00e9\ud83d\ude00é",true,null,{"b":{}}]}"#.utf8)
        for position in text.indices {
            for byte in Array(#"{}[]",:\/.-+eE019 aux"#.utf8) + [
                0x00, 0x09, 0x0A, 0x80, 0xC3, 0xE2, 0xF0, 0xFF,
            ] {
                var changed = text
                changed[position] = byte
                guard let json = try? JSON(parsing: changed) else { continue }
                #expect(try JSON(parsing: json.bytes) == json)
            }
        }
    }

    // MARK: - Sizes

    @Test func theDepthOfNestingIsLimited() {
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: UInt8(ascii: "["), count: depth)
                + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
        }
        #expect(parseError(nested(512)) == nil)
        #expect(parseError(nested(513))?.offset == 512)
        #expect(
            parseError([0x5B, 0x5B], maximumDepth: 1)?.message
                == "arrays and objects are nested deeper than 1")
        #expect(parseError([0x31], maximumDepth: 0) == nil)
        #expect(parseError([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000))?.offset == 512)
        let objects = Array(String(repeating: #"{"a":"#, count: 100_000).utf8)
        #expect(parseError(objects)?.offset == 512 * 5)
        #expect(parseError(Array(objects.prefix(50_000)), maximumDepth: .max)?.offset == 50_000)
    }

    @Test(.timeLimit(.minutes(5)))
    func manyMembersAreReadAndFoundQuickly() throws {
        let text = "{" + (0..<100_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
        let json = try JSON(parsing: Array(text.utf8))
        #expect(json.objectValue?.count == 100_000)
        for number in stride(from: 0, to: 100_000, by: 10) {
            #expect(json["k\(number)"]?.numberValue?.intValue == number)
        }
    }

    @Test func aRepeatedNameAmongManyIsFound() {
        let names = (0..<1_000).map { "\"k\($0)\":0," }.joined()
        #expect(parseError(Array("{\(names)\"k7\":0}".utf8))?.message.hasSuffix("the name \"k7\"") == true)
    }

    @Test(.timeLimit(.minutes(5)))
    func manySmallValuesAreReadInOnePass() throws {
        let text = "[" + String(repeating: #"{"a":[1]},"#, count: 50_000) + "0]"
        #expect(try JSON(parsing: Array(text.utf8)).arrayValue?.count == 50_001)
    }

    @Test(.timeLimit(.minutes(5)))
    func longStringsAndNumbersAreReadInOnePass() throws {
        let quote = UInt8(ascii: "\"")
        let text = [quote] + [UInt8](repeating: 0x61, count: 8_000_000) + [quote]
        #expect(try JSON(parsing: text).stringValue?.utf8.count == 8_000_000)

        let digits = [UInt8](repeating: UInt8(ascii: "9"), count: 1_000_000)
        let number = try #require(try JSON(parsing: digits).numberValue)
        #expect(number.literal.utf8.count == 1_000_000)
        #expect(number.intValue == nil)
        #expect(number.decimalValue == nil)
        #expect(number.doubleValue == nil)
        #expect(throws: DecodingError.self) { try JSON.number(number).decode(Int.self) }
    }

    @Test func aLiteralMustFollowTheGrammar() {
        for good in ["0", "-0", "12", "1.50", "1e5", "-1.5E+10"] {
            #expect(JSON.Number(literal: good)?.literal == good)
        }
        for bad in ["", "-", "01", "1.", ".5", "+1", "1e", " 1", "1 ", "NaN", "0x1", "1,5", "١"] {
            #expect(JSON.Number(literal: bad) == nil)
        }
    }

    private func parseError(_ bytes: [UInt8], maximumDepth: Int = 512) -> JSON.ParseError? {
        do throws(JSON.ParseError) {
            _ = try JSON(parsing: bytes, maximumDepth: maximumDepth)
            return nil
        } catch {
            return error
        }
    }
}
