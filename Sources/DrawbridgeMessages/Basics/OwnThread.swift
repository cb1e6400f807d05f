#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A thread for one piece of work, which ends with it.
///
/// Dispatch has a limited number of threads, which blocking handlers may all occupy: code that stops such handlers
/// needs a thread of its own.
package enum OwnThread {
    private final class Work: Sendable {
        let call: @Sendable () -> Void

        init(_ call: @escaping @Sendable () -> Void) { self.call = call }
    }

    /// Runs `call` on a new thread; if the system cannot make one, at once on this thread.
    package static func perform(_ call: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(call))
        #if canImport(Darwin)
        var id: pthread_t?
        #else
        var id = pthread_t()
        #endif
        let code = pthread_create(
            &id, nil,
            { work in
                pthread_detach(pthread_self())
                let work: UnsafeMutableRawPointer? = work
                if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().call() }
                return nil
            }, work.toOpaque())
        guard code == 0 else { return work.takeRetainedValue().call() }
    }
}
