import Glibc

/// State behind a pthread mutex: unlike `Mutex`, ThreadSanitizer knows it, and so sees that one thread hands state
/// over to another.
///
/// The state is only used under the lock, and the lock's functions may be called on any thread: that makes it
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
