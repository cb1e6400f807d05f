/// The tasks of a loop's handlers that have nothing to do.
///
/// Only its loop's thread touches it, but for the end, when nobody else can: that makes it Sendable.
package final class HandlerTasks: @unchecked Sendable {
    /// So many requests at a time find a task; those beyond make one, and let it go.
    private static let limit = 64

    package let loop: any HandlerLoop
    @exclusivity(unchecked) private var idle: [HandlerTask] = []

    package init(on loop: any HandlerLoop) { self.loop = loop }

    deinit {
        for task in idle { task.end() }
    }

    /// One with nothing to do.
    func next() -> HandlerTask {
        assert(loop.isCurrent, "the tasks of a loop's handlers were asked for on another thread")
        return idle.popLast() ?? HandlerTask(on: loop)
    }

    /// Takes one back; returns false when there are enough.
    func keep(_ task: HandlerTask) -> Bool {
        guard loop.isCurrent, idle.count < Self.limit else { return false }
        idle.append(task)
        return true
    }
}
