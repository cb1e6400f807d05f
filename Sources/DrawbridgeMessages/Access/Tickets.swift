import Synchronization

/// Tickets that stand behind the `#` of links, where no server and no log sees them: 128 random bits each, of which only
/// the hash is kept, good for ten minutes.
package final class Tickets: Sendable {
    package static let time = Duration.seconds(600)
    /// How many are good at a time; one more makes the oldest invalid.
    package static let most = 16

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

    /// Draws one, as 32 hexadecimal digits.
    ///
    /// - Parameter whenUsed: called when it was used, on any thread.
    package func draw(whenUsed: @escaping @Sendable () -> Void = {}) -> String {
        let ticket = String.random128()
        drawn.withLock { tickets in
            tickets.append((SHA256.digest(ticket), now(), whenUsed))
            if tickets.count > Self.most { tickets.removeFirst() }
        }
        return ticket
    }

    /// Compares a ticket, unless the caller has guessed too often; one that is good once is used up by that.
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
