import Foundation

@testable import Drawbridge

/// An input of every kind that a handler can ask for; each member may be missing.
struct Everything: Codable, Sendable, Equatable {
    enum Level: String, Codable { case low, high }

    enum Shape: Codable, Equatable {
        case point
        case circle(radius: Double)
    }

    var truth: Bool?
    var count: Int?
    var tiny: Int8?
    var large: UInt64?
    var huge: Int128?
    var real: Double?
    var single: Float?
    var text: String?
    var date: Date?
    var decimal: Decimal?
    var data: Data?
    var link: URL?
    var level: Level?
    var shape: Shape?
    var texts: [String]?
    var counts: [Int?]?
    var table: [String: [Double]]?
    var any: JSON?
    var children: [Everything]?

    static let names: Set<String> = [
        "truth", "count", "tiny", "large", "huge", "real", "single", "text", "date", "decimal", "data",
        "link",
        "level", "shape", "texts", "counts", "table", "any", "children",
    ]
}
