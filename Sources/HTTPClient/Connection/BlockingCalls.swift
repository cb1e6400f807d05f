import Dispatch
import EventLoop

/// Runs calls that would block a loop (DNS lookups, reading certificates) on a few threads.
///
/// Threads exist only while calls are waiting.
enum BlockingCalls {
    static let threadLimit = 16
    /// The maximum number of calls in the queue; further calls fail.
    static let waitingLimit = 1024

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var threads = 0
    }

    private static let state = Guarded(State())

    /// Runs `call` on another thread, and passes its result to `tell` there; a full queue is an error immediately.
    static func run<Value>(
        _ call: @escaping @Sendable () throws(TransferError) -> Value,
        _ tell: @escaping @Sendable (Result<Value, TransferError>) -> Void
    ) {
        let isThreadWanted: Bool? = state.withLock { state in
            guard state.waiting.count < waitingLimit else { return nil }
            state.waiting.append { tell(Result(catching: call)) }
            guard state.threads < threadLimit else { return false }
            state.threads += 1
            return true
        }
        switch isThreadWanted {
        case nil: tell(.failure(TransferError(.unreachable, "too many names are being looked up; try again")))
        // A serial queue has its own thread, so the threads of Swift's tasks are not blocked.
        case true?: DispatchQueue(label: "drawbridge.blocking").async(execute: runAll)
        case false?: break
        }
    }

    @Sendable private static func runAll() {
        while true {
            let call: (@Sendable () -> Void)? = state.withLock { state in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.threads -= 1
                return nil
            }
            guard let call else { return }
            call()
        }
    }
}
