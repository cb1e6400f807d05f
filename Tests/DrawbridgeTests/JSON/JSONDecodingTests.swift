import Foundation
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeJSON

@Suite("Decoding JSON")
struct JSONDecodingTests {
    @Test func decodingAgreesWithFoundation() throws {
        var random = SeededRandom(seed: 7)
        let (theirEncoder, theirDecoder) = (JSONEncoder(), JSONDecoder())
        for _ in 0..<250 {
            let sample = JSONSample.random(using: &random)
            let ours = try JSON.encode(sample)
            #expect(try JSON(parsing: ours).decode(JSONSample.self) == sample)
            #expect(try JSON(parsing: Array(theirEncoder.encode(sample))).decode() == sample)
            #expect(try theirDecoder.decode(JSONSample.self, from: Data(ours)) == sample)
        }
    }

    private struct Everything: Decodable, Equatable {
        var date: Date?
        var data: Data?
        var url: URL?
        var decimal: Decimal?
        var big: Int64?
        var huge: UInt64?
        var json: JSON?
    }

    @Test func datesDataURLsAndDecimalsAreDecoded() throws {
        let json: JSON = [
            "date": "2026-11-20T23:29:24.5Z", "data": "+/8A", "url": "https://example.com/",
            "json": [1, .null],
            "decimal": .number(JSON.Number(verified: "12345678901234567890.12345")),
            "big": .number(JSON.Number(Int64.min)), "huge": .number(JSON.Number(UInt64.max)), "unknown": 1,
        ]
        let value = try json.decode(Everything.self)
        #expect(value.date == Date(timeIntervalSince1970: 1_795_217_364.5))
        #expect(value.data == Data([0xFB, 0xFF, 0x00]))
        #expect(value.url?.host() == "example.com")
        #expect(value.decimal == Decimal(string: "12345678901234567890.12345"))
        #expect(value.big == .min)
        #expect(value.huge == .max)
        #expect(value.json == [1, .null])
        #expect(try JSON.object([:]).decode(Everything.self) == Everything())
        #expect(try JSON(1_500).decode(Date.self) == Date(timeIntervalSince1970: 1.5))
    }

    @Test(arguments: ["-_8A", "+/8A", "-_8=", "-_8", "", "QQ==", "QQ"])
    func base64IsReadInBothAlphabetsWithOrWithoutPadding(text: String) throws {
        let expected: [String: Data] = [
            "": Data(), "QQ==": Data("A".utf8), "QQ": Data("A".utf8), "-_8": Data([0xFB, 0xFF]),
            "-_8=": Data([0xFB, 0xFF]),
        ]
        #expect(try JSON.string(text).decode(Data.self) == expected[text] ?? Data([0xFB, 0xFF, 0x00]))
    }

    @Test func missingAndNullAreTheSameToAnOptional() throws {
        struct Value: Decodable {
            var a: Int?
            var b: String?
            var c: [Int]?
            var d: Everything?
        }
        let value = try JSON.object(["a": .null, "c": .null, "d": .null]).decode(Value.self)
        #expect(value.a == nil && value.b == nil && value.c == nil && value.d == nil)
        #expect(try JSON.null.decode(Int?.self) == nil)
        #expect(try JSON(4).decode(Int?.self) == 4)
        #expect(try JSON.array([1, .null]).decode([Int?].self) == [1, nil])
    }

