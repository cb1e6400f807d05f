import EventLoop
import Glibc

/// Runs calls that would block a loop (looking up a name, reading certificates) on a few threads of the process.
///
/// A thread is there only while something waits: a process that looks up nothing has none.
final class BlockingCalls: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var threads = 0
    }

    /// The instance of the process, so that all loops together have no more than these threads.
    static let shared = BlockingCalls(threadLimit: 4, waitingLimit: 1024)

    private let threadLimit: Int
    private let waitingLimit: Int
    private let state = Guarded(State())

    /// An instance with threads of its own.
    ///
    /// - Parameters:
    ///   - threadLimit: how many calls run at a time.
    ///   - waitingLimit: how many more may wait for one of them to end.
    init(threadLimit: Int, waitingLimit: Int) {
        self.threadLimit = threadLimit
        self.waitingLimit = waitingLimit
    }

    /// Runs a call soon, on a thread of its own.
    ///
    /// - Returns: false where too many wait already, or the system has no thread: then it is never run.
    func run(_ call: @escaping @Sendable () -> Void) -> Bool {
        let isThreadWanted: Bool? = state.withLock { state in
            guard state.waiting.count < waitingLimit else { return nil }
            state.waiting.append(call)
            guard state.threads < threadLimit else { return false }
            state.threads += 1
            return true
        }
        guard let isThreadWanted else { return false }
        guard isThreadWanted, !startThread() else { return true }
        return state.withLock { state in
            state.threads -= 1
            // No thread could be started. Another one that is at work runs the call later; where there is none, the
            // call is given up.
            guard state.threads == 0 else { return true }
            state.waiting.removeAll()
            return false
        }
    }

    private func startThread() -> Bool {
        var id = pthread_t()
        let box = Unmanaged.passRetained(self)
        guard pthread_create(&id, nil, blockingThread, box.toOpaque()) == 0 else {
            box.release()
            return false
        }
        pthread_detach(id)
        return true
    }

    /// Runs calls on one thread until none waits.
    fileprivate func runAll() {
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

/// The body of a thread for blocking calls.
private func blockingThread(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let box else { return nil }
    Unmanaged<BlockingCalls>.fromOpaque(box).takeRetainedValue().runAll()
    return nil
}
