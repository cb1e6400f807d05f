import Synchronization

/// The tasks of a loop's handlers that have nothing to do.
///
/// Tasks come and go on their loop's thread alone, so that nobody waits for the lock.
package final class HandlerTasks: Sendable {
    /// So many requests at a time find a task; those beyond make one, and let it go.
    private static let limit = 64

    package let loop: any HandlerLoop
    private let idle = Mutex<[HandlerTask]>([])

    package init(on loop: any HandlerLoop) { self.loop = loop }

    deinit {
        for task in idle.withLock({ $0 }) { task.end() }
    }

    /// One with nothing to do.
    func next() -> HandlerTask {
        assert(loop.isCurrent, "the tasks of a loop's handlers were asked for on another thread")
        return idle.withLock { $0.popLast() } ?? HandlerTask(on: loop)
    }

    /// Takes one back; returns false when there are enough.
    func keep(_ task: HandlerTask) -> Bool {
        guard loop.isCurrent else { return false }
        return idle.withLock { idle in
            guard idle.count < Self.limit else { return false }
            idle.append(task)
            return true
        }
    }
}
