import Dispatch
import Synchronization

/// One handler at work on one request: runs it, and answers for it exactly once.
///
/// The handler has a task to itself, which starts at once: a handler that does not suspend is done before anything
/// waits. When the deadline passes or the caller leaves, the task is cancelled, then `stopLoading` is called, and when
/// that has returned the answer is made without the handler, however long its `handle` still runs.
package final class Load: Expiring, LoopWork {
    let route: Route
    let request: Request
    let handler: any Handler
    let place: Place
    private let state = Mutex(State())

    /// Where the handler's task runs.
    enum Place {
        case anywhere
        case loop(any HandlerLoop)
        /// A serial queue for this handler: it gets a thread at once; a concurrent queue delays work when others block.
        ///
        /// Dispatch allows about 250 such threads; further handlers wait.
        case thread(DispatchQueue)
    }

    private struct State {
        var isOver = false
        var isCancelled = false
        /// The handler's response, until it is taken; nil if there is an error.
        var response: Response?
        var error: (any Error)?
        var began = Moment.now
        var took = Duration.zero
        var waiter: (@Sendable () -> Void)?
        var task: Task<Void, Never>?
        /// The number of the request in ``PageRequests``, if a page sent it.
        var number: Int?
    }

    /// - Parameter loop: runs a handler that does not block; nil: such a handler runs where the caller's task does.
    init(_ route: Route, _ request: Request, on loop: (any HandlerLoop)?) throws {
        self.route = route
        self.request = request
        handler = try route.make(request)
        place =
            switch route.options.execution {
            case .loop: loop.map(Place.loop) ?? .anywhere
            case .thread: .thread(DispatchQueue(label: "drawbridge.handler"))
            }
    }

    package var isOver: Bool { state.withLock { $0.isOver } }

    /// The handler's response; to be called once, when the load is over.
    ///
    /// The stream that is returned retains the load. The load stores the response without it, to avoid a retain cycle.
    ///
    /// - Throws: what the handler threw, or why it was stopped.
    func takeResponse() throws -> Response {
        guard var response = state.withLock({ $0.response.take() }) else {
            throw state.withLock { $0.error } ?? CancellationError()
        }
        if case .stream(let length, let write) = response.body.content {
            response.body = .stream(length: length, streaming(write))
        }
        return response
    }

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    var took: Duration { state.withLock { $0.took } }

    /// Waits for the handler's answer, the deadline, or the caller's leaving.
    func end() async {
        guard !isOver else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in wait { waiter.resume() } }
        } onCancel: {
            cancel()
        }
    }

    /// Calls `waiter` once there is an outcome, at once if there is one; the deadline runs from now on.
    package func wait(_ waiter: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            guard !state.isOver else { return true }
            state.waiter = waiter
            return false
        }
        if isOver { return waiter() }
        if let deadline = route.options.deadline {
            Deadlines.shared.add(self, after: deadline)
            // The load may have ended before its deadline was added.
            if self.isOver { Deadlines.shared.remove(self) }
        }
        guard let requests = request.pageRequests, let number = requests.began(request) else { return }
        let hasEnded = state.withLock { state in
            state.number = number
            return state.isOver
        }
        if hasEnded { requests.ended(request, number) }
    }

    /// Returns true when the load is over, as it is with a handler that does not suspend.
    ///
    /// - Parameter tasks: reusable tasks of the loop; nil: a new task, which inherits the caller's task-local values.
    @discardableResult func start(by tasks: HandlerTasks? = nil) -> Bool {
        let waiting = CallingPage.waiting(for: request)
        if let tasks, tasks.loop.isCurrent, case .loop = place, waiting == nil {
            tasks.next().start(self, of: tasks)
        } else {
            let task = waiting.map { CallingPage.$waiting.withValue($0, operation: ownTask) } ?? ownTask()
            state.withLock { state in if !state.isOver { state.task = task } }
        }
        let (isOver, held) = state.withLock { ($0.isOver, $0.isOver ? $0.took : $0.began.elapsed) }
        if case .loop = place { route.tellIfLong(held, request) }
        return isOver
    }

    /// A task for this load alone, which inherits the task-local values of the caller's.
    private func ownTask() -> Task<Void, Never> {
        switch place {
        case .anywhere: Task.immediate { await self.run() }
        case .loop(let loop):
            loop.watch.during(route.handler) { Task.immediate(executorPreference: self) { await self.run() } }
        case .thread: Task(executorPreference: self) { await self.run() }
        }
    }

    /// Runs the handler; returns false when there was another outcome before.
    @discardableResult func run() async -> Bool {
        do {
            return finish(try await handler.handle(request), nil)
        } catch {
            return finish(nil, error)
        }
    }

    func isRun(by task: Task<Void, Never>?) { state.withLock { $0.task = task } }

    typealias Concerned = (waiter: (@Sendable () -> Void)?, task: Task<Void, Never>?)

    /// Sets the outcome, and returns the waiter to call and the task to cancel; nil if the outcome was set before.
    func decide(_ response: consuming Response?, _ error: (any Error)?) -> Concerned? {
        var response = response
        return state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.isCancelled = error is CancellationError
            swap(&state.response, &response)
            state.error = error
            state.took = state.began.elapsed
            return (state.waiter.take(), state.task.take())
        }
    }

    /// Takes the handler's answer or error; returns whether this is the first outcome.
    private func finish(_ response: consuming Response?, _ error: (any Error)?) -> Bool {
        guard let concerned = decide(response, error) else {
            // A cancelled handler that throws a `CancellationError` has lost no answer.
            if !(error is CancellationError) { Gateway.droppedAnswers.add(1, ordering: .relaxed) }
            return false
        }
        resume(concerned)
        return true
    }

    /// Calls the waiter and removes the deadline; a load that was over at once has neither.
    func resume(_ concerned: Concerned) {
        guard let waiter = concerned.waiter else { return }
        Deadlines.shared.remove(self)
        request.pageRequests?.ended(request, state.withLock { $0.number })
        waiter()
    }
}

/// The load is the executor of its handler's task, so that every step of the handler runs at ``place``.
extension Load: TaskExecutor {
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        switch place {
        case .anywhere: DispatchQueue.global().async { self.run(job) }
        case .loop(let loop): loop.enqueue { self.step(on: loop) { self.run(job) } }
        case .thread(let queue): queue.async { self.run(job) }
        }
    }

    private func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }

    func begin(on loop: any HandlerLoop, _ work: () -> Void) { loop.watch.during(route.handler, work) }

    /// Runs one step of the handler, and logs it if it has blocked the loop for too long.
    func step(on loop: any HandlerLoop, _ work: () -> Void) {
        let start = Moment.now
        loop.watch.during(route.handler, work)
        route.tellIfLong(start.elapsed, request)
    }
}
