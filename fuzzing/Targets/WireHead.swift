@testable import MicroHTTPD

/// A head as it is sent, and as libmicrohttpd leaves it in its buffer for the audit: 0.9 or 1.0, by its layout.
struct WireHead {
    private let layout: HeadLayout
    /// Up to and with the empty line.
    let text: [UInt8]
    /// Everything after it.
    let body: [UInt8]
    /// The target as the library hands it over: what stands between the first space and the last.
    private(set) var target: [UInt8] = []
    /// The head with a NUL behind each token, and its line ends as the layout has them.
    private(set) var block: [UInt8] = []
    /// How many header fields the library found.
    private(set) var lines = 0

    /// Nil while the empty line is missing, for which the library waits, and for what it refuses by itself.
    init?(_ bytes: [UInt8], _ layout: HeadLayout = .nothing) {
        self.layout = layout
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        text = Array(bytes[..<end.upperBound])
        body = Array(bytes[end.upperBound...])
        // To the library a NUL ends a text, and with a bare line feed it looks like CRLF.
        guard text.firstRange(of: [0, 0x0A]) == nil, layout == .nothing || Self.isTaken(text) else {
            return nil
        }
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().map(Array.init)
        guard let first = lines.first, beginBlock(first) else { return nil }
        for line in lines.dropFirst().dropLast() {
            guard add(line) else { return nil }
        }
        block += layout == .nothing ? [0, 0] : [0x0D, 0x0A]
    }

    /// What 1.0 refuses by itself: NULs, a CR or an LF without the other, and spaces before a colon.
    private static func isTaken(_ text: [UInt8]) -> Bool {
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
        return !text.contains(0)
            && lines.allSatisfy { $0.last == 0x0D && !$0.dropLast().contains(0x0D) }
            && lines.dropFirst().allSatisfy { line in
                let name = line.prefix { $0 != UInt8(ascii: ":") }
                return !name.contains(0x20) && !name.contains(0x09)
            }
    }

    private mutating func beginBlock(_ line: [UInt8]) -> Bool {
        var line = ended(line)
        guard let first = line.firstIndex(of: 0x20), let last = line.lastIndex(of: 0x20), first < last else {
            return false
        }
        target = Array(line[(first + 1)..<last].prefix { $0 != 0 })
        line[first] = 0
        line[last] = 0
        block += line
        return true
    }

    private mutating func add(_ line: [UInt8]) -> Bool {
        var line = ended(line)
        guard let colon = line.prefix(while: { $0 != 0 }).firstIndex(of: UInt8(ascii: ":")) else {
            return false
        }
        line[colon] = 0
        block += line
        lines += 1
        return true
    }

    /// A line with what is left of its end.
    ///
    /// To 0.9 a line feed by itself ends a line too, and leaves one NUL only; 1.0 has its NUL in the first byte of white
    /// space behind the last token, or else in the CR.
    private func ended(_ line: [UInt8]) -> [UInt8] {
        guard layout == .lineFeeds else { return (line.last == 0x0D ? line.dropLast() + [0] : line) + [0] }
        var line = line
        let end = line.dropLast().lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? 0
        // Where nothing but white space follows the colon, that is skipped as in front of a value.
        line[min(end, line.count - 1)] = 0
        return line + [0x0A]
    }
}
