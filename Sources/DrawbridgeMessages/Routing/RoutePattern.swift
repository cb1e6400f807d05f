package struct RoutePattern: Sendable {
    package enum Part: Sendable, Equatable {
        case exact(String)
        case parameter
        case wildcard
    }

    package let text: String
    package let parts: [Part]
    /// The names of the parameters, in order; `*` for the wildcard.
    package let names: [String]
    package var isOnePath: Bool { names.isEmpty }
    /// Whether callers send that one path exactly as it is written: nothing of it has to be percent-encoded.
    var isSentAsItStands: Bool {
        isOnePath && text.utf8.allSatisfy { (0x21..<0x7F).contains($0) && !"%?#".utf8.contains($0) }
    }

    package func fits(_ segments: [String]) -> Bool {
        for (place, part) in parts.enumerated() {
            if part == .wildcard { return segments.count > place }
            guard place < segments.count, part == .parameter || part == .exact(segments[place]) else {
                return false
            }
        }
        return segments.count == parts.count
    }

    /// Whether a text may be a pattern: a wildcard may only be its last part.
    package static func isPattern(_ path: String) -> Bool {
        !parts(of: path).dropLast().contains("*")
    }

    /// The parts between slashes, ignoring a first and a last one; split by bytes, as requests are, so that a slash
    /// with a combining mark is a slash too.
    private static func parts(of path: String) -> [Substring] {
        let slash = UInt8(ascii: "/")
        var bytes = path.utf8[...]
        if bytes.first == slash { bytes.removeFirst() }
        if bytes.last == slash { bytes.removeLast() }
        return bytes.isEmpty
            ? [] : bytes.split(separator: slash, omittingEmptySubsequences: false).map(Substring.init)
    }

    /// Reads a text that may be invalid; nil if it is not a pattern.
    package init?(checking path: String) {
        guard Self.isPattern(path) else { return nil }
        self.init(path)
    }

    /// Reads `/user/:id` and `/files/*`; a missing first slash is added, a last one ignored.
    ///
    /// It is for paths in code, and for those that were checked; any other stops the process.
    package init(_ path: String) {
        precondition(
            Self.isPattern(path),
            "\(path): a wildcard can only be the last part of a path; name the parts before the end (:name)")
        var parts: [Part] = []
        var names: [String] = []
        let all = Self.parts(of: path)
        for part in all {
            if part == "*" {
                parts.append(.wildcard)
                names.append("*")
            } else if part.hasPrefix(":"), part.count > 1 {
                parts.append(.parameter)
                names.append(String(part.dropFirst()))
            } else {
                parts.append(.exact(String(part)))
            }
        }
        self.parts = parts
        self.names = names
        text = "/" + all.joined(separator: "/")
    }
}
