// Stops a handler whose caller has left, whose deadline has passed, or whose stream is not read any more.
extension Load {
    package func cancel() { stop(with: CancellationError()) }

    package func expire() {
        let deadline = route.options.deadline ?? .zero
        stop(
            with: HTTPError(
                .gatewayTimeout,
                """
                \(route.name) did not answer within \(deadline); give it a longer deadline, or nil where a person answers
                """), atDeadline: true)
    }

    /// Cancels the task, then calls `stopLoading`, then releases the answer.
    ///
    /// The outcome is set first: an error that the handler throws because it was cancelled does not replace it.
    private func stop(with error: any Error, atDeadline isAtDeadline: Bool = false) {
        guard let concerned = decide(nil, error) else { return }
        concerned.task?.cancel()
        tellHandler(atDeadline: isAtDeadline) { [self] in resume(concerned) }
    }

    /// Calls `stopLoading` where the handler runs, and then `next`.
    ///
    /// A `stopLoading` that blocks holds up the handler's loop, which is logged, or a thread of its own, but never the
    /// thread of ``Deadlines``. Without a loop, it blocks the thread that has cancelled the task.
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
            OwnThread.perform { [self] in
                handler.stopLoading()
                next()
            }
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
