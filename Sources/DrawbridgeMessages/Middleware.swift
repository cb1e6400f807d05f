/// Wraps the answering of every request, both by handlers and by passing it through.
///
/// ```swift
/// struct Timing: Middleware {
///     func handle(_ request: Request, next: Next) async throws -> Response {
///         let start = ContinuousClock.now
///         var response = await next(request)
///         let milliseconds = start.duration(to: .now) / .milliseconds(1)
///         response.headers.append(HTTPField(name: .serverTiming, value: "app;dur=\(milliseconds)"))
///         return response
///     }
/// }
/// ```
///
/// The first in the list is the outermost. Requests that are refused by their head do not get here: malformed ones,
/// those with a foreign `Host`, and, if they come by a socket and have a body, those of foreign pages and prefetches.
public protocol Middleware: Sendable {
    /// Calls the inner middleware, or the handler. It does not throw: an error inside has become a response already.
    typealias Next = @Sendable (Request) async -> Response

    /// Answers the request, usually by way of `next`.
    ///
    /// - Throws: an ``HTTPError`` to refuse the request with that status.
    func handle(_ request: Request, next: Next) async throws -> Response
}
