import Foundation
import Testing

@testable import Drawbridge

/// What is read off Swift types.
@Suite("Shapes of Swift types") struct TypeProbeTests {
    private enum Channel: String, Decodable, CaseIterable { case wechat, alipay }
    private enum Size: Int, Decodable, CaseIterable {
        case small = 1
        case large = 3
    }
    private enum Unlisted: String, Decodable { case one, two }
    private struct OrderID: RawRepresentable, Decodable { var rawValue: Int }

    private struct Item: Decodable {
        var sku: String
        var count: UInt8?
    }

    private struct Order: Decodable {
        var id: OrderID
        var channel: Channel
        var size: Size?
        var items: [Item]
        var tags: Set<String>
        var prices: [String: Double]
        var placed: Date
        var note: String?
        var unlisted: Unlisted?
        var anything: JSON
        var isGift: Bool
        var big: Int128
    }

    private struct Tree: Decodable {
        var name: String
        var children: [Tree]
    }

    private struct Renamed: Decodable {
        enum CodingKeys: String, CodingKey { case price = "the-price" }
        var price: Decimal
    }

    @Test func aTypeThatSwiftDecodesSaysAllOfItself() throws {
        let schema = try #require(TypeProbe.shape(of: Order.self)).schema
        #expect(
            schema == [
                "type": "object",
                "properties": [
                    "id": ["type": "integer"],
                    "channel": ["type": "string", "enum": ["wechat", "alipay"]],
                    "size": ["type": ["integer", "null"], "enum": [1, 3, .null]],
                    "items": [
                        "type": "array",
                        "items": [
                            "type": "object",
                            "properties": [
                                "sku": ["type": "string"], "count": ["type": ["integer", "null"]],
                            ],
                            "required": ["sku"],
                        ],
                    ],
                    "tags": ["type": "array", "items": ["type": "string"]],
                    "prices": ["type": "object", "additionalProperties": ["type": "number"]],
                    "placed": ["type": ["string", "number"]],
                    "note": ["type": ["string", "null"]],
                    "unlisted": ["type": ["string", "null"]],
                    "anything": [:], "isGift": ["type": "boolean"], "big": ["type": "integer"],
                ],
                "required": [
                    "id", "channel", "items", "tags", "prices", "placed", "anything", "isGift", "big",
                ],
            ], "\(JSON.object(schema))")
        #expect(
            try #require(TypeProbe.shape(of: Tree.self)).schema == [
                "type": "object",
                "properties": ["name": ["type": "string"], "children": ["type": "array", "items": [:]]],
                "required": ["name", "children"],
            ])
        #expect(
            TypeProbe.shape(of: Renamed.self)?.schema["required"] == ["the-price"])
        #expect(TypeProbe.shape(of: String?.self)?.schema == ["type": ["string", "null"]])
        #expect(TypeProbe.shape(of: [Int].self)?.schema == ["type": "array", "items": ["type": "integer"]])
    }

    /// Takes a text or a number.
    private struct Either: Decodable {
        var price: String
        enum CodingKeys: CodingKey { case price }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            price =
                try (try? members.decode(String.self, forKey: .price))
                ?? "\(members.decode(Int.self, forKey: .price))"
        }
    }

    /// Takes what is not there for something.
    private struct Usual: Decodable {
        var count: Int
        enum CodingKeys: CodingKey { case count }

        init(from decoder: any Decoder) throws {
            count = (try? decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .count)) ?? 7
        }
    }

    private struct Looks: Decodable {
        enum CodingKeys: CodingKey { case a, b }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            if members.contains(.a) { _ = try members.decode(Int.self, forKey: .a) }
        }
    }

    private struct Picky: Decodable {
        init(from decoder: any Decoder) throws {
            guard try decoder.singleValueContainer().decode(String.self) != "" else {
                throw HTTPError(.badRequest, "")
            }
        }
    }

    private enum Nested: Decodable {
        case one(Int)
        case two(String)
    }

    private struct Holds<Value: Decodable>: Decodable { var value: Value }

    private struct Twice: Decodable {
        init(from decoder: any Decoder) throws {
            _ = try decoder.singleValueContainer().decode(Int.self)
            _ = try decoder.singleValueContainer().decode(String.self)
        }
    }

    private struct Places: Decodable {
        init(from decoder: any Decoder) throws {
            var elements = try decoder.unkeyedContainer()
            _ = try elements.decode(Int.self)
        }
    }

    /// Half of the truth would be taken for the whole.
    @Test func ofATypeThatDecodesItselfInAWayOfItsOwnNothingIsSaid() {
        #expect(TypeProbe.shape(of: Either.self) == nil)
        #expect(TypeProbe.shape(of: Usual.self) == nil)
        #expect(TypeProbe.shape(of: Looks.self) == nil)
        #expect(TypeProbe.shape(of: Picky.self) == nil)
        #expect(TypeProbe.shape(of: Nested.self) == nil)
        #expect(TypeProbe.shape(of: Twice.self) == nil)
        #expect(TypeProbe.shape(of: Places.self) == nil)
        #expect(TypeProbe.shape(of: Unlisted.self) == nil)
        #expect(TypeProbe.shape(of: [Int: String].self) == nil)
        #expect(TypeProbe.shape(of: Holds<Either>.self) == nil)
        #expect(TypeProbe.shape(of: [Holds<Nested>].self) == nil)
        #expect(TypeProbe.shape(of: JSONSample.self) == nil)
    }
}
