import HTTPTypes
import Logging

// Requests that are meant for native and reach no handler.
extension Gateway {
    /// Follows the policy; the nearest registered path stands in the log and in a header.
    func withoutHandler(_ plain: Request, original: Request) async throws -> Response {
        let hint = hint(for: plain.path)
        switch unhandled {
        case .passThrough:
            guard let response = try await behind.respond(to: original) else {
                return Self.refusal(HTTPError.nothingBehind(original.path))
            }
            return response
        case .answer:
            plain.logger.warning("\(hint)")
            var response = reply(HTTPError(.badRequest, "No response"))
            response.headers[.hint] = hint
            response.answeredBy = "no handler"
            return response
        case .fail:
            plain.logger.warning("\(hint)")
            return refusal(HTTPError(.notFound, hint, headers: [.hint: hint]), of: plain)
        }
    }

    func methodNotAllowed(_ plain: Request, _ route: Route) -> HTTPError {
        HTTPError(
            .methodNotAllowed,
            "\(plain.path) has no handler that takes \(plain.method); registered there: \(route.allow)",
            headers: [.allow: route.allow])
    }

    private func hint(for path: String) -> String {
        // Only ASCII may stand in a header; the path is shown as it would be sent.
        let path = Percent.decode(path[...].utf8) ?? path
        var shown = Percent.encode(path, keeping: "/:*")
        if shown.utf8.count > 256 { shown = "\(shown.prefix(256))..." }
        guard let nearest = Nearest.of(path, among: patterns) else { return "no handler at \(shown)" }
        return
            "no handler at \(shown); the nearest registered path is \(Percent.encode(nearest, keeping: "/:*"))"
    }
}

/// Finds the registered path that somebody probably meant.
enum Nearest {
    /// The candidate with the fewest changed characters, if those are no more than a third of it.
    static func of(_ path: String, among candidates: [String]) -> String? {
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
