#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A moment of the system's monotonic clock, for what every request measures.
///
/// `ContinuousClock.Instant` has a size that is known at run time only, and so has every type that stores one.
@usableFromInline package struct Moment: Sendable {
    @usableFromInline let nanoseconds: UInt64

    @usableFromInline package static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    @usableFromInline package var elapsed: Duration { .nanoseconds(Moment.now.nanoseconds - nanoseconds) }
}
