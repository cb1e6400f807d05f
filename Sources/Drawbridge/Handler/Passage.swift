import Synchronization

/// A request on its way through what is awaited before its answer, or in place of a handler.
///
/// That is middleware, its turn behind what its page said, a body that has to be collected, the name that stands in
/// one, routes that decline; and what lies behind the gateway, where that has no way without a task.
///
/// It has a task of its loop's, as a handler has. When the caller leaves, that is cancelled; what is answered then is
/// for nobody.
final class Passage: Sendable {
    private let gateway: Gateway
    private let plan: Plan
    private let tasks: HandlerTasks
    private let state = Mutex(State())

    private struct State {
        /// Nil until it is there, and when it was taken.
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

    /// Goes as far as nothing suspends; returns true when there is an answer.
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
            // From now on the task is another one's.
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
