import Dispatch
import HTTPTypes
import Logging
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
    private let place: Place
    private let state = Mutex(State())

    /// Where the handler's task makes its steps.
    private enum Place {
        case anywhere
        case loop(any HandlerLoop)
        /// A serial queue gets a thread at once, where a concurrent one holds new work back while others block.
        ///
        /// That goes for some 250 at a time, which is Dispatch's limit; more of them wait.
        case thread(DispatchQueue)
    }

    private struct State {
        var outcome: Result<Response, any Error>?
        var waiter: CheckedContinuation<Void, Never>?
        var task: Task<Void, Never>?
    }

    /// - Parameter loop: where a handler runs that does not block; nil: wherever the caller's task does.
    init(_ route: Route, _ request: Request, on loop: (any HandlerLoop)?) throws {
        self.route = route
        self.request = request
        handler = try route.make(request)
        place =
            switch type(of: handler).execution {
            case .loop: loop.map(Place.loop) ?? .anywhere
            case .thread: .thread(DispatchQueue(label: "drawbridge.handler"))
            }
    }

    /// Starts the handler and waits for its answer, the deadline, or the caller's leaving.
    func answer() async throws -> Response {
        start()
        if state.withLock({ $0.outcome == nil }) {
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in
                    let isOver = state.withLock { state in
                        guard state.outcome == nil else { return true }
                        state.waiter = waiter
                        return false
                    }
                    if isOver { waiter.resume() } else { awaitDeadline() }
                }
            } onCancel: {
                stop(with: CancellationError())
            }
        }
        return try state.withLock { $0.outcome }!.get()
    }

    private func start() {
        let task =
            switch place {
            case .anywhere: Task.immediate { await self.run() }
            case .loop: watched { Task.immediate(executorPreference: self) { await self.run() } }
            case .thread: Task(executorPreference: self) { await self.run() }
            }
        state.withLock { if $0.outcome == nil { $0.task = task } }
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
            if !outcome.isCancellation { Gateway.droppedAnswerCount.add(1, ordering: .relaxed) }
            return
        }
        resume(before)
    }

    /// Cancels, then tells the handler, then lets the answer go.
    ///
    /// The outcome is decided before all this: what a handler throws because it was cancelled comes too late.
    private func stop(with error: any Error) {
        guard let before = decide(.failure(error)) else { return }
        before.task?.cancel()
        handler.stopLoading()
        resume(before)
    }

    /// Lets the answer go to whoever waits for it; a load that nobody had to wait for has no deadline.
    private func resume(_ before: State) {
        guard let waiter = before.waiter else { return }
        Deadlines.shared.remove(self)
        waiter.resume()
    }

    private func awaitDeadline() {
        guard let deadline = type(of: handler).deadline else { return }
        Deadlines.shared.add(self, after: deadline)
        // It may have ended meanwhile, and found nothing to remove.
        if state.withLock({ $0.outcome != nil }) { Deadlines.shared.remove(self) }
    }

    /// The deadline has passed.
    func expire() {
        let deadline = type(of: handler).deadline ?? .zero
        stop(
            with: HTTPError(
                .gatewayTimeout,
                """
                \(route.name) did not answer within \(deadline); give it a longer deadline, or nil where a person answers
                """))
    }

    /// A stream belongs to its handler: it runs where the handler runs, and the handler hears when the reader leaves.
    private func streaming(_ response: Response) -> Response {
        guard case .stream(let length, let write) = response.body else { return response }
        var response = response
        response.body = .stream(length: length) { client in
            try await withTaskCancellationHandler {
                if case .anywhere = self.place {
                    try await write(client)
                } else {
                    try await withTaskExecutorPreference(self) { try await write(client) }
                }
            } onCancel: {
                self.handler.stopLoading()
            }
        }
        return response
    }
}

/// The load is the executor of its handler's task: every step that the handler makes is made where it belongs.
extension Load: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let step: @Sendable () -> Void = { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        switch place {
        case .anywhere: DispatchQueue.global().async(execute: step)
        case .loop(let loop): loop.schedule { self.watched(step) }
        case .thread(let queue): queue.async(execute: step)
        }
    }

    /// Names the handler in the log when one step of it took so long that the others on its loop had to wait.
    private func watched<T>(_ step: () -> T) -> T {
        let start = ContinuousClock.now
        defer {
            let held = start.duration(to: .now)
            if held > Self.longStep {
                request.logger.warning(
                    """
                    \(route.name) held its loop for \(Int(held / .milliseconds(1))) ms while all other requests there \
                    waited; await instead of blocking, or declare: static var execution: Execution { .thread }
                    """)
            }
        }
        return step()
    }

    private static let longStep = Duration.milliseconds(50)
}

extension Result {
    /// True for a handler that did as it was told.
    fileprivate var isCancellation: Bool {
        if case .failure(let error) = self { error is CancellationError } else { false }
    }
}
