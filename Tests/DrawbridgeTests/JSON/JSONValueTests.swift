import Foundation
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeJSON

@Suite("JSON values")
struct JSONValueTests {
    @Test func swiftLiteralsMakeJSONValues() {
        let json: JSON = ["a": .null, "b": true, "c": 1, "d": 2.5, "e": "x", "f": [1, "y"], "g": [:]]
        #expect(json.description == #"{"a":null,"b":true,"c":1,"d":2.5,"e":"x","f":[1,"y"],"g":{}}"#)
        #expect(json["f"]?[1]?.stringValue == "y")
        #expect(json["f"]?[2] == nil)
        #expect(json["f"]?[-1] == nil)
        #expect(json["zz"] == nil)
        #expect(json[0] == nil)
        #expect(json["a"]?.isNull == true)
        #expect(json["b"]?.boolValue == true)
        #expect(json["d"]?.numberValue?.doubleValue == 2.5)
        #expect(json["f"]?.arrayValue?.count == 2)
        #expect(json["c"]?.stringValue == nil)
    }

    /// Chinese text has three bytes for each scalar: what is whole gets no ellipsis.
    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "abc…"), ("中文字", 3, "中文字"), ("中文字串", 3, "中文字…"), ("", 0, ""),
    ])
    func aLongTextIsCutToANumberOfUnicodeScalars(_ text: String, _ length: Int, _ cut: String) {
        #expect(text.cut(to: length) == cut)
    }

    @Test func textsAreComparedByteByByte() throws {
        let composed: JSON = "\u{E9}"
        let decomposed: JSON = "e\u{301}"
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
        var object: JSON.Object = ["\u{E9}": 1]
        object["e\u{301}"] = 2
        #expect(object.count == 2)
        #expect(object["\u{E9}"] == 1)
        #expect(JSON.string("a\u{323}\u{307}") != JSON.string("a\u{307}\u{323}"))
    }

    @Test func objectsAreEqualInAnyOrder() {
        let one: JSON = ["a": 1, "b": [2], "c": ["x": 1, "y": 2]]
        let other: JSON = ["c": ["y": 2, "x": 1], "b": [2], "a": 1]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["a": 1, "b": [2]])
        #expect(one != ["a": 1, "b": [2], "d": ["x": 1, "y": 2]])
    }

    @Test(arguments: [3, 8, 9, 200])
    func objectsKeepTheirOrderWhateverTheirSize(count: Int) {
        var object = JSON.Object()
        for number in 0..<count { object["k\(number)"] = JSON(integerLiteral: number) }
        object["k1"] = "changed"
        #expect(object.map(\.key) == (0..<count).map { "k\($0)" })
        #expect(object["k1"] == "changed")
        object["k0"] = nil
        object["absent"] = nil
        #expect(object.count == count - 1)
        #expect(object["k0"] == nil)
        #expect(object["k\(count - 1)"] == JSON(integerLiteral: count - 1))
        object["k0"] = true
        #expect(object.map(\.key).last == "k0")
        #expect(object["k0"] == true)
    }

    @Test func aRepeatedNameInALiteralIsOneMember() {
        #expect(JSON.Object([("a", 1), ("b", 2), ("a", 3)]) == ["b": 2, "a": 3])
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("1.0", 1), ("1e2", 100), ("1.50e1", 15), ("-12.00", -12), ("100e-2", 1),
            ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min),
            ("0e999999999999999999999", 0),
            ("9223372036854775808", nil), ("1.5", nil), ("1e-1", nil), ("1e400", nil),
            ("1e99999999999999999999", nil), ("1e-99999999999999999999", nil), ("0.0000", 0),
            ("9223372036854775807000e-3", Int.max),
        ] as [(String, Int?)])
    func aWholeNumberIsAnIntegerHoweverItIsWritten(literal: String, value: Int?) throws {
        #expect(try #require(JSON.Number(literal: literal)).intValue == value)
    }

    @Test func numbersKeepTheirDigits() throws {
        #expect(JSON.Number(Int128.min).literal == "-170141183460469231731687303715884105728")
        #expect(JSON.Number(UInt128.max).value(as: UInt128.self) == .max)
        #expect(JSON.Number(3.0)?.literal == "3")
        #expect(JSON.Number(-0.0)?.literal == "-0")
        #expect(JSON.Number(0.1)?.literal == "0.1")
        #expect(JSON.Number(1e300)?.literal == "1e+300")
        #expect(JSON.Number(Double.nan) == nil)
        #expect(JSON.Number(-Double.infinity) == nil)
        #expect(JSON.Number(Decimal.nan) == nil)
        let (price, count) = (17.5, 3 as Int64)
        let object: JSON = ["price": .number(price), "count": .number(count), "rate": .number(Float(0.1))]
        #expect("\(object)" == #"{"price":17.5,"count":3,"rate":0.1}"#)
        #expect([.number(Double.nan), .number(-Double.infinity)] == [JSON.null, .null])
        let decimal = try #require(Decimal(string: "12345678901234567890.123456789"))
        #expect(JSON.Number(decimal)?.literal == "12345678901234567890.123456789")
        #expect(JSON.Number(literal: "0.10")?.decimalValue == Decimal(string: "0.1"))
        #expect(JSON.Number(literal: "1234567890123456789012345678901234567890123")?.decimalValue == nil)
        #expect(JSON.Number(literal: "1e999")?.doubleValue == nil)
        #expect(JSON.Number(literal: "1e999")?.decimalValue == nil)
        #expect(JSON.Number(literal: "1e-400")?.doubleValue == 0)
    }

    @Test func fiveThousandTreesSurviveBeingWrittenAndRead() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<5_000 {
            let tree = JSON.random(depth: 4, using: &random)
            let bytes = tree.bytes
            let read = try JSON(parsing: bytes)
            #expect(read == tree)
            #expect(read.bytes == bytes)
            #expect(read.hashValue == tree.hashValue)
        }
    }

    @Test func foundationReadsWhatIsWritten() throws {
        var random = SeededRandom(seed: 2)
        for _ in 0..<500 {
            let tree = JSON.array([JSON.random(depth: 3, using: &random)])
            let read = try JSONDecoder().decode(JSON.self, from: Data(tree.bytes))
            #expect(read.canonical == tree.canonical)
        }
    }

    @Test func everyScalarSurvivesInAString() throws {
        var scalar: UInt32 = 0
        while scalar <= 0x10FFFF {
            var text = String.UnicodeScalarView()
            for _ in 0..<16_384 {
                if let scalar = Unicode.Scalar(scalar) { text.append(scalar) }
                scalar += 1
            }
            let bytes = JSON.string(String(text)).bytes
            let ours = try #require(JSON(parsing: bytes).stringValue)
            let theirs = try JSONDecoder().decode(String.self, from: Data(bytes))
            #expect(ours.unicodeScalars.elementsEqual(text))
            #expect(Array(theirs.utf8) == Array(ours.utf8))
        }
    }

    @Test func everyScalarIsFoundAnywhereInAString() throws {
        let awkward: [Unicode.Scalar] = [
            "\"", "\\", "\u{0}", "\u{1F}", " ", "!", "\u{7F}", "\u{80}", "é", "\u{2013}", "\u{2027}",
            "\u{2028}",
            "\u{2029}", "\u{202A}", "\u{FFFD}", "😀",
        ]
        for length in 0..<20 {
            for position in 0...length {
                for scalar in awkward {
                    var text = String(repeating: "a", count: length).unicodeScalars
                    text.insert(scalar, at: text.index(text.startIndex, offsetBy: position))
                    let bytes = JSON.string(String(text)).bytes
                    let isEscaped = ["\"", "\\", "\u{0}", "\u{1F}", "\u{2028}", "\u{2029}"].contains(scalar)
                    #expect(bytes.contains(UInt8(ascii: "\\")) == isEscaped)
                    #expect(try JSON(parsing: bytes).stringValue?.unicodeScalars.elementsEqual(text) == true)
                }
            }
        }
    }

    @Test func onlyCharactersThatNeedItAreEscaped() {
        let text: JSON = "\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}\u{2027}\u{2028}\u{2029}\u{202A}é<&>'"
        let expected =
            #""\"\\/\b\f\n\r\t\u0000\u001f"# + "\u{7F}\u{2027}" + #"\u2028\u2029"# + "\u{202A}é<&>'\""
        #expect(text.description == expected)
    }
}
