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

    /// How many insertions, deletions and replacements lie between the two (Levenshtein).
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, left) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, right) in b.enumerated() {
                let replaced = diagonal + (left == right ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
            }
        }
        return row[b.count]
    }
}
