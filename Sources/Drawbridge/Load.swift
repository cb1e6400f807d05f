import HTTPTypes
import Synchronization

/// One handler at work on one request: runs it, and answers for it exactly once.
///
/// The handler runs in a task of its own, started on the spot: one that does not suspend is done before anything
/// waits. When the deadline passes or the caller goes away, the task is cancelled, then the handler is told by
/// `stopLoading`, and the answer is made without it, however long it still runs.
final class Load: Sendable {
    private let handler: any Handler
    private let route: Route
    private let request: Request
    private let state = Mutex(State())

    private struct State {
        var outcome: Result<Response, any Error>?
        var waiter: CheckedContinuation<Void, Never>?
        var task: Task<Void, Never>?
        var timer: Task<Void, Never>?
    }

    init(_ route: Route, _ request: Request) throws {
        self.route = route
        self.request = request
        handler = try route.make(request)
    }

    /// Starts the handler and waits for its answer, the deadline, or the caller's leaving.
    func answer(on executor: (any TaskExecutor)?) async throws -> Response {
        start(on: executor)
        if state.withLock({ $0.outcome == nil }) {
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in
                    let isOver = state.withLock { state in
                        guard state.outcome == nil else { return true }
                        state.waiter = waiter
                        return false
                    }
                    if isOver { waiter.resume() } else { startTimer() }
                }
            } onCancel: {
                stop(with: CancellationError())
            }
        }
        return try state.withLock { $0.outcome }!.get()
    }

    private func start(on executor: (any TaskExecutor)?) {
        let task =
            switch type(of: handler).execution {
            case .loop: Task.immediate(executorPreference: executor) { await self.run() }
            case .thread: Task(executorPreference: HandlerThread()) { await self.run() }
            }
        let isOver = state.withLock { state in
            if state.outcome == nil { state.task = task }
            return state.outcome != nil
        }
        // A load that was stopped before its task was known here.
        if isOver { task.cancel() }
    }

    private func run() async {
        do {
            let response = try await handler.startLoading(request)
            finish(.success(streaming(response)))
        } catch {
            finish(.failure(error))
        }
    }

    /// Decides the outcome, and gives the state as it was until then; nil when it is decided already.
    private func decide(_ outcome: Result<Response, any Error>) -> State? {
        state.withLock { state in
            guard state.outcome == nil else { return nil }
            defer { state = State(outcome: outcome) }
            return state
        }
    }

    /// The handler has answered; after the first outcome it is too late.
    private func finish(_ outcome: Result<Response, any Error>) {
        guard let before = decide(outcome) else {
            Gateway.droppedAnswerCount.add(1, ordering: .relaxed)
            return
        }
        before.timer?.cancel()
        before.waiter?.resume()
    }

    /// Cancels, then tells the handler, then lets the answer go.
    ///
    /// The outcome is decided before all this: what a handler throws because it was cancelled comes too late.
    private func stop(with error: any Error) {
        guard let before = decide(.failure(error)) else { return }
        before.task?.cancel()
        handler.stopLoading()
        before.timer?.cancel()
        before.waiter?.resume()
    }

    private func startTimer() {
        guard let deadline = type(of: handler).deadline else { return }
        let timer = Task {
            guard (try? await Task.sleep(for: deadline)) != nil else { return }
            stop(
                with: HTTPError(
                    .gatewayTimeout,
                    "\(route.name) did not answer within \(deadline); give it a longer deadline, or nil where a person answers"
                ))
        }
        let isOver = state.withLock { state in
            if state.outcome == nil { state.timer = timer }
            return state.outcome != nil
        }
        if isOver { timer.cancel() }
    }

    /// A stream belongs to its handler: it runs where the handler runs, and the handler hears when the reader leaves.
    private func streaming(_ response: Response) -> Response {
        guard case .stream(let length, let write) = response.body else { return response }
        let handler = handler
        var response = response
        response.body = .stream(length: length) { client in
            try await withTaskCancellationHandler {
                switch type(of: handler).execution {
                case .loop: try await write(client)
                case .thread:
                    try await withTaskExecutorPreference(HandlerThread()) { try await write(client) }
                }
            } onCancel: {
                handler.stopLoading()
            }
        }
        return response
    }
}
