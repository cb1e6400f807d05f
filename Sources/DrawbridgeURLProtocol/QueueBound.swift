import Dispatch

/// A state that is touched on a queue of its own only, by one call after the other: that makes it Sendable.
///
/// Foundation's objects may block and are not Sendable, so a task can neither use them nor hand them on.
final class QueueBound<State>: @unchecked Sendable {
    private let queue: DispatchQueue
    private var state: State

    init(_ state: State, label: String) {
        queue = DispatchQueue(label: label)
        self.state = state
    }

    func async(_ call: @escaping @Sendable (inout State) -> Void) {
        queue.async { call(&self.state) }
    }
}