    @Test func wholeNumbersMayBeWrittenWithAPoint() throws {
        #expect(
            try JSON(parsing: Array("[1.0, 1e2, -0, 2.50e1]".utf8)).decode([Int].self) == [1, 100, 0, 25])
        #expect(try JSON(5).decode(Double.self) == 5)
    }

    @Test func integersOfEveryWidthAreDecodedExactly() throws {
        struct Wide: Codable, Equatable {
            var a: Int64
            var b: UInt64
            var c: [Int64]
            var d: [String: UInt64?]
        }
        let wide = Wide(a: .min, b: .max, c: [.max, 0], d: ["x": 1, "y": nil, "z": .max])
        #expect(try JSON(parsing: JSON.encode(wide)).decode() == wide)
        #expect(try JSON(encoding: UInt64?.some(.max)).decode() == UInt64.max)
        #expect(throws: DecodingError.self) { try JSON(encoding: UInt64.max).decode(Int.self) }
    }

    @Test func superDecodersReadTheirMembers() throws {
        class Base: Decodable { var a = 0 }
        final class Derived: Base {
            let b: Int
            enum Key: CodingKey { case b }
            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                b = try container.decode(Int.self, forKey: .b)
                try super.init(from: container.superDecoder())
            }
        }
        let value = try JSON.object(["b": 1, "super": ["a": 2]]).decode(Derived.self)
        #expect(value.a == 2 && value.b == 1)
    }

    @Test(arguments: [1, 16, 17, 1_000])
    func aMemberIsFoundAmongAnyNumberOfOtherMembers(count: Int) throws {
        struct Two: Decodable {
            var first: Int
            var last: String?
            var absent: Bool?
        }
        let others = (0..<count).map { #""k\#($0)":[{"first":0}],"# }.joined()
        let text = #"{"fi\u0072st":1,"# + others + #""last":"\u00e9"}"#
        let two = try JSON(parsing: Array(text.utf8)).decode(Two.self)
        #expect(two.first == 1 && two.last == "é" && two.absent == nil)
        let lists = try JSON(parsing: Array("{\(others)\"x\":[]}".utf8)).decode(
            [String: [[String: Int]]].self)
        #expect(lists.count == count + 1)
        #expect(lists["k\(count - 1)"] == [["first": 0]])
    }

    @Test func anElementThatFailsToDecodeMayBeReadAsAnotherType() throws {
        struct Lenient: Decodable, Equatable {
            var numbers: [Int64] = []
            var others: [JSON] = []
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while !container.isAtEnd {
                    if let number = try? container.decode(Int64.self) {
                        numbers.append(number)
                    } else {
                        others.append(try container.decode(JSON.self))
                    }
                }
            }
        }
        let value = try JSON(parsing: Array(#"[1,"x",[2],3,null]"#.utf8)).decode(Lenient.self)
        #expect(value.numbers == [1, 3])
        #expect(value.others == ["x", [2], .null])
    }

    @Test(.timeLimit(.minutes(5)))
    func failedElementsTakeNoMoreTimeEachInALongArray() throws {
        struct Length: Decodable {
            var total = 0
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while !container.isAtEnd {
                    if let number = try? container.decode(Int.self) {
                        total += number
                    } else {
                        total += try container.decode([Int].self).count
                    }
                }
            }
        }
        let text = "[" + String(repeating: "[1,2],", count: 50_000) + "7]"
        #expect(try JSON(parsing: Array(text.utf8)).decode(Length.self).total == 100_007)
    }

    @Test func aMissingSuperDecoderReadsNullAndIsNamedInErrors() throws {
        struct Derived: Decodable {
            enum Key: CodingKey { case b }
            let base: String?
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                let parent = try container.superDecoder()
                base = try? parent.singleValueContainer().decode(String.self)
                if try container.decode(Bool.self, forKey: .b) { _ = try Order(from: parent) }
            }
        }
        #expect(try JSON.object(["b": false]).decode(Derived.self).base == nil)
        #expect(explain(["b": true], as: Derived.self) == "super: expected an object, got null")
        #expect(
            explain([["b": true, "super": [:]]], as: [Derived].self)
                == "[0].super.user is missing: expected a string")
    }

    // MARK: - Text

    private enum Size: Int, Decodable { case small = 1, large }
    private enum Color: String, Decodable { case red, blue }

    private struct Form: Decodable, Equatable {
        var int: Int?
        var byte: UInt8?
        var double: Double?
        var bool: Bool?
        var date: Date?
        var decimal: Decimal?
        var string: String?
        var size: Size?
        var color: Color?
        var ints: [Int]?
        var strings: Set<String>?
        var nested: Nested?
        struct Nested: Decodable, Equatable { var int: Int }

        static let members: Set<String> = [
            "int", "byte", "double", "bool", "date", "decimal", "string", "size", "color", "ints", "strings",
            "nested",
        ]
    }

    @Test func textMembersAreReadAsTheTypeThatIsAskedFor() throws {
        let form: JSON = [
            "int": "5", "byte": "+7", "double": "1.5", "bool": "true", "date": "2026-11-20",
            "decimal": "0.10",
            "string": "5", "size": "2", "color": "red", "ints": ["1", "2"], "strings": "one",
        ]
        let expected = Form(
            int: 5, byte: 7, double: 1.5, bool: true, date: Date(timeIntervalSince1970: 1_795_132_800),
            decimal: Decimal(string: "0.1"), string: "5", size: .large, color: .red, ints: [1, 2],
            strings: ["one"])
        #expect(try form.decode(Form.self, textMembers: Form.members) == expected)
        #expect(throws: DecodingError.self) { try form.decode(Form.self) }
        #expect(throws: DecodingError.self) { try form.decode(Form.self, textMembers: ["int"]) }
        let again: JSON = [
            "bool": "0", "date": "1500", "int": "007", "double": "-.5", "ints": "3", "string": "true",
        ]
        let read = try again.decode(Form.self, textMembers: Form.members)
        #expect(
            read
                == Form(
                    int: 7, double: -0.5, bool: false, date: Date(timeIntervalSince1970: 1.5), string: "true",
                    ints: [3]))
    }

    @Test func anEmptyTextIsMissingUnlessAStringIsAskedFor() throws {
        let names = ["int", "byte", "double", "bool", "date", "decimal", "size", "string"]
        let form = JSON.object(JSON.Object(names.map { ($0, "") }))
        #expect(try form.decode(Form.self, textMembers: Form.members) == Form(string: ""))
        #expect(throws: DecodingError.self) { try form.decode(Form.self) }
    }

    @Test func onlyTopLevelMembersAreConvertedFromText() throws {
        let form: JSON = ["nested": ["int": "5"], "int": "1"]
        #expect(
            explain(form, as: Form.self, textMembers: ["int"])
                == #"nested.int: expected a whole number, got the string "5""#)
        let plain: JSON = ["int": 5, "ints": [1, 2]]
        #expect(try plain.decode(Form.self, textMembers: Form.members) == Form(int: 5, ints: [1, 2]))
    }

    @Test func aTypeThatWrapsAnotherReadsTextMembersToo() throws {
        struct Wrapper: Decodable {
            var form: Form
            init(from decoder: any Decoder) throws {
                form = try decoder.singleValueContainer().decode(Form.self)
            }
        }
        #expect(try JSON.object(["int": "5"]).decode(Wrapper.self, textMembers: ["int"]).form.int == 5)
    }

    // MARK: - Errors

    private struct Order: Decodable {
        var user: String
        var age: UInt8?
        var items: [Item]?
        var when: Date?
        var size: Size?
        var color: Color?
        var ok: Bool?
        var link: URL?
        var blob: Data?
        var exact: Decimal?
        var small: Float?
        var deep: [String: [Item]]?
        struct Item: Decodable { var price: Double }
    }

    static let mistakes: [(json: String, explanation: String)] = [
        ("5", "expected an object, got a number"),
        ("[]", "expected an object, got an array"),
        ("null", "expected an object, got null"),
        ("{}", "user is missing: expected a string"),
        (#"{"user":null}"#, "user: expected a string, got null"),
        (#"{"user":5}"#, "user: expected a string, got the number 5"),
        (#"{"user":{}}"#, "user: expected a string, got an object"),
        (#"{"user":"u","age":300}"#, "age: 300 does not fit UInt8 (0...255)"),
        (#"{"user":"u","age":-1}"#, "age: -1 does not fit UInt8 (0...255)"),
        (#"{"user":"u","age":1e999}"#, "age: 1e999 does not fit UInt8 (0...255)"),
        (#"{"user":"u","age":1.5}"#, "age: expected a whole number, got 1.5"),
        (#"{"user":"u","age":"5"}"#, #"age: expected a whole number, got the string "5""#),
        (#"{"user":"u","age":true}"#, "age: expected a whole number, got true"),
        (#"{"user":"u","items":{}}"#, "items: expected an array, got an object"),
        (#"{"user":"u","items":"x"}"#, "items: expected an array, got a string"),
        (#"{"user":"u","items":[5]}"#, "items[0]: expected an object, got a number"),
        (
            #"{"user":"u","items":[{"price":1},{"price":2},{}]}"#,
            "items[2].price is missing: expected a number"
        ),
        (
            #"{"user":"u","items":[{"price":"abc"}]}"#,
            #"items[0].price: expected a number, got the string "abc""#
        ),
        (#"{"user":"u","items":[{"price":1e999}]}"#, "items[0].price: 1e999 does not fit Double"),
        (#"{"user":"u","small":1e99}"#, "small: 1e99 does not fit Float"),
        (#"{"user":"u","exact":1e999}"#, "exact: 1e999 does not fit Decimal"),
        (#"{"user":"u","deep":{"k":[{"price":[]}]}}"#, "deep.k[0].price: expected a number, got an array"),
        (
            #"{"user":"u","when":"soon"}"#,
            #"when: expected a date such as 2026-11-20T23:29:24Z, got the string "soon""#
        ),
        (#"{"user":"u","when":true}"#, "when: expected a date such as 2026-11-20T23:29:24Z, got true"),
        (#"{"user":"u","ok":1}"#, "ok: expected true or false, got the number 1"),
        (#"{"user":"u","ok":"true"}"#, #"ok: expected true or false, got the string "true""#),
        (#"{"user":"u","blob":"*"}"#, #"blob: expected base64 text, got the string "*""#),
        (#"{"user":"u","link":""}"#, #"link: expected a URL, got the string """#),
        (#"{"user":"u","color":"pink"}"#, #"color: the string "pink" is not one of the possible values"#),
        (
            #"{"user":"u","age":"0123456789012345678901234567890123456789012345678"}"#,
            #"age: expected a whole number, got the string "012345678901234567890123456789012345678…"#
        ),
        (
            #"{"user":"u","age":12345678901234567890123456789012345678901234567890}"#,
            "age: 1234567890123456789012345678901234567890… does not fit UInt8 (0...255)"
        ),
    ]

    @Test(arguments: mistakes)
    func aValueThatDoesNotFitIsExplained(json: String, explanation: String) throws {
        #expect(explain(try JSON(parsing: Array(json.utf8)), as: Order.self) == explanation)
    }

    @Test func theValuesOfAnEnumAreListed() {
        enum Cup: String, Decodable, CaseIterable { case small, large }
        enum Floor: Int, Decodable, CaseIterable { case ground = 0, first, roof = 9 }
        struct Coffee: Decodable {
            var cup: Cup
            var floors: [Floor]?
        }
        func explain(_ json: JSON) -> String? {
            self.explain(json, as: Coffee.self, textMembers: ["floors"])
        }
        #expect(explain(["cup": "huge"]) == #"cup: expected one of small, large, got the string "huge""#)
        #expect(explain(["cup": 5]) == "cup: expected a string, got the number 5")
        #expect(explain([:]) == "cup is missing: expected one of small, large")
        #expect(
            explain(["cup": "small", "floors": [9, 7]])
                == "floors[1]: expected one of 0, 1, 9, got the number 7")
        #expect(
            explain(["cup": "small", "floors": ["1", "7"]])
                == #"floors[1]: expected one of 0, 1, 9, got the string "7""#)

        enum Many: Int, Decodable, CaseIterable {
            case one
            static var allCases: [Many] { Array(repeating: .one, count: 1000) }
        }
        let many = self.explain([7], as: [Many].self)
        #expect(many?.hasSuffix("0, 0, …, got the number 7") == true, "\(many ?? "")")
    }

    @Test func aValueOfAFormThatDoesNotFitIsExplained() {
        func explain(_ json: JSON) -> String? {
            self.explain(json, as: Form.self, textMembers: Form.members)
        }
        #expect(explain(["int": ["1", "2", "3"]]) == "int: expected one value, but it was given 3 times")
        #expect(explain(["string": ["1", "2"]]) == "string: expected one value, but it was given 2 times")
        #expect(explain(["int": "abc"]) == #"int: expected a whole number, got the string "abc""#)
        #expect(explain(["int": "1.5"]) == "int: expected a whole number, got 1.5")
        #expect(explain(["byte": "256"]) == "byte: 256 does not fit UInt8 (0...255)")
        #expect(explain(["ints": ["1", "x"]]) == #"ints[1]: expected a whole number, got the string "x""#)
        #expect(explain(["double": "nan"]) == #"double: expected a number, got the string "nan""#)
        #expect(explain(["double": "0x10"]) == #"double: expected a number, got the string "0x10""#)
        #expect(explain(["double": "-"]) == #"double: expected a number, got the string "-""#)
        #expect(explain(["double": "E4"]) == #"double: expected a number, got the string "E4""#)
        #expect(explain(["bool": "yes"]) == #"bool: expected true or false, got the string "yes""#)
        #expect(explain(["nested": "x"]) == "nested: expected an object, got a string")
    }

    @Test func errorsCarryTheirPathAndKind() throws {
        let json: JSON = ["user": "u", "items": [["price": "x"]]]
        let error = #expect(throws: DecodingError.self) { try json.decode(Order.self) }
        guard case .typeMismatch(let type, let context) = error else {
            Issue.record("expected a type mismatch, got \(String(describing: error))")
            return
        }
        #expect("\(type)" == "Double")
        #expect(context.codingPath.map(\.stringValue) == ["items", "0", "price"])
        #expect(context.codingPath.map(\.intValue) == [nil, 0, nil])
    }

    @Test func readingBeyondAnArrayIsAnError() {
        struct Three: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                for _ in 0..<3 { _ = try container.decode(Int.self) }
            }
        }
        #expect(explain([1, 2], as: Three.self) == "[2]: expected another element, but the array ends here")
    }

    @Test func explanationsStayShortWhateverWasSent() throws {
        let marks = "e" + String(repeating: "\u{301}", count: 10_000)
        let long = try #require(explain(JSON.object([marks: 1]), as: [String: Bool].self))
        #expect(long.unicodeScalars.count < 100)
        let value = try #require(explain(.string(marks), as: Int.self))
        #expect(value.unicodeScalars.count < 100)
        let color = try #require(explain(.string(marks), as: Color.self))
        #expect(color.unicodeScalars.count < 300)
    }

    @Test func typesThatContainThemselvesAreReadToASafeDepth() throws {
        struct Tree: Codable { var branches: [Tree] }
        func text(_ depth: Int) -> [UInt8] {
            let start = String(repeating: #"{"branches":["#, count: depth)
            return Array((start + String(repeating: "]}", count: depth)).utf8)
        }
        let json = try JSON(parsing: text(100))
        #expect(try JSON(encoding: json.decode(Tree.self)) == json)
        let deep = try JSON(parsing: text(256))
        let problem = try #require(explain(deep, as: Tree.self))
        #expect(problem.hasSuffix(": the values here are nested too deeply to be decoded"))
        #expect(try deep.decode(JSON.self) == deep)
    }

    private func explain<Value: Decodable>(
        _ json: JSON, as type: Value.Type, textMembers: Set<String> = []
    ) -> String? {
        do {
            _ = try json.decode(type, textMembers: textMembers)
            return nil
        } catch let error as DecodingError {
            return error.explanation
        } catch {
            return "\(error)"
        }
    }
}
