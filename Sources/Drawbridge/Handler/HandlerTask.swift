/// A task that runs one handler after the other on a loop: to make a task costs more than many a handler does.
///
/// It is cancelled with its handler, and serves no other then. Nothing else that a handler can leave in a task outlives
/// the handler's return: task-local values, child tasks and cancellation handlers all have a scope.
///
/// What changes is touched on the loop's thread alone, where the task makes all its steps: that makes it Sendable.
final class HandlerTask: @unchecked Sendable {
    private let loop: any HandlerLoop
    @exclusivity(unchecked) private var task: Task<Void, Never>?
    /// The load at work, and where the task goes when that is over.
    @exclusivity(unchecked) private var load: Load?
    @exclusivity(unchecked) private var tasks: HandlerTasks?
    /// Told that there is a load, or that there will be no other.
    @exclusivity(unchecked) private var waiter: UnsafeContinuation<Load?, Never>?
    /// True while a load is started: its next step is then left for whoever does that.
    @exclusivity(unchecked) private var isStarting = false
    @exclusivity(unchecked) private var nextStep: UnownedJob?
    /// So many steps are made at the start, a hop to an actor being two; others get their turn then.
    private static let firstSteps = 16

    /// A task that waits for its first load.
    init(on loop: any HandlerLoop) {
        self.loop = loop
        task = Task.immediateDetached(executorPreference: self) { await self.serve() }
    }

    /// Makes the first steps of a load.
    func start(_ load: Load, of tasks: HandlerTasks) {
        assert(loop.isCurrent, "a handler's task was given a load on another thread than its loop's")
        self.load = load
        self.tasks = tasks
        load.isRun(by: task)
        isStarting = true
        waiter.take()?.resume(returning: load)
        var left = Self.firstSteps
        while let step = nextStep.take() {
            left -= 1
            isStarting = left > 0
            loop.watch.during(load.route) { run(step) }
        }
        isStarting = false
    }

    /// Nothing comes any more.
    func end() { waiter.take()?.resume(returning: nil) }

    private func serve() async {
        while let load = await withUnsafeContinuation({ waiter = $0 }) {
            let isFirst = await load.run()
            let tasks = tasks.take()
            self.load = nil
            // Where something else was decided before, this task is cancelled, or will be.
            guard isFirst, !Task.isCancelled, tasks?.keep(self) == true else { return }
        }
    }

    private func run(_ step: UnownedJob) { step.runSynchronously(on: asUnownedTaskExecutor()) }
}

/// Every step is made on the loop.
extension HandlerTask: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let step = UnownedJob(job)
        guard loop.isCurrent, isStarting, nextStep == nil else {
            return loop.schedule {
                guard let load = self.load else { return self.run(step) }
                load.step(on: self.loop) { self.run(step) }
            }
        }
        nextStep = step
    }
}
