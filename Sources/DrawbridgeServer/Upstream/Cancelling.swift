import Synchronization

/// Cancels work that begins elsewhere, also where it is cancelled before it has begun.
final class Cancelling: Sendable {
    private enum State {
        case waiting
        case begun(@Sendable () -> Void)
        case cancelled
    }

    private let state = Mutex(State.waiting)

    /// Called when the work has begun, with what ends it, which is called at once if it was cancelled already.
    func set(_ end: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if case .cancelled = state { return true }
            state = .begun(end)
            return false
        }
        if isCancelled { end() }
    }

    /// Cancels the work, now or as soon as it has begun.
    func cancel() {
        let end: (@Sendable () -> Void)? = state.withLock { state in
            defer { state = .cancelled }
            guard case .begun(let end) = state else { return nil }
            return end
        }
        end?()
    }
}
