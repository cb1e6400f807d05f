import Dispatch
import Synchronization

/// Checks every second which step each loop runs, and logs the handler of a step that ran at the last check already.
///
/// A long step that has ended is logged by its ``Load``; this finds steps that never end.
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
                        \(handler) has blocked its loop for more than a second, and all other requests there wait; \
                        await instead of blocking, or declare: static let options = HandlerOptions(execution: .thread)
                        """)
                }
            }
        }
    }

    func add(_ watch: LoopWatch) { seen.withLock { $0.append(Seen(watch: watch)) } }

    func remove(_ watch: LoopWatch) { seen.withLock { $0.removeAll { $0.watch === watch } } }

    /// The handlers that block their loop and were not logged yet.
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
/// A step costs the loop three plain writes to memory: no lock, no atomic exchange, no clock.
package final class LoopWatch: Sendable {
    let logger: Logger
    /// The address of the type of the handler whose step runs, which stays as long as the process; 0 for none.
    private let handler = Atomic<UInt>(0)
    private let step = Atomic<UInt>(0)

    /// Makes a watch that is checked until its ``end()``: a weak reference would make every other access slower.
    package init(logger: Logger) {
        self.logger = logger
        LoopWatches.shared.add(self)
    }

    package func end() { LoopWatches.shared.remove(self) }

    /// Runs a step of a handler of this type; on the loop's thread.
    package func during<T>(_ type: Any.Type, _ work: () throws -> T) rethrows -> T {
        step.store(step.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        // A step may run a step of another handler inside it, and continues after that.
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
