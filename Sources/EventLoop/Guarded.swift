import Glibc

/// A state behind a lock of the system's: ThreadSanitizer sees it, unlike that of `Synchronization`, and so sees that
/// what one thread hands over is another's from then on.
///
/// The state is reached under the lock alone, and the system's functions on the lock are for all threads: that makes it
/// Sendable.
package final class Guarded<State>: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var state: State

    package init(_ state: State) {
        self.state = state
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body(&state)
    }
}
