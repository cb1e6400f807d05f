import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A moment of the system's monotonic clock, for the durations that are measured for each request.
///
/// The size of `ContinuousClock.Instant` is known only at run time, which slows down every type that stores one.
@usableFromInline package struct Moment: Sendable {
    @usableFromInline let nanoseconds: UInt64

    @usableFromInline package static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    @usableFromInline package var elapsed: Duration { .nanoseconds(Moment.now.nanoseconds - nanoseconds) }
}

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

/// A file that somebody has named, and that is read again while the process runs (SECURITY, *Whose file is read*).
package enum NamedFile {
    private typealias Home = (owner: uid_t, folder: String?, around: String?)

    /// The owner of each, its real folder, and that of its name, when it was opened first.
    private static let homes = Mutex<[String: Home]>([:])

    /// Why a file that was opened is not read; nil if it is its first owner's, and in its first folder, or below that of
    /// its name, where an update of a ConfigMap swaps a link.
    ///
    /// Whoever may write there could else give any file of the gateway's user, by a link.
    package static func problem(of opened: stat, at path: String) -> String? {
        var found = stat()
        let place = real(path).flatMap { name in
            stat(name, &found) == 0 && found.st_ino == opened.st_ino ? folder(of: name) : nil
        }
        let now = (opened.st_uid, place, real(folder(of: path)))
        let first: Home = homes.withLock { homes in
            homes[path] = homes[path] ?? now
            return homes[path] ?? now
        }
        let isBelow = first.around.map { place?.hasPrefix("\($0)/") == true } == true
        if first.owner == opened.st_uid, place == first.folder || isBelow { return nil }
        return "\(path) leads out of its folder now, or has another owner; put the file back, or restart"
    }

    /// With a slash at its end.
    private static func folder(of name: String) -> String {
        name.lastIndex(of: "/").map { String(name[...$0]) } ?? "./"
    }

    private static func real(_ name: String) -> String? {
        realpath(name, nil).map { found in
            defer { free(found) }
            return String(cString: found)
        }
    }
}
