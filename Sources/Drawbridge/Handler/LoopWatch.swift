package import Logging
import Synchronization

/// What a loop is at, for a thread of the process that looks once a second.
///
/// A step costs the loop three writes to memory of its own: no lock, no exchange, no clock.
package final class LoopWatch: Sendable {
    let logger: Logger
    /// The address of the type of the handler whose step runs, which stays as long as the process; 0 for none.
    private let handler = Atomic<UInt>(0)
    private let step = Atomic<UInt>(0)

    /// Begins to be looked at, until its ``end()``: a weak reference to it would make all the others slow.
    package init(logger: Logger) {
        self.logger = logger
        LoopWatches.shared.add(self)
    }

    /// Is not looked at any more.
    package func end() { LoopWatches.shared.remove(self) }

    /// Makes a step of a handler of this type; on the loop's thread.
    func during<T>(_ type: Any.Type, _ work: () throws -> T) rethrows -> T {
        step.store(step.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        // One may end another's work within its own step, and goes on behind that.
        let outer = handler.load(ordering: .relaxed)
        handler.store(UInt(bitPattern: ObjectIdentifier(type)), ordering: .releasing)
        defer { handler.store(outer, ordering: .relaxed) }
        return try work()
    }

    /// The handler whose step runs, and the number of that step; from any thread.
    var current: (handler: Any.Type, step: UInt)? {
        guard let address = UnsafeRawPointer(bitPattern: handler.load(ordering: .acquiring)) else {
            return nil
        }
        return (unsafeBitCast(address, to: Any.Type.self), step.load(ordering: .relaxed))
    }
}
