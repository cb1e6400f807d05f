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

/// What a task of a loop's does: a handler's load, or the way around it.
protocol Errand: AnyObject, Sendable {
    /// What to cancel when it has to stop.
    func isRun(by task: Task<Void, Never>?)

    /// Does it; returns false where the task that did it is cancelled, or will be.
    func run() async -> Bool

    /// Makes one of its first steps; how long they took together, ``Load/start(by:)`` tells.
    func begin(on loop: any HandlerLoop, _ work: () -> Void)

    /// Makes one of its other steps.
    func step(on loop: any HandlerLoop, _ work: () -> Void)
}

/// A task that does one errand after the other on a loop: to make a task costs more than many a handler does.
///
/// It is cancelled with its errand, and does no other then. Nothing else that a handler can leave in a task outlives
/// the handler's return: task-local values, child tasks and cancellation handlers all have a scope.
///
/// What changes is touched on the loop's thread alone, where the task makes all its steps: that makes it Sendable.
final class HandlerTask: @unchecked Sendable {
    private let loop: any HandlerLoop
    private var own = State()

    private struct State {
        var task: Task<Void, Never>?
        /// What it is at, and where the task goes when that is over.
        var errand: (any Errand)?
        var tasks: HandlerTasks?
        /// Told that there is an errand, or that there will be no other.
        var waiter: UnsafeContinuation<(any Errand)?, Never>?
        /// True while an errand is started: its next step is then left for whoever does that.
        var isStarting = false
        var nextStep: UnownedJob?
    }

    /// So many steps are made at the start, a hop to an actor being two; others get their turn then.
    private static let firstSteps = 16

    /// A task that waits for its first errand.
    init(on loop: any HandlerLoop) {
        self.loop = loop
        own.task = Task.immediateDetached(executorPreference: self) { await self.serve() }
    }

    /// Makes the first steps of an errand.
    func start(_ errand: any Errand, of tasks: HandlerTasks) {
        assert(loop.isCurrent, "a loop's task was given an errand on another thread")
        own.errand = errand
        own.tasks = tasks
        errand.isRun(by: own.task)
        own.isStarting = true
        own.waiter.take()?.resume(returning: errand)
        var left = Self.firstSteps
        while let step = own.nextStep.take() {
            left -= 1
            own.isStarting = left > 0
            errand.begin(on: loop) { run(step) }
        }
        own.isStarting = false
    }

    /// Nothing comes any more.
    func end() { own.waiter.take()?.resume(returning: nil) }

    private func serve() async {
        while let errand = await withUnsafeContinuation({ own.waiter = $0 }) {
            let isDone = await errand.run()
            let tasks = own.tasks.take()
            own.errand = nil
            guard isDone, !Task.isCancelled, tasks?.keep(self) == true else { return }
        }
    }

    private func run(_ step: UnownedJob) { step.runSynchronously(on: asUnownedTaskExecutor()) }
}

/// Every step is made on the loop.
extension HandlerTask: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let step = UnownedJob(job)
        guard loop.isCurrent, own.isStarting, own.nextStep == nil else {
            return loop.enqueue {
                guard let errand = self.own.errand else { return self.run(step) }
                errand.step(on: self.loop) { self.run(step) }
            }
        }
        own.nextStep = step
    }
}
