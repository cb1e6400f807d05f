import Synchronization

/// Tickets for the fragment (after the `#`) of links, which no server and no log sees: 128 random bits each, good once
/// within ten minutes, and kept only as hashes.
package final class Tickets: Sendable {
    package static let time = Duration.seconds(600)
    /// The most valid tickets at a time; one more makes the oldest invalid.
    package static let most = 1000

    private let drawn = Mutex<[(hash: [UInt8], drawn: ContinuousClock.Instant)]>([])
    private let now: @Sendable () -> ContinuousClock.Instant

    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Makes a ticket: 32 hexadecimal digits.
    package func draw() -> String {
        let ticket = String.random128()
        drawn.withLock { tickets in
            tickets.append((SHA256.digest(ticket), now()))
            if tickets.count > Self.most { tickets.removeFirst() }
        }
        return ticket
    }

    /// Whether a ticket is valid; it is then used up.
    package func take(_ ticket: String) -> Bool {
        let (hash, now) = (SHA256.digest(ticket), now())
        return drawn.withLock { tickets in
            tickets.removeAll { $0.drawn.duration(to: now) >= Self.time }
            return tickets.firstIndex { $0.hash == hash }.map { tickets.remove(at: $0) } != nil
        }
    }
}
