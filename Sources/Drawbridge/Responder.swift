/// Answers requests that are not for native, or declines them: files, the page's own server.
public protocol Responder: Sendable {
    /// Answers, or returns nil to leave the request to the next in line.
    func respond(to request: Request) async throws -> Response?
}
