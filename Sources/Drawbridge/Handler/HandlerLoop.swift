/// A loop of the engine, as handlers need it.
package protocol HandlerLoop: AnyObject, Sendable {
    /// Runs `step` on the loop soon, never at once.
    func schedule(_ step: @escaping @Sendable () -> Void)

    /// Whether the caller is on the loop's thread.
    var isCurrent: Bool { get }

    /// Where it leaves word of what it is at.
    var watch: LoopWatch { get }
}
