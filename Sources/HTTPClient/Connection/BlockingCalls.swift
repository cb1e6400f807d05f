import Dispatch
import EventLoop

/// Runs calls that would block a loop (looking up a name, reading certificates) on a few threads of the process.
///
/// A thread is there only while something waits: a process that looks up nothing has none.
enum BlockingCalls {
    static let threadLimit = 16
    /// How many more may wait for one of them to end.
    static let waitingLimit = 1024

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var threads = 0
    }

    private static let state = Guarded(State())

    /// Runs a call soon on another thread, and tells its result there; where too many wait already, an error at once.
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
        // A serial queue has a thread of its own, and takes none of those on which Swift's tasks run.
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
