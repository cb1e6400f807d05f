/// A request target in origin form, split at the first `?` (RFC 9112, section 3.2.1).
package struct Target {
    package var path: String
    package var query: String?

    var text: String { query.map { "\(path)?\($0)" } ?? path }
}

extension Target {
    package init(_ text: String) {
        self = text.withBytes { bytes in
            guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else {
                return Target(path: text, query: nil)
            }
            return Target(
                path: String(decoding: bytes[..<mark], as: UTF8.self),
                query: String(decoding: bytes[(mark + 1)...], as: UTF8.self))
        }
    }

    /// The parts of a path between its slashes, each decoded after the split: `%2F` never separates.
    ///
    /// One trailing slash is ignored. Nil when a part does not decode to UTF-8.
    package static func segments(of path: String) -> [String]? {
        var segments: [String] = []
        var text = path[...].utf8
        if text.first == UInt8(ascii: "/") { text = text.dropFirst() }
        if text.last == UInt8(ascii: "/") { text = text.dropLast() }
        guard !text.isEmpty else { return [] }
        for part in text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let segment = Percent.decode(part) else { return nil }
            segments.append(segment)
        }
        return segments
    }

    package static func path(ofURL url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return Target(url).path }
        let rest = url[scheme.upperBound...]
        let end = rest.firstIndex { $0 == "?" || $0 == "#" } ?? rest.endIndex
        guard let slash = rest[..<end].firstIndex(of: "/") else { return "/" }
        return String(rest[slash..<end])
    }
}
