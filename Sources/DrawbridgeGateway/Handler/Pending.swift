/// An answer that is not ready yet: the engine waits for it, and cancels it when the caller leaves.
package protocol Pending: AnyObject, Sendable {
    var isOver: Bool { get }

    /// True when the caller left before there was another outcome.
    var isCancelled: Bool { get }

    /// Calls `waiter` once there is an outcome, at once if there is one.
    func wait(_ waiter: @escaping @Sendable () -> Void)

    func cancel()

    /// The answer; to be called once, when it is over.
    func response(to request: Request, in gateway: Gateway) -> Response
}
