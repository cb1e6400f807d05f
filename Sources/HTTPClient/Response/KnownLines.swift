import Glibc
import HTTPTypes

/// Lines of response heads that were read before, with the fields that they are: most lines of a server's answers are
/// those of its last.
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

    /// Remembers a line, in place of another.
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
