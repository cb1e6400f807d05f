import Synchronization

/// Ends something that is begun elsewhere, also where it is to end before it has begun.
final class Cancelling: Sendable {
    private enum State {
        case waiting
        case begun(@Sendable () -> Void)
        case cancelled
    }

    private let state = Mutex(State.waiting)

    /// Says that it has begun, and what ends it; that is called at once where it is to end already.
    func set(_ end: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if case .cancelled = state { return true }
            state = .begun(end)
            return false
        }
        if isCancelled { end() }
    }

    /// Ends it, now or as soon as it has begun.
    func cancel() {
        let end: (@Sendable () -> Void)? = state.withLock { state in
            defer { state = .cancelled }
            guard case .begun(let end) = state else { return nil }
            return end
        }
        end?()
    }
}
