import Foundation
import Testing

@testable import Drawbridge
@testable import DrawbridgeJSON

/// The memory of a text and of a tape is used again: nothing of one value may be seen in another.
@Suite("JSON one value after the other")
struct JSONReuseTests {
    private struct Tree: Codable, Equatable {
        var name: String
        var children: [Tree] = []
        var next: [String: Tree] = [:]
    }

    private struct Pair: Codable, Equatable {
        var first: String
        var second: Int
    }

    private enum Key: String, CodingKey { case first, second, third }

    private func read<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        var tape = try JSONTape.reused(parsing: Array(text.utf8))
        defer { JSONTape.giveBack(&tape) }
        return try tape.decode(type)
    }

    private func written(_ value: some Encodable) throws -> String {
        String(decoding: try JSON.encode(value), as: UTF8.self)
    }

    @Test func aTypeInsideItselfHasAContainerForEachLevel() throws {
        let leaf = Tree(name: "leaf \"1\"")
        let tree = Tree(
            name: "root", children: [Tree(name: "a", children: [leaf, leaf]), leaf], next: ["n": leaf])
        for _ in 0..<3 {
            let text = try written(tree)
            #expect(try JSON(parsing: Array(text.utf8)) == JSON(encoding: tree))
            #expect(try read(Tree.self, text) == tree)
        }
    }

    @Test func membersAreFoundInAnyOrderAndAsOftenAsAsked() throws {
        struct Asking: Decodable {
            var found: [String] = []
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for key in [Key.second, .first, .first, .third, .second, .first] {
                    found.append(try container.decodeIfPresent(String.self, forKey: key) ?? "-")
                }
            }
        }
        let text = #"{"x":{"first":"inner"},"first":"1","second":"2","third":null,"y":[]}"#
        #expect(try read(Asking.self, text).found == ["2", "1", "1", "-", "2", "1"])
        let many = (0..<40).map { #""m\#($0)":\#($0),"# }.joined()
        #expect(try read(Pair.self, "{\(many)\"second\":7,\"first\":\"f\"}") == Pair(first: "f", second: 7))
        #expect(throws: DecodingError.self) { try read(Pair.self, #"{"first":"f","seconds":1}"#) }
        #expect(try read(Pair.self, #"{"\u0066irst":"f","second":1}"#) == Pair(first: "f", second: 1))
    }

    @Test func aContainerThatIsHeldReadsItsOwnObjectLater() throws {
        final class Held: Decodable {
            let container: KeyedDecodingContainer<Key>
            let decoder: any Decoder
            init(from decoder: any Decoder) throws {
                self.decoder = decoder
                container = try decoder.container(keyedBy: Key.self)
            }
        }
        let held = try read(Held.self, #"{"first":"held","second":1}"#)
        for number in 0..<3 {
            #expect(try read(Pair.self, #"{"first":"other","second":\#(number)}"#).second == number)
            #expect(try held.container.decode(String.self, forKey: .first) == "held")
            #expect(try Pair(from: held.decoder) == Pair(first: "held", second: 1))
        }
        let again = try read(Held.self, #"{"first":"again","second":2}"#)
        #expect(try again.container.decode(Int.self, forKey: .second) == 2)
        #expect(try held.container.decode(Int.self, forKey: .second) == 1)
    }

    @Test func aContainerThatIsHeldWritesIntoNoOtherValue() throws {
        final class Held: Encodable {
            var container: KeyedEncodingContainer<Key>?
            var encoder: (any Encoder)?
            func encode(to encoder: any Encoder) throws {
                self.encoder = encoder
                container = encoder.container(keyedBy: Key.self)
                try container?.encode("held", forKey: .first)
            }
        }
        struct Writing: Encodable {
            let held: Held
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: .second)
                #expect(throws: EncodingError.self) { try held.container?.encode(2, forKey: .third) }
                _ = held.encoder?.unkeyedContainer()
                try container.encode(3, forKey: .third)
            }
        }
        let held = Held()
        #expect(try written(held) == #"{"first":"held"}"#)
        for _ in 0..<3 { #expect(try written(Writing(held: held)) == #"{"second":1,"third":3}"#) }
    }

    @Test func aValueMayBeWrittenAndReadWhileAnotherIs() throws {
        struct Outer: Codable, Equatable {
            var inner = Pair(first: "a\n", second: 2)
            enum CodingKeys: CodingKey { case first, inner, last }
            init() {}
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                let text = try container.decode(String.self, forKey: .inner)
                inner = try JSON(parsing: Array(text.utf8)).decode()
                #expect(try container.decode(Int.self, forKey: .last) == 2)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(true, forKey: .first)
                try container.encode(String(decoding: JSON.encode(inner), as: UTF8.self), forKey: .inner)
                try container.encode(inner.second, forKey: .last)
            }
        }
        for _ in 0..<3 {
            let text = try written(Outer())
            #expect(text == #"{"first":true,"inner":"{\"first\":\"a\\n\",\"second\":2}","last":2}"#)
            #expect(try read(Outer.self, text) == Outer())
        }
    }

    @Test func whatFailedLeavesNothingForTheNext() throws {
        struct Failing: Codable {
            var list = ["x": [1, Double.nan]]
            var text = "never"
        }
        for text in ["{", #"{"a":1,"a":2}"#, "[1,\u{1}]", #"{"list":{"x":["\n"]}}"#] {
            #expect(throws: EncodingError.self) { try written(["f": Failing()]) }
            #expect(throws: (any Error).self) { try read(Failing.self, text) }
            #expect(try written(Pair(first: "é", second: -1)) == #"{"first":"é","second":-1}"#)
            #expect(try read(Pair.self, #"{"first":"\t","second":-1}"#) == Pair(first: "\t", second: -1))
        }
    }

    @Test func manyKindsOfKeysAndLongTextsFollowEachOther() throws {
        struct Box<Value: Codable & Equatable>: Codable, Equatable { var value: Value }
        func check<Value: Codable & Equatable>(_ value: Value, _ depth: Int) throws {
            #expect(try read(Value.self, written(value)) == value)
            if depth > 0 { try check(Box(value: value), depth - 1) }
        }
        for _ in 0..<2 {
            try check("x", 40)
            try check([String](repeating: "long \\ \u{2028}", count: 20_000), 2)
            try check([Pair(first: "", second: .min), Pair(first: "e\u{301}", second: .max)], 20)
        }
    }

    @Test func memoryOfALargeTextDoesNotStay() throws {
        var memory = Memory<UInt8>()
        for byte in 0..<UInt8(200) { memory.append(byte) }
        memory.clear()
        #expect(memory.elements.baseAddress != nil)
        for _ in 0..<70_000 { memory.append(text: "é") }
        #expect(memory.count == 140_000 && memory[139_998] == 0xC3)
        memory.cut(to: 1)
        #expect(Array(memory.elements) == [0xC3])
        memory.clear()
        #expect(memory.elements.baseAddress == nil)
    }

    @Test func aSpareObjectIsTakenOnce() {
        final class Kept {}
        let spare = Spare<Kept>()
        weak var first: Kept?
        do {
            let kept = Kept()
            first = kept
            spare.put(kept)
        }
        #expect(first != nil)
        spare.put(Kept())
        #expect(first == nil)
        #expect(spare.take() != nil)
        #expect(spare.take() == nil)
    }

    @Test func valuesHaveTheirRangeInTheText() throws {
        let text = #" {"a\n" : [ 1 , "\u00e9" , {} , [ ] ] , "b":true}  "#
        let tape = try JSONTape(parsing: Array(text.utf8))
        let ranges = (0..<tape.own.next(after: 0)).map { place in
            String(decoding: Array(text.utf8)[Int(tape[place].from)..<Int(tape[place].to)], as: UTF8.self)
        }
        #expect(
            ranges == [
                text.trimmingCharacters(in: .whitespaces), #""a\n""#, #"[ 1 , "\u00e9" , {} , [ ] ]"#, "1",
                #""\u00e9""#, "{}", "[ ]", #""b""#, "true",
            ])
    }

    @Test(arguments: 0...20) func everyByteThatMustBeEscapedIsFoundAtEveryPlace(length: Int) {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<length {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                bytes[place] = byte
                let isSpecial = byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
                bytes.withUnsafeBufferPointer { bytes in
                    for start in 0...length {
                        let found = isSpecial && start <= place ? place : length
                        #expect(bytes.firstSpecial(from: start) == found)
                        #expect(
                            bytes.firstSpecial(from: start, alsoSeparators: true)
                                == (byte == 0xE2 && start <= place ? place : found))
                    }
                }
            }
        }
    }

    @Test func threadsDoNotSeeEachOthersValues() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask { () async throws in
                    for number in 0..<500 {
                        let pair = Pair(
                            first: String(repeating: "\(task),", count: number % 50), second: number)
                        #expect(try read(Pair.self, written(pair)) == pair)
                        if number % 100 == 0 { await Task.yield() }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
