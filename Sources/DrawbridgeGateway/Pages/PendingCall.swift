import Synchronization

/// A call from native that waits for its page; it ends exactly once.
package final class PendingCall: Expiring {
    private struct State {
        var outcome: Result<JSON, PageError>?
        var waiter: CheckedContinuation<JSON, any Error>?
        var deadline: Duration?
    }

    private let page: Page
    let number: Int
    /// The number of the message that contains the call; 0 until that is in the page's outbox.
    let place = Atomic(0)
    private let what: String
    /// Called with the outcome of a call for whose answer nobody waits; nil for other calls.
    private let ended: (@Sendable (Result<JSON, PageError>) -> Void)?
    private let state = Mutex(State())

    init(page: Page, _ number: Int, what: String, ended: (@Sendable (Result<JSON, PageError>) -> Void)? = nil)
    {
        self.page = page
        self.number = number
        self.what = what
        self.ended = ended
    }

    /// Waits for the answer, the deadline, or the page's end; to be called once.
    package func result(within deadline: Duration?) async throws -> JSON {
        state.withLock { $0.deadline = deadline }
        if let deadline { Deadlines.shared.add(self, after: deadline) }
        defer { Deadlines.shared.remove(self) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.waiter = waiter }
                    return state.outcome
                }
                if let outcome { waiter.resume(with: outcome.mapError { $0 as any Error }) }
            }
        } onCancel: {
            page.giveUp(self, PageError(.closed, "the task that called the page was cancelled"))
        }
    }

    /// Sets the outcome, unless it was set before.
    func end(_ outcome: Result<JSON, PageError>) {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<JSON, any Error>?) in
            guard state.outcome == nil else { return (false, nil) }
            state.outcome = outcome
            return (true, state.waiter.take())
        }
        if isFirst { ended?(outcome) }
        waiter?.resume(with: outcome.mapError { $0 as any Error })
    }

    package func expire() {
        let deadline = state.withLock { $0.deadline ?? .zero }
        guard ended != nil else {
            return page.giveUp(self, PageError(.deadline, "\(what) did not answer within \(deadline)"))
        }
        let error: PageError =
            switch page.presence {
            case .frozen: .frozen
            case .away: .away
            case .here, .leaving, .gone:
                PageError(
                    .deadline, "no confirmation from the page in time: it does not run, or shows a dialog")
            }
        page.giveUp(self, error)
    }
}
