import Dispatch

/// A moment of the system's monotonic clock, for what every request measures.
///
/// An instant of `ContinuousClock` has a size that is known at run time only, and so has all that holds one.
struct Moment: Sendable {
    private let nanoseconds: UInt64

    static var now: Moment { Moment(nanoseconds: DispatchTime.now().uptimeNanoseconds) }

    /// How long ago it was.
    var elapsed: Duration { .nanoseconds(Moment.now.nanoseconds - nanoseconds) }
}
