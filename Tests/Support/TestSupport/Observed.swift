import Synchronization

/// A value that others change, and that a test waits for.
package final class Observed<Value: Sendable>: Sendable {
    private struct Waiter {
        let number: Int
        let isDone: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var value: Value
        var lastNumber = 0
        var waiters: [Waiter] = []
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    /// What it is now.
    package var value: Value { state.withLock { $0.value } }

    /// Changes it, and lets go on who waited for that.
    package func change(_ body: @Sendable (inout Value) -> Void) {
        let ready = state.withLock { state in
            body(&state.value)
            let value = state.value
            defer { state.waiters.removeAll { $0.isDone(value) } }
            return state.waiters.filter { $0.isDone(value) }
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Waits until a condition holds.
    ///
    /// - Throws: a `CancellationError` when the test's time is over.
    @discardableResult
    package func wait(until isDone: @escaping @Sendable (Value) -> Bool) async throws -> Value {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if isDone(state.value) { return .success(()) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters.append(
                        Waiter(number: number, isDone: isDone, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
        return value
    }
}
