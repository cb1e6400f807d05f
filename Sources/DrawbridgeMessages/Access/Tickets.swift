import Synchronization

/// Tickets for the fragment (after the `#`) of links, which no server and no log sees: 128 random bits each, valid for
/// ten minutes, and kept only as hashes.
package final class Tickets: Sendable {
    package static let time = Duration.seconds(600)
    /// The most valid tickets at a time; one more makes the oldest invalid.
    package static let most = 1000

    private typealias Ticket = (
        hash: [UInt8], drawn: ContinuousClock.Instant, whenUsed: @Sendable () -> Void
    )

    private let drawn = Mutex<[Ticket]>([])
    private let isGoodOnce: Bool
    private let guesses: Guesses
    private let now: @Sendable () -> ContinuousClock.Instant

    package init(goodOnce: Bool, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        isGoodOnce = goodOnce
        guesses = Guesses(now: now)
        self.now = now
    }

    /// Makes a ticket: 32 hexadecimal digits.
    ///
    /// - Parameter whenUsed: called each time the ticket is used, on any thread.
    package func draw(whenUsed: @escaping @Sendable () -> Void = {}) -> String {
        let ticket = String.random128()
        drawn.withLock { tickets in
            tickets.append((SHA256.digest(ticket), now(), whenUsed))
            if tickets.count > Self.most { tickets.removeFirst() }
        }
        return ticket
    }

    /// Compares a ticket, unless the caller has guessed too often; a ticket for one use is then used up.
    package func judge(_ ticket: String, from address: String?) -> Verdict {
        let hash = SHA256.digest(ticket)
        var used: Ticket?
        let verdict = guesses.judge(from: address) {
            used = drawn.withLock { tickets in
                let now = now()
                tickets.removeAll { $0.drawn.duration(to: now) >= Self.time }
                guard let place = tickets.firstIndex(where: { $0.hash == hash }) else { return nil }
                return isGoodOnce ? tickets.remove(at: place) : tickets[place]
            }
            return used != nil
        }
        used?.whenUsed()
        return verdict
    }
}
