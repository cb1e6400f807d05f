import Foundation
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeJSON

@Suite("Encoding to JSON")
struct JSONEncodingTests {
    @Test func encodingAgreesWithFoundation() throws {
        var random = SeededRandom(seed: 5)
        let foundation = JSONEncoder()
        for _ in 0..<250 {
            let sample = JSONSample.random(using: &random)
            let tree = try JSON(encoding: sample)
            let theirs = try JSON(parsing: Array(foundation.encode(sample)))
            #expect(tree.canonical == theirs.canonical)
            #expect(try JSON(parsing: JSON.encode(sample)) == tree)
        }
    }

    struct Special: Encodable {
        var date = Date(timeIntervalSince1970: 1_795_217_364.1234)
        var data = Data([0xFB, 0xFF, 0x00])
        var url = URL(string: "https://example.com/a?b=c%20d")
        var decimal = Decimal(string: "0.1000000000000000000000000000000000001")
        var big = Int64.min
        var bigger = UInt64.max
        var float: Float = 0.1
        var double = 0.1
        var missing: Int?
        var json: JSON = ["z": 1, "a": .number(JSON.Number(verified: "1.00"))]
    }

    @Test func datesDataURLsAndDecimalsAreEncoded() throws {
        let expected =
            #"{"date":"2026-11-20T23:29:24.123Z","data":"+/8A","url":"https://example.com/a?b=c%20d","#
            + #""decimal":0.1000000000000000000000000000000000001,"#
            + #""big":-9223372036854775808,"bigger":18446744073709551615,"#
            + #""float":0.1,"double":0.1,"json":{"z":1,"a":1.00}}"#
        #expect(try JSON(encoding: Special()).description == expected)
    }

    @Test func singleValuesAndTheirOptionalsNeedNoContainer() throws {
        #expect(try JSON(encoding: 5) == 5)
        #expect(try JSON(encoding: "a") == "a")
        #expect(try JSON(encoding: Int?.none) == .null)
        #expect(try JSON(encoding: Int??.some(3)) == 3)
        #expect(try JSON(encoding: [Int?.none, 1]) == [.null, 1])
        #expect(try JSON(encoding: JSONSample.Level.high) == "high")
        #expect(try JSON(encoding: ["a": Int?.none]) == ["a": .null])
        #expect(try JSON(encoding: Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00.000Z")
        #expect(try JSON(encoding: [UUID?.none]) == [.null])
        #expect(try JSON.encode([1.5, 2]) == Array("[1.5,2]".utf8))
    }

    @Test func aValueThatEncodesNothingIsAnEmptyObject() throws {
        struct Nothing: Encodable { func encode(to encoder: any Encoder) {} }
        struct Empty: Encodable {}
        struct EmptyArray: Encodable {
            func encode(to encoder: any Encoder) { _ = encoder.unkeyedContainer() }
        }
        #expect(try JSON(encoding: Nothing()) == [:])
        #expect(try JSON(encoding: Empty()) == [:])
        #expect(try JSON(encoding: EmptyArray()) == [])
        #expect(try JSON(encoding: [Nothing()]) == [[:]])
    }

    private struct Scripted: Encodable {
        let script: (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try script(encoder) }
    }

    private enum Key: String, CodingKey { case a, b, c }

    @Test func aContainerAskedForTwiceExtendsTheFirst() throws {
        let object = Scripted { encoder in
            var first = encoder.container(keyedBy: Key.self)
            try first.encode(1, forKey: .a)
            var second = encoder.container(keyedBy: Key.self)
            try second.encode(2, forKey: .b)
            var nested = first.nestedContainer(keyedBy: Key.self, forKey: .c)
            try nested.encode(3, forKey: .a)
            var again = second.nestedContainer(keyedBy: Key.self, forKey: .c)
            try again.encode(4, forKey: .b)
        }
        #expect(try JSON(encoding: object).description == #"{"a":1,"b":2,"c":{"a":3,"b":4}}"#)
        let array = Scripted { encoder in
            var first = encoder.unkeyedContainer()
            try first.encode(1)
            var second = encoder.unkeyedContainer()
            try second.encode("x")
            try first.encodeNil()
            #expect(second.count == 3)
        }
        #expect(try JSON(encoding: array) == [1, "x", .null])
    }

