/// A pattern over a whole string, in which `*` stands for any number of characters, also none.
///
/// Matching takes time in proportion to the string, whatever the pattern: the parts between the `*` are found one after
/// the other, and no part is ever looked for again.
package struct Glob: Sendable {
    package let text: String
    private let parts: [[UInt8]]

    /// Longer strings than this match no pattern.
    private static let longest = 64 << 10

    package init(_ text: String) {
        self.text = text
        parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(
            Array.init)
    }

    package func matches(_ string: String) -> Bool {
        guard string.utf8.count <= Self.longest else { return false }
        let bytes = Array(string.utf8)
        guard parts.count > 1 else { return bytes == parts[0] }
        let first = parts[0]
        let last = parts[parts.count - 1]
        guard bytes.count >= first.count + last.count, bytes.starts(with: first),
            bytes.suffix(last.count).elementsEqual(last)
        else { return false }
        var rest = bytes[first.count..<bytes.count - last.count]
        for part in parts[1..<parts.count - 1] where !part.isEmpty {
            guard let found = Self.find(part, in: rest) else { return false }
            rest = rest[(found + part.count)...]
        }
        return true
    }

    /// The first occurrence of a part (Knuth, Morris and Pratt).
    private static func find(_ part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        var fallback = [0]
        for byte in part.dropFirst() {
            var length = fallback[fallback.count - 1]
            while length > 0, part[length] != byte { length = fallback[length - 1] }
            fallback.append(part[length] == byte ? length + 1 : 0)
        }
        var length = 0
        for (place, byte) in zip(bytes.indices, bytes) {
            while length > 0, part[length] != byte { length = fallback[length - 1] }
            if part[length] == byte { length += 1 }
            if length == part.count { return place - part.count + 1 }
        }
        return nil
    }
}
