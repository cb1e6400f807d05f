import Dispatch
package import Logging
import Synchronization

/// Looks once a second which step every loop runs, and logs the handler whose step is the same as a second before.
///
/// A long step that has ended is logged by its ``Load``; this is for those that never end.
final class LoopWatches: Sendable {
    /// A watch, the step that was seen last, and whether that was logged.
    private struct Seen {
        let watch: LoopWatch
        var step = UInt.max
        var isNamed = false
    }

    static let shared = LoopWatches()

    private let seen = Mutex<[Seen]>([])

    private init() {
        DispatchQueue(label: "drawbridge.watch").async { [self] in
            let never = DispatchSemaphore(value: 0)
            while never.wait(timeout: .now() + 1) == .timedOut {
                for (handler, logger) in look() {
                    logger.error(
                        """
                        \(handler) holds its loop, for more than a second now, and all other requests there wait; \
                        await instead of blocking, or declare: static var execution: Execution { .thread }
                        """)
                }
            }
        }
    }

    func add(_ watch: LoopWatch) { seen.withLock { $0.append(Seen(watch: watch)) } }

    func remove(_ watch: LoopWatch) { seen.withLock { $0.removeAll { $0.watch === watch } } }

    /// The handlers that hold up their loop, and were not logged for that.
    private func look() -> [(handler: Any.Type, logger: Logger)] {
        seen.withLock { seen in
            var holding: [(Any.Type, Logger)] = []
            for index in seen.indices {
                guard let (handler, step) = seen[index].watch.current else { continue }
                if seen[index].step != step {
                    seen[index].step = step
                    seen[index].isNamed = false
                } else if !seen[index].isNamed {
                    seen[index].isNamed = true
                    holding.append((handler, seen[index].watch.logger))
                }
            }
            return holding
        }
    }
}

/// Notes which handler's step a loop runs, for ``LoopWatches``, which looks once a second.
///
/// A step costs the loop three writes to memory of its own: no lock, no exchange, no clock.
package final class LoopWatch: Sendable {
    let logger: Logger
    /// The address of the type of the handler whose step runs, which stays as long as the process; 0 for none.
    private let handler = Atomic<UInt>(0)
    private let step = Atomic<UInt>(0)

    /// Makes a watch that is looked at until its ``end()``: a weak reference to it would slow down all others.
    package init(logger: Logger) {
        self.logger = logger
        LoopWatches.shared.add(self)
    }

    package func end() { LoopWatches.shared.remove(self) }

    /// Runs a step of a handler of this type; on the loop's thread.
    package func during<T>(_ type: Any.Type, _ work: () throws -> T) rethrows -> T {
        step.store(step.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        // A step may run one of another handler within itself, and goes on after that.
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
