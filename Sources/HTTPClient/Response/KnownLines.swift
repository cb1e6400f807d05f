import Glibc
import HTTPTypes

/// A cache of header lines with their parsed fields: most lines of a server's response are the same as in its last
/// one.
///
/// They are a part of `HTTPClient.State`.
struct KnownLines {
    private static let longest = 128
    /// A power of two.
    private static let count = 64

    private final class Line {
        let bytes: [UInt8]
        let field: HTTPField

        init(_ bytes: [UInt8], _ field: HTTPField) {
            self.bytes = bytes
            self.field = field
        }
    }

    private var lines = [Line?](repeating: nil, count: count)

    /// The field of a line that is known byte for byte.
    func field(_ line: UnsafeRawBufferPointer) -> HTTPField? {
        guard let place = Self.place(of: line), let known = lines[place], known.bytes.count == line.count,
            let start = line.baseAddress, memcmp(known.bytes, start, line.count) == 0
        else { return nil }
        return known.field
    }

    /// Adds a line, in place of another one.
    mutating func add(_ line: UnsafeRawBufferPointer, _ field: HTTPField) {
        if let place = Self.place(of: line) { lines[place] = Line(Array(line), field) }
    }

    private static func place(of line: UnsafeRawBufferPointer) -> Int? {
        guard line.count >= 16, line.count <= longest else { return nil }
        // Lines differ in their beginning, their end or their length.
        let first = line.loadUnaligned(as: UInt64.self)
        let last = line.loadUnaligned(fromByteOffset: line.count - 8, as: UInt64.self)
        let mixed = (first ^ (last &* 3) ^ UInt64(line.count)) &* 0x9E37_79B9_7F4A_7C15
        return Int(mixed >> 58)
    }
}
