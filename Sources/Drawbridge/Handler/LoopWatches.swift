import Dispatch
import Logging
import Synchronization

/// Looks once a second what every loop is at, and names the handler that was at the same step a second before.
///
/// A step that ends is named by its ``Load`` when it has; this is for those that never do.
final class LoopWatches: Sendable {
    /// A watch, the step that was seen last, and whether that was named.
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

    /// Whoever holds its loop, and was not named for that.
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
