/// Stands around every answer, those of handlers and those that are passed through alike.
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
/// The first in the list is the outermost. Requests that are refused on their head alone never get here: a broken one,
/// one to a foreign host, and one of a foreign page, or a prefetch, that comes by a socket and has a body.
public protocol Middleware: Sendable {
    /// Goes on to what lies inside. It does not throw: an error inside has become an answer already.
    typealias Next = @Sendable (Request) async -> Response

    /// Answers the request, usually by way of `next`.
    ///
    /// - Throws: an ``HTTPError`` to refuse the request with that status.
    func handle(_ request: Request, next: Next) async throws -> Response
}
