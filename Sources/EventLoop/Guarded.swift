import Glibc

/// State behind a pthread mutex; ThreadSanitizer understands this lock, but not `Mutex`, so it knows that the state is
/// passed between threads without a race.
///
/// Sendable, because the state is used only while the lock is held, and the lock may be used on any thread.
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
