import Synchronization

/// The idle tasks of a loop's handlers, kept for reuse.
///
/// Tasks are taken and returned on the loop's thread only, so that nobody waits for the lock.
package final class HandlerTasks: Sendable {
    /// The most idle tasks that are kept; beyond that, a request makes a task and drops it afterwards.
    private static let limit = 64

    package let loop: any HandlerLoop
    private let idle = Mutex<[HandlerTask]>([])

    package init(on loop: any HandlerLoop) { self.loop = loop }

    deinit {
        for task in idle.withLock({ $0 }) { task.end() }
    }

    func next() -> HandlerTask {
        assert(loop.isCurrent, "an idle task was taken on another thread than that of its loop")
        return idle.withLock { $0.popLast() } ?? HandlerTask(on: loop)
    }

    /// Takes back an idle task; returns false if enough are kept already.
    func keep(_ task: HandlerTask) -> Bool {
        guard loop.isCurrent else { return false }
        return idle.withLock { idle in
            guard idle.count < Self.limit else { return false }
            idle.append(task)
            return true
        }
    }
}

/// The work of a loop's task: a handler's ``Load``, or a ``PendingRequest``.
protocol LoopWork: AnyObject, Sendable {
    /// Stores the task that runs this work, to cancel it when the work has to stop.
    func isRun(by task: Task<Void, Never>?)

    /// Does the work; returns false if its task was cancelled or will be, so that it cannot be reused.
    func run() async -> Bool

    /// Runs one of its first steps; ``Load/start(by:)`` reports how long they took together.
    func begin(on loop: any HandlerLoop, _ work: () -> Void)

    func step(on loop: any HandlerLoop, _ work: () -> Void)
}

/// A task that does one piece of work after the other on a loop: making a task costs more than many handlers do.
///
/// It is cancelled with its work, and not used again then. Nothing else that a handler can leave in a task outlives
/// the handler's return: task-local values, child tasks and cancellation handlers all have a scope.
///
/// Its state is touched only on the loop's thread, where the task runs all its steps: that makes it Sendable.
final class HandlerTask: @unchecked Sendable {
    private let loop: any HandlerLoop
    private var own = State()

    private struct State {
        var task: Task<Void, Never>?
        /// The current work, and the pool to which the task returns after it.
        var work: (any LoopWork)?
        var tasks: HandlerTasks?
        /// Resumed with the next piece of work, or with nil when there will be no other.
        var waiter: UnsafeContinuation<(any LoopWork)?, Never>?
        /// True while `start(_:of:)` runs, which then runs the task's next step itself.
        var isStarting = false
        var nextStep: UnownedJob?
    }

    /// The most steps that run at once when work starts (a hop to an actor is two); then the loop does other work.
    private static let firstSteps = 16

    /// A task that waits for its first piece of work.
    init(on loop: any HandlerLoop) {
        self.loop = loop
        own.task = Task.immediateDetached(executorPreference: self) { await self.serve() }
    }

    /// Gives this task its next work, and runs the first steps of that.
    func start(_ work: any LoopWork, of tasks: HandlerTasks) {
        assert(loop.isCurrent, "a loop's task was given work on another thread")
        own.work = work
        own.tasks = tasks
        work.isRun(by: own.task)
        own.isStarting = true
        own.waiter.take()?.resume(returning: work)
        var left = Self.firstSteps
        while let step = own.nextStep.take() {
            left -= 1
            own.isStarting = left > 0
            work.begin(on: loop) { run(step) }
        }
        own.isStarting = false
    }

    func end() { own.waiter.take()?.resume(returning: nil) }

    private func serve() async {
        while let work = await withUnsafeContinuation({ own.waiter = $0 }) {
            let isDone = await work.run()
            let tasks = own.tasks.take()
            own.work = nil
            guard isDone, !Task.isCancelled, tasks?.keep(self) == true else { return }
        }
    }

    private func run(_ step: UnownedJob) { step.runSynchronously(on: asUnownedTaskExecutor()) }
}

/// Runs every step of the task on the loop.
extension HandlerTask: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let step = UnownedJob(job)
        guard loop.isCurrent, own.isStarting, own.nextStep == nil else {
            return loop.enqueue {
                guard let work = self.own.work else { return self.run(step) }
                work.step(on: self.loop) { self.run(step) }
            }
        }
        own.nextStep = step
    }
}

/// The part of an engine's loop that handlers use.
package protocol HandlerLoop: AnyObject, Sendable {
    /// Runs a step of a task on the loop soon, never at once.
    func enqueue(_ step: @escaping @Sendable () -> Void)

    var isCurrent: Bool { get }

    /// Records which handler's step the loop runs now.
    var watch: LoopWatch { get }
}
