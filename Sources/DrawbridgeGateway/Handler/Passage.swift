import Synchronization

/// A request on its way to an answer for which more than a handler must be awaited.
///
/// That is middleware, earlier messages of its page, a body that must be collected or that names the handler, routes
/// that decline; and what is behind the gateway, where that needs a task.
///
/// It runs in a task of its loop, as a handler does. When the caller leaves, the task is cancelled, and the answer
/// dropped.
final class Passage: Sendable {
    private let gateway: Gateway
    private let plan: Plan
    private let tasks: HandlerTasks
    private let state = Mutex(State())

    private struct State {
        /// Nil until it is there, and after it was taken.
        var response: Response?
        var isOver = false
        var isCancelled = false
        var waiter: (@Sendable () -> Void)?
        var task: Task<Void, Never>?
    }

    init(_ gateway: Gateway, _ plan: Plan, by tasks: HandlerTasks) {
        self.gateway = gateway
        self.plan = plan
        self.tasks = tasks
    }

    /// Runs until something suspends; returns true when there is an answer.
    func start() -> Bool {
        tasks.next().start(self, of: tasks)
        return isOver
    }
}

extension Passage: Errand {
    func isRun(by task: Task<Void, Never>?) { state.withLock { $0.task = task } }

    func run() async -> Bool {
        let response = await gateway.respond(to: plan, by: tasks)
        let (waiter, isCancelled) = state.withLock { state in
            state.isOver = true
            state.response = response
            // From now on the task may run another errand.
            state.task = nil
            return (state.waiter.take(), state.isCancelled)
        }
        waiter?()
        return !isCancelled
    }

    func begin(on loop: any HandlerLoop, _ work: () -> Void) { work() }

    func step(on loop: any HandlerLoop, _ work: () -> Void) { work() }
}

extension Passage: Pending {
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
        let task: Task<Void, Never>? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    func response(to request: Request, in gateway: Gateway) -> Response {
        guard let response = state.withLock({ $0.response.take() }) else {
            preconditionFailure("the answer of a passage is taken once, when it is over")
        }
        return response
    }
}
