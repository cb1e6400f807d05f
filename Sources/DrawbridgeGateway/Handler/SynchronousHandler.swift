/// A handler that waits for nothing: the answer is there when the function returns.
///
/// It is the cheapest kind, since it needs no task. It is like any ``Handler``, except that on a loop neither
/// ``Handler/stopLoading()`` nor a deadline can interrupt it.
///
/// ```swift
/// struct PingHandler: SynchronousHandler {
///     func handle(_ request: Request) -> Response { Response(text: "pong") }
/// }
/// ```
public protocol SynchronousHandler: Handler {
    /// Answers the request, at once.
    ///
    /// - Throws: an ``HTTPError`` to answer with its code and message; any other error is a 500 whose reason is in
    ///   the log only.
    func handle(_ request: Request) throws -> Response
}