    @Test func nestedContainersAndSuperEncodersKeepTheirPlace() throws {
        let value = Scripted { encoder in
            var container = encoder.container(keyedBy: Key.self)
            let parent = container.superEncoder()
            let own = container.superEncoder(forKey: .a)
            var list = container.nestedUnkeyedContainer(forKey: .b)
            try container.encode(true, forKey: .c)
            var inner = list.nestedContainer(keyedBy: Key.self)
            var innerList = list.nestedUnkeyedContainer()
            let last = list.superEncoder()
            try list.encode("end")
            try inner.encode(1, forKey: .a)
            try innerList.encode(2)
            var single = last.singleValueContainer()
            try single.encode(3)
            #expect(last.codingPath.map(\.stringValue) == ["b", "2"])
            try "p".encode(to: parent)
            try ["x": 1].encode(to: own)
        }
        let expected = #"{"super":"p","a":{"x":1},"b":[{"a":1},[2],3,"end"],"c":true}"#
        #expect(try JSON(encoding: value).description == expected)
    }

    @Test(.timeLimit(.minutes(5)))
    func manyNestedContainersAreWrittenInOnePass() throws {
        let value = Scripted { encoder in
            var list = encoder.unkeyedContainer()
            for number in 0..<30_000 {
                var inner = list.nestedUnkeyedContainer()
                try inner.encode(number)
                try list.encode([number])
            }
        }
        let elements = try #require(try JSON(encoding: value).arrayValue)
        #expect(elements.count == 60_000)
        #expect(elements[59_998] == [29_999] && elements[59_999] == [29_999])
    }

