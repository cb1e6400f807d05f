/// Finds the name that somebody probably meant: a registered path, a setting.
package enum Nearest {
    /// The candidate with the fewest changed characters, if those are no more than a third of it.
    package static func of(_ path: String, among candidates: [String]) -> String? {
        let wanted = Array(path.lowercased().utf8.prefix(64))
        var best: (path: String, distance: Int)?
        for candidate in candidates {
            let bytes = Array(candidate.lowercased().utf8.prefix(64))
            let allowed = min(best.map { $0.distance - 1 } ?? .max, max(2, bytes.count / 3))
            guard abs(bytes.count - wanted.count) <= allowed else { continue }
            let distance = distance(wanted, bytes)
            if distance <= allowed { best = (candidate, distance) }
        }
        return best?.path
    }

    /// What to write in place of a name: the nearest candidate, else `otherwise`, which by default names all of them.
    package static func hint(
        for name: String, among candidates: [String], otherwise: String? = nil
    ) -> String {
        of(name, among: candidates).map { "did you mean \($0)?" } ?? otherwise
            ?? "there are \(candidates.joined(separator: ", "))"
    }

    /// How many insertions, deletions, replacements and swaps of neighbours lie between the two (optimal string
    /// alignment).
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var before: [Int] = []
        var row = Array(0...b.count)
        for i in a.indices {
            var next = [i + 1]
            for j in b.indices {
                var least = min(row[j] + (a[i] == b[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, before[j - 1] + 1) }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[b.count]
    }
}
