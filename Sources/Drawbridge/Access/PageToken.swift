import Synchronization

/// The secret by which the gateway knows its own pages: 128 bits from the system's generator, new in every process.
public final class PageToken: Sendable {
    private struct Failures {
        var count = 0
        var since = ContinuousClock.now
    }

    /// Wrong tokens in one second that are still told so; more of them only hear that they are too many.
    private static let failuresPerSecond = 20

    /// The token as it stands in `X-Drawbridge-Token`: 32 hexadecimal digits.
    public let text: String

    private let failures = Mutex(Failures())

    /// Draws a token.
    public init() { text = .random128() }

    /// Compares in a time that does not depend on where the difference is.
    func matches(_ candidate: String) -> Bool {
        let own = text.utf8
        guard candidate.utf8.count == own.count else { return false }
        return zip(candidate.utf8, own).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Counts a wrong token; true when there were so many in this second that somebody must be guessing.
    func isGuessed() -> Bool {
        failures.withLock { failures in
            let now = ContinuousClock.now
            if failures.since.duration(to: now) > .seconds(1) { failures = Failures(since: now) }
            failures.count += 1
            return failures.count > Self.failuresPerSecond
        }
    }
}
