import Foundation
import TestSupport

@testable import Drawbridge
@testable import DrawbridgeJSON

/// A type with every shape that `Codable` can take.
struct JSONSample: Codable, Equatable {
    enum Level: String, Codable, CaseIterable { case low, high }
    enum Code: Int, Codable, CaseIterable { case one = 1, two }
    enum Shape: Codable, Equatable {
        case point
        case circle(radius: Double)
        case named(String, Int)
    }

    var truth: Bool
    var count: Int
    var tiny: Int8
    var small: Int16
    var middle: Int32
    var wide: Int64
    var plain: UInt
    var byte: UInt8
    var short: UInt16
    var long: UInt32
    var large: UInt64

    var real: Double
    var single: Float
    var text: String
    var maybe: String?
    var perhaps: Int?
    var level: Level
    var code: Code
    var shape: Shape
    var decimal: Decimal
    var data: Data
    var link: URL
    var id: UUID
    var texts: [String]
    var holes: [Int?]
    var table: [[Double]]
    var names: [String: Bool]
    var numbered: [Int: String]
    var pair: Pair
    var children: [JSONSample]

    /// A type that puts itself together from nested containers.
    struct Pair: Codable, Equatable {
        var left: Int
        var right: [String]

        enum Outer: CodingKey { case inner, list }
        enum Inner: CodingKey { case left }

        init(left: Int, right: [String]) {
            self.left = left
            self.right = right
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Outer.self)
            left = try container.nestedContainer(keyedBy: Inner.self, forKey: .inner).decode(
                Int.self, forKey: .left)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            right = []
            while !list.isAtEnd { right.append(try list.decode(String.self)) }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Outer.self)
            var inner = container.nestedContainer(keyedBy: Inner.self, forKey: .inner)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try inner.encode(left, forKey: .left)
            for element in right { try list.encode(element) }
        }
    }

    static func random(depth: Int = 1, using random: inout SeededRandom) -> JSONSample {
        func integer<Integer: FixedWidthInteger>(_: Integer.Type = Integer.self) -> Integer {
            Integer(truncatingIfNeeded: random.next()) >> Integer(truncatingIfNeeded: random.next() % 8)
        }
        func text() -> String { .random(upTo: 12, using: &random) }
        func count() -> Range<Int> { 0..<Int(random.next() % 4) }
        func real() -> Double {
            let real = Double(bitPattern: random.next())
            return real.isFinite && real.isNormal ? real : 0.25
        }
        let shapes = [Shape.point, .circle(radius: real()), .named(text(), integer())]
        let decimal = Decimal(
            sign: .minus, exponent: Int(random.next() % 20) - 10, significand: Decimal(integer(Int64.self)))
        return JSONSample(
            truth: random.next() % 2 == 0, count: integer(), tiny: integer(), small: integer(),
            middle: integer(),
            wide: integer(), plain: integer(), byte: integer(), short: integer(), long: integer(),
            large: integer(), real: real(), single: Float(integer(Int32.self)) / 1024, text: text(),
            maybe: random.next() % 2 == 0 ? text() : nil, perhaps: random.next() % 2 == 0 ? integer() : nil,
            level: random.next() % 2 == 0 ? .low : .high, code: random.next() % 2 == 0 ? .one : .two,
            shape: shapes[Int(random.next() % 3)], decimal: decimal,
            data: Data(count().map { _ in integer() }), link: URL(filePath: "/a\(integer(UInt8.self))"),
            id: UUID(), texts: count().map { _ in text() },
            holes: count().map { _ in random.next() % 2 == 0 ? integer() : nil },
            table: count().map { _ in count().map { _ in real() } },
            names: Dictionary(uniqueKeysWithValues: count().map { ("n\($0)", true) }),
            numbered: Dictionary(uniqueKeysWithValues: count().map { ($0 * 7, text()) }),
            pair: Pair(left: integer(), right: count().map { _ in text() }),
            children: depth > 0 ? count().map { _ in .random(depth: depth - 1, using: &random) } : [])
    }
}
