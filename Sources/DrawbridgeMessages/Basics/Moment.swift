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
