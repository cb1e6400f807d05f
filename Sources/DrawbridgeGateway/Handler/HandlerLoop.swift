/// A loop of the engine, as handlers need it.
package protocol HandlerLoop: AnyObject, Sendable {
    /// Runs a step of a task on the loop soon, never at once.
    func enqueue(_ step: @escaping @Sendable () -> Void)

    /// Whether the caller is on the loop's thread.
    var isCurrent: Bool { get }

    /// Where it notes which handler's step it runs.
    var watch: LoopWatch { get }
}
