/// A loop of the engine, as handlers need it.
package protocol HandlerLoop: AnyObject, Sendable {
    /// Runs `step` on the loop soon, never at once.
    func schedule(_ step: @escaping @Sendable () -> Void)

    /// Where it leaves word of what it is at.
    var watch: LoopWatch { get }
}
