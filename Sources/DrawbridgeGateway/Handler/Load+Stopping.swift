import DrawbridgeMessages
import DrawbridgePageRuntime
import HTTPTypes
import Logging

// How a handler is told that nobody waits for its answer any more: its caller has left, its deadline has passed, or who
// reads its stream has left.
extension Load {
    /// Called when the caller has left.
    package func cancel() { stop(with: CancellationError()) }

    package func expire() {
        let deadline = route.deadline ?? .zero
        stop(
            with: HTTPError(
                .gatewayTimeout,
                """
                \(route.name) did not answer within \(deadline); give it a longer deadline, or nil where a person answers
                """), atDeadline: true)
    }

    /// Cancels the task, then calls `stopLoading`, then releases the answer.
    ///
    /// The outcome is decided before all this: what a handler throws because it was cancelled comes too late.
    private func stop(with error: any Error, atDeadline isAtDeadline: Bool = false) {
        guard let concerned = decide(nil, error) else { return }
        concerned.task?.cancel()
        tellHandler(atDeadline: isAtDeadline) { [self] in resume(concerned) }
    }

    /// Calls `stopLoading` where the handler runs, and then `next`.
    ///
    /// A handler that blocks there holds up its own loop, which is logged, or a thread of its own: never the thread of
    /// ``Deadlines``. Without a loop, it holds up whoever has cancelled it.
    private func tellHandler(
        atDeadline isAtDeadline: Bool = false, _ next: @escaping @Sendable () -> Void = {}
    ) {
        let tell: @Sendable (any HandlerLoop) -> Void = { [self] loop in
            step(on: loop) { handler.stopLoading() }
            next()
        }
        switch place {
        case .loop(let loop) where loop.isCurrent: tell(loop)
        case .loop(let loop): loop.enqueue { tell(loop) }
        case .anywhere where !isAtDeadline:
            handler.stopLoading()
            next()
        case .anywhere, .thread:
            let watch = StopWatch(of: self)
            OwnThread.perform { [self] in
                handler.stopLoading()
                watch.end()
                next()
            }
        }
    }

    /// Logs a handler that does not return from its `stopLoading()`.
    private final class StopWatch: Expiring {
        private let load: Load

        init(of load: Load) {
            self.load = load
            Deadlines.shared.add(self, after: .seconds(1))
        }

        func end() { Deadlines.shared.remove(self) }

        func expire() {
            load.request.logger.error(
                """
                \(load.route.name) has been in its stopLoading() for more than a second, and the answer waits for that; \
                let it say that the work is to end, and not wait until it has
                """)
        }
    }

    /// Runs a stream where its handler runs, and calls the handler's `stopLoading` when the reader leaves.
    func streaming(
        _ write: @escaping @Sendable (Client) async throws -> Void
    ) -> @Sendable (Client) async throws -> Void {
        { client in
            try await withTaskCancellationHandler {
                if case .anywhere = self.place {
                    try await write(client)
                } else {
                    try await Apart.perform(on: self) { try await write(client) }
                }
            } onCancel: {
                self.tellHandler()
            }
        }
    }
}
