import HTTPTypes
import Logging

// Requests that are meant for native and reach no handler.
extension Gateway {
    /// Follows the policy; the nearest registered path stands in the log and in a header.
    func withoutHandler(_ plain: Request, original: Request) async throws -> Response {
        if unhandled == .passThrough {
            return try await answerFromBehind(original)
                ?? Self.refusal(HTTPError.nothingBehind(original.path))
        }
        let hint = hint(for: plain.path)
        plain.logger.warning("\(hint)")
        if unhandled == .fail {
            return refusal(HTTPError(.notFound, hint, headers: [.hint: hint]), of: plain)
        }
        var response = reply(HTTPError(.badRequest, "No response"))
        response.headers[.hint] = hint
        response.answeredBy = "no handler"
        return response
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