    @Test func aMemberEncodedTwiceKeepsTheLastValue() throws {
        let value = Scripted { encoder in
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .a)
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: .b)
            try nested.encode(1, forKey: .a)
            try container.encode(2, forKey: .a)
            try container.encode(3, forKey: .b)
        }
        #expect(try JSON(encoding: value).description == #"{"a":2,"b":3}"#)
    }

    @Test func aTypeMayEncodeOtherValuesInItsPlace() throws {
        let flat = Scripted { encoder in
            try ["x": 1].encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(2, forKey: .a)
            try JSON.object(["z": 3]).encode(to: encoder)
        }
        #expect(try JSON(encoding: flat).description == #"{"x":1,"a":2,"z":3}"#)
    }

    @Test func encodersOfNestedContainersAreFreed() throws {
        weak var kept: JSONText?
        do {
            let text = JSONText()
            kept = text
            try text.append(
                Scripted { encoder in
                    var container = encoder.container(keyedBy: Key.self)
                    var list = container.nestedUnkeyedContainer(forKey: .a)
                    var inner = list.nestedContainer(keyedBy: Key.self)
                    try inner.encode(1, forKey: .b)
                })
            #expect(text.bytes == Array(#"{"a":[{"b":1}]}"#.utf8))
        }
        #expect(kept == nil)
    }

    @Test func twoKindsOfContainerInOnePlaceAreAnError() throws {
        let mixed = Scripted { encoder in
            _ = encoder.container(keyedBy: Key.self)
            _ = encoder.unkeyedContainer()
        }
        let twice = Scripted { encoder in
            var container = encoder.singleValueContainer()
            try container.encode(1)
            try container.encode(2)
        }
        #expect(problem(mixed) == "encodes an array after an object in the same place")
        #expect(problem(["k": [twice]]) == "encodes a single value after a single value in the same place")
    }

    @Test func aMemberThatFailedLeavesNothingBehind() throws {
        struct Half: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: .a)
                var list = container.nestedUnkeyedContainer(forKey: .b)
                try list.encode("x")
                try container.encode(["y": [Double.nan]], forKey: .c)
            }
        }
        let value = Scripted { encoder in
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .a)
            try? container.encode(Half(), forKey: .b)
            var list = container.nestedUnkeyedContainer(forKey: .c)
            try? list.encode(Half())
            try list.encode(2)
        }
        #expect(try JSON(encoding: value).description == #"{"a":1,"c":[2]}"#)
        #expect(problem(Half()) == "c.y[0]: nan is not a number in JSON; encode null or a text instead")
    }

    @Test func aContainerCannotBeWrittenAfterItsValueIsEncoded() throws {
        final class Kept: Encodable {
            var container: KeyedEncodingContainer<Key>?
            func encode(to encoder: any Encoder) throws { container = encoder.container(keyedBy: Key.self) }
        }
        let late = Scripted { encoder in
            var container = encoder.container(keyedBy: Key.self)
            let kept = Kept()
            try container.encode(kept, forKey: .a)
            try kept.container?.encode(1, forKey: .b)
        }
        let early = Scripted { encoder in
            var list = encoder.unkeyedContainer()
            let outer = list
            try list.encode(
                Scripted { _ in
                    var outer = outer
                    _ = outer.nestedUnkeyedContainer()
                })
        }
        let expected = "encodes into a value that is finished, or while one in it is unfinished"
        #expect(problem(late) == expected)
        #expect(problem(early) == expected)
    }

    @Test(arguments: [2, 16, 17, 40])
    func aMemberEncodedTwiceIsReplacedAmongAnyNumberOfMembers(count: Int) throws {
        let value = Scripted { encoder in
            var container = encoder.container(keyedBy: JSON.PathKey.self)
            for number in 0..<count {
                try container.encode(number, forKey: JSON.PathKey(stringValue: "\"\(number)"))
            }
            try container.encode("last", forKey: JSON.PathKey(stringValue: "\"1"))
        }
        let members = try #require(try JSON(encoding: value).objectValue)
        #expect(members.map(\.key) == (0..<count).map { "\"\($0)" })
        #expect(members["\"1"] == "last")
        #expect(members["\"0"] == 0)
    }

    @Test(arguments: [
        0, -0.0, 1, -7, 9_007_199_254_740_991, 9_007_199_254_740_992, -9_223_372_036_854_775_808,
        9_223_372_036_854_775_808, 1e22, 0.5, -1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ])
    func doublesAreWrittenAsTheirShortestNumber(value: Double) throws {
        let number = try #require(JSON.Number(value))
        #expect(try JSON.encode(value) == Array(number.literal.utf8))
        #expect(try JSON.encode([value]) == Array("[\(number.literal)]".utf8))
        #expect(try JSON(encoding: value).decode(Double.self).bitPattern == value.bitPattern)
    }

    @Test func everyWidthOfIntegerIsWrittenToItsLimits() throws {
        #expect(try JSON(encoding: [Int.min, 0, .max]).description == "[\(Int.min),0,\(Int.max)]")
        #expect(try JSON(encoding: [Int64.min, .max]).description == "[\(Int64.min),\(Int64.max)]")
        #expect(try JSON(encoding: [Int8.min, .max]).description == "[-128,127]")
        #expect(try JSON(encoding: [UInt64.max, 10]).description == "[\(UInt64.max),10]")
        #expect(try JSON(encoding: [UInt32.max]).description == "[\(UInt32.max)]")
    }

    @Test func nanAndInfinityAreRefusedWithTheirPath() {
        #expect(problem(Double.nan) == "nan is not a number in JSON; encode null or a text instead")
        #expect(
            problem(["a": [1, .infinity]])
                == "a[1]: inf is not a number in JSON; encode null or a text instead")
        #expect(
            problem([-Float.infinity]) == "[0]: -inf is not a number in JSON; encode null or a text instead")
        #expect(
            problem(["d": Decimal.nan]) == "d: NaN is not a number in JSON; encode null or a text instead")
        #expect(
            problem(["t": Date(timeIntervalSince1970: 1e12)])
                == "t: the date lies outside the years 0000 to 9999")
    }

    @Test func foundationsEncoderWritesTheSameTree() throws {
        var random = SeededRandom(seed: 6)
        for _ in 0..<300 {
            let tree = JSON.array([.random(depth: 3, using: &random)])
            let theirs = try JSON(parsing: Array(JSONEncoder().encode(tree)))
            #expect(theirs.canonical == tree.canonical)
        }
    }

    private func problem(_ value: some Encodable) -> String? {
        do {
            _ = try JSON(encoding: value)
            return nil
        } catch EncodingError.invalidValue(_, let context) {
            return context.debugDescription
        } catch {
            return "\(error)"
        }
    }
}
