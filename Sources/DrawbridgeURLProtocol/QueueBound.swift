import Dispatch

/// A state that is touched on a queue of its own only, by one call after the other: that makes it Sendable.
///
/// What Foundation gives waits where it likes and is not Sendable, and so can neither stay with a task nor leave it.
final class QueueBound<State>: @unchecked Sendable {
    private let queue: DispatchQueue
    private var state: State

    init(_ state: State, label: String) {
        queue = DispatchQueue(label: label)
        self.state = state
    }

    /// Makes a call with the state, in its turn.
    func async(_ call: @escaping @Sendable (inout State) -> Void) {
        queue.async { call(&self.state) }
    }
}
