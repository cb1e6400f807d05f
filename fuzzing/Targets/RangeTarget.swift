@testable import DrawbridgeServer

/// `Range` fields: the size of the file in the first line, the field in the second.
enum RangeTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let (lines, _) = split(bytes, lines: 2)
        let size = max(0, Int(lines[0]) ?? 100)
        let range = ByteRange(lines[1], size: size)
        switch range {
        case .whole: break
        case .part(let part):
            check(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= size, "\(part) of \(size)")
            // The same, asked for in the plainest way.
            let plain = "bytes=\(part.lowerBound)-\(part.upperBound - 1)"
            check(ByteRange(plain, size: size) == range, "\(plain) is not \(part)")
        case .unsatisfiable:
            check(ByteRange(lines[1], size: 0) != .part(0..<0), lines[1])
        }
        if let reference = reference(lines[1], size) { check(range == reference, "\(lines[1]) is \(range)") }
    }

    /// RFC 9110, section 14.1.2, for one range in the plainest form; nil for any other.
    private static func reference(_ field: String, _ size: Int) -> ByteRange? {
        guard let match = field.wholeMatch(of: /bytes=([0-9]{0,15})-([0-9]{0,15})/) else { return nil }
        switch (Int(match.1), Int(match.2)) {
        case (nil, nil): return .whole
        case (nil, 0?): return .unsatisfiable
        case (nil, let count?): return size == 0 ? .whole : .part(max(0, size - count)..<size)
        case (let first?, let last?) where last < first: return .whole
        case (let first?, _) where first >= size: return .unsatisfiable
        case (let first?, let last): return .part(first..<min((last ?? size - 1) + 1, size))
        }
    }
}
