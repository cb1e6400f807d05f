import Synchronization

/// What ends something that is begun, whichever comes first: its beginning, or the wish to end it.
final class Cancelling: Sendable {
    private enum State {
        case waiting
        case begun(@Sendable () -> Void)
        case cancelled
    }

    private let state = Mutex(State.waiting)

    /// It has begun, and this ends it.
    func set(_ end: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if case .cancelled = state { return true }
            state = .begun(end)
            return false
        }
        if isCancelled { end() }
    }

    /// Nobody wants it any more.
    func cancel() {
        let end: (@Sendable () -> Void)? = state.withLock { state in
            defer { state = .cancelled }
            guard case .begun(let end) = state else { return nil }
            return end
        }
        end?()
    }
}
