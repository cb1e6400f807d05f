import Synchronization

/// A request that waits for more than its handler.
///
/// That is middleware, earlier messages of its page, a body that must be collected or that names the handler, routes
/// that decline, or an upstream.
///
/// It runs in a task of its loop, as a handler does, or without a task if a responder supports that. When the caller
/// leaves, it is cancelled, and the answer dropped.
final class PendingRequest: Sendable {
    private let gateway: Gateway
    private let plan: Plan
    private let passing: PassThrough?
    private let tasks: HandlerTasks
    private let state = Mutex(State())

    private struct State {
        /// Nil until the answer is ready, and after it was taken.
        var response: Response?
        var isOver = false
        var isCancelled = false
        var waiter: (@Sendable () -> Void)?
        /// Cancelled when the caller leaves: a task, or work that was begun without one.
        var task: Task<Void, Never>?
        var cancel: (@Sendable () -> Void)?
    }

    init(_ gateway: Gateway, _ plan: Plan, _ passing: PassThrough?, by tasks: HandlerTasks) {
        self.gateway = gateway
        self.plan = plan
        self.passing = passing
        self.tasks = tasks
    }

    /// Starts the request in a reusable task, which runs until it first suspends.
    func start() { tasks.next().start(self, of: tasks) }

    /// Starts a relay, which needs no task.
    ///
    /// - Parameter answer: makes the caller's answer from the relayed response; also gets whether the caller has left.
    func start(_ begin: Relaying, _ answer: @escaping (consuming Response, _ isCancelled: Bool) -> Response) {
        let cancel = begin { [self] in end(answer($0, isCancelled)) }
        state.withLock { state in if !state.isOver { state.cancel = cancel } }
    }

    /// Stores the answer, and returns whether anybody still waits for it.
    @discardableResult private func end(_ response: consuming Response) -> Bool {
        var response: Response? = response
        let (waiter, isCancelled) = state.withLock { state in
            state.isOver = true
            swap(&state.response, &response)
            // The task may be reused for other work from now on, and must not be cancelled.
            state.task = nil
            state.cancel = nil
            return (state.waiter.take(), state.isCancelled)
        }
        waiter?()
        return !isCancelled
    }
}

extension PendingRequest: LoopWork, Pending {
    func isRun(by task: Task<Void, Never>?) { state.withLock { $0.task = task } }

    func run() async -> Bool {
        guard let passing else { return end(await gateway.respond(to: plan, by: tasks)) }
        return end(await gateway.respond(to: plan.request, by: passing))
    }

    func begin(on loop: any HandlerLoop, _ work: () -> Void) { work() }

    func step(on loop: any HandlerLoop, _ work: () -> Void) { work() }

    var isOver: Bool { state.withLock { $0.isOver } }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func wait(_ waiter: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.waiter = waiter }
            return state.isOver
        }
        if isOver { waiter() }
    }

    func cancel() {
        let (task, cancel) = state.withLock { state in
            if !state.isOver { state.isCancelled = true }
            return (state.task, state.cancel)
        }
        task?.cancel()
        cancel?()
    }

    func response(to request: Request, in gateway: Gateway) -> Response {
        if let response = state.withLock({ $0.response.take() }) { return response }
        preconditionFailure("an answer was taken twice, or before it was ready")
    }
}
