public import DrawbridgeMessages

/// A handler that waits for nothing: the answer is there when the function returns.
///
/// It is the cheapest kind, for it needs no task. Everything else is as with any ``Handler``; there is no time for
/// ``Handler/stopLoading()`` or a deadline, though.
///
/// ```swift
/// struct PingHandler: SynchronousHandler {
///     func startLoading(_ request: Request) -> Response { Response(text: "pong") }
/// }
/// ```
public protocol SynchronousHandler: Handler {
    /// Answers the request, at once.
    ///
    /// - Throws: an ``HTTPError`` to answer with its code and message; any other error is a 500 whose reason is in
    ///   the log only.
    func startLoading(_ request: Request) throws -> Response
}
