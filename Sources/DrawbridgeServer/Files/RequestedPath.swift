/// The path of a request, split into the names of folders and a file.
struct RequestedPath {
    /// The names, percent-decoded; none is `..` or contains a slash.
    let names: [String]
    /// True if the path ends with a slash.
    let isFolder: Bool

    /// Nil for a path that never leads to a served file: with `//`, `..`, a hidden name, or a separator in a name.
    ///
    /// Each part is decoded once, after the split: `%2F` does not separate names, and `%252e` is the name `%2e`.
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

    /// The path with a slash at the end, for a redirect; it is encoded anew, so it never begins with `//`.
    func asFolder(query: String?) -> String {
        let path = names.map { "/" + Percent.encode($0) }.joined() + "/"
        return query.map { "\(path)?\($0)" } ?? path
    }

    private static func isServed(_ name: String, isFirst: Bool) -> Bool {
        // Browsers treat a backslash as a slash, and C functions end at a NUL.
        let forbidden = [0, UInt8(ascii: "/"), UInt8(ascii: "\\")]
        guard let first = name.utf8.first, !name.utf8.contains(where: forbidden.contains) else {
            return false
        }
        // Names that begin with a dot are hidden, including `.` and `..`, except `.well-known` (RFC 8615).
        return first != UInt8(ascii: ".") || (isFirst && name == ".well-known")
    }
}
