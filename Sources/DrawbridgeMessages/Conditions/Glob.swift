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
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
