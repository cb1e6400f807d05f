/// Finds the name that somebody probably meant: a registered path, a setting.
package enum Nearest {
    package typealias Found = (name: String, distance: Int)
    private typealias Candidate = (name: String, bytes: [UInt8])

    /// The candidate with the fewest changed characters, if those are no more than a third of it.
    package static func of(_ path: String, among candidates: [String]) -> String? {
        find(bytes(path), among: candidates.map { ($0, bytes($0)) })?.name
    }

    /// What to write instead of a name: the nearest candidate, else `otherwise`, which by default lists all candidates.
    package static func hint(
        for name: String, among candidates: [String], otherwise: String? = nil
    ) -> String {
        of(name, among: candidates).map { "did you mean \($0)?" } ?? otherwise
            ?? "there are \(candidates.joined(separator: ", "))"
    }

    /// The first 64 bytes in lower case: ``distance(_:_:_:)`` uses one bit of a machine word for each byte.
    private static func bytes(_ text: String) -> [UInt8] {
        Array(text.cut(to: 64).lowercased().utf8.prefix(64))
    }

    private static func find(_ wanted: [UInt8], among candidates: [Candidate]) -> Found? {
        var places = [UInt64](repeating: 0, count: 256)
        for (place, byte) in wanted.enumerated() { places[Int(byte)] |= 1 << UInt64(place) }
        var best: Found?
        for (name, bytes) in candidates {
            let allowed = min(best.map { $0.distance - 1 } ?? .max, max(2, bytes.count / 3))
            guard abs(bytes.count - wanted.count) <= allowed else { continue }
            let distance = distance(wanted.count, places, bytes)
            if distance <= allowed { best = (name, distance) }
        }
        return best
    }

    /// The number of insertions, deletions, replacements and swaps of neighbours between two texts (optimal string
    /// alignment), by Hyyrö's bit-parallel algorithm (2003), since each name that a page calls is compared with all
    /// candidates.
    ///
    /// - Parameter places: for each byte, where it is among the `count` bytes of the wanted text.
    private static func distance(_ count: Int, _ places: [UInt64], _ other: [UInt8]) -> Int {
        guard count > 0 else { return other.count }
        var (more, less, same, before) = (UInt64.max, UInt64(0), UInt64(0), UInt64(0))
        var distance = count
        for byte in other {
            let here = places[Int(byte)]
            same = (((here & more) &+ more) ^ more) | here | less | (((~same & here) << 1) & before)
            var (up, down) = (less | ~(same | more), same & more)
            distance += Int((up >> UInt64(count - 1)) & 1) - Int((down >> UInt64(count - 1)) & 1)
            (up, down) = (up << 1 | 1, down << 1)
            (more, less, before) = (down | ~(same | up), up & same, here)
        }
        return distance
    }

    /// Caches the patterns, and the nearest one for each path, since pages repeat the same names.
    final class Patterns: Sendable {
        private let all = Remembered<Bool, [Candidate]>(atMost: 1)
        private let near = Remembered<String, Found?>(atMost: 1000)

        /// - Parameter patterns: called once; the first 10,000 are compared.
        /// - Returns: the nearest pattern; one that is similar only apart from its parameters has the largest distance.
        func nearest(to path: String, among patterns: () -> [String]) -> Found? {
            let path = path.cut(to: 256)
            return near.value(of: path) {
                let all = all.value(of: true) { patterns().sorted().prefix(10_000).map { ($0, bytes($0)) } }
                return find(bytes(path), among: all)
                    ?? all.first { Nearest.isNear(path, to: $0.name) }.map { ($0.name, .max) }
            }
        }
    }

    /// Whether a path is similar to a pattern in the parts that are not parameters.
    private static func isNear(_ path: String, to pattern: String) -> Bool {
        guard pattern.utf8.contains(UInt8(ascii: ":")) else { return false }
        let (parts, given) = (pattern.split(separator: "/"), path.split(separator: "/"))
        guard parts.count == given.count else { return false }
        let said = zip(parts, given).filter { $0.0.first != ":" }
        let wanted = said.map { "/\($0.0)" }.joined()
        return !said.isEmpty && of(said.map { "/\($0.1)" }.joined(), among: [wanted]) != nil
    }
}
