/// A head as it is sent, and as libmicrohttpd 0.9.75 leaves it in its buffer for the audit.
struct WireHead {
    /// Up to and with the empty line.
    let text: [UInt8]
    /// Everything after it.
    let body: [UInt8]
    /// The target as the library hands it over: what stands between the first space and the last.
    private(set) var target: [UInt8] = []
    /// The head with a NUL behind each token and two for each CRLF.
    private(set) var block: [UInt8] = []
    /// How many header fields the library found.
    private(set) var lines = 0

    /// Nil while the empty line is missing, for which the library waits, and for what it refuses by itself.
    init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        text = Array(bytes[..<end.upperBound])
        body = Array(bytes[end.upperBound...])
        // To the library a NUL ends a text, and with a bare line feed it looks like CRLF.
        guard text.firstRange(of: [0, 0x0A]) == nil else { return nil }
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().map(Array.init)
        guard let first = lines.first, beginBlock(first) else { return nil }
        for line in lines.dropFirst().dropLast() {
            guard add(line) else { return nil }
        }
        block += [0, 0]
    }

    private mutating func beginBlock(_ line: [UInt8]) -> Bool {
        var line = Self.withoutReturn(line)
        guard let first = line.firstIndex(of: 0x20), let last = line.lastIndex(of: 0x20), first < last else {
            return false
        }
        target = Array(line[(first + 1)..<last].prefix { $0 != 0 })
        line[first] = 0
        line[last] = 0
        block += line + [0]
        return true
    }

    private mutating func add(_ line: [UInt8]) -> Bool {
        var line = Self.withoutReturn(line)
        guard let colon = line.prefix(while: { $0 != 0 }).firstIndex(of: UInt8(ascii: ":")) else {
            return false
        }
        line[colon] = 0
        block += line + [0]
        lines += 1
        return true
    }

    /// A line feed by itself ends a line too, and leaves one NUL only.
    private static func withoutReturn(_ line: [UInt8]) -> [UInt8] {
        line.last == 0x0D ? line.dropLast() + [0] : line
    }
}
