import Synchronization

/// A clock that stays where it is until somebody moves it.
final class HandClock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }

    func pass(_ duration: Duration) { time.withLock { $0 += duration } }
}
