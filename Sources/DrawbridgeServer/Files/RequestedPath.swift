import Drawbridge

/// The path of a request as names below a folder.
struct RequestedPath {
    /// The names of the folders and of the file, decoded; none of them is `..` or has a slash.
    let names: [String]
    /// True when a slash ends it.
    let isFolder: Bool

    /// Nil for what can name no file that is served: `//`, `..`, a hidden name, a separator inside a name.
    ///
    /// Each part is decoded after the split, and once: `%2F` separates nothing, and `%252e` is the name `%2e`.
    init?(_ path: String) {
        var parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count > 1, parts.removeFirst().isEmpty else { return nil }
        isFolder = parts.last?.isEmpty == true
        if isFolder { parts.removeLast() }
        var names: [String] = []
        for part in parts {
            guard let name = Percent.decode(part), Self.isServed(name, isFirst: names.isEmpty) else {
                return nil
            }
            names.append(name)
        }
        self.names = names
    }

    /// The same path with a slash at its end, encoded anew: it begins with one slash, whatever was sent.
    func asFolder(query: String?) -> String {
        let path = names.map { "/" + Percent.encode($0) }.joined() + "/"
        return query.map { "\(path)?\($0)" } ?? path
    }

    private static func isServed(_ name: String, isFirst: Bool) -> Bool {
        // Browsers take a backslash for a slash, and C takes a zero for the end.
        let forbidden = [0, UInt8(ascii: "/"), UInt8(ascii: "\\")]
        guard let first = name.utf8.first, !name.utf8.contains(where: forbidden.contains) else {
            return false
        }
        // Names with a dot in front are hidden, as are `.` and `..`, but for `.well-known` (RFC 8615).
        return first != UInt8(ascii: ".") || (isFirst && name == ".well-known")
    }
}
