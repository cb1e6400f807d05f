import Synchronization

/// Lets a person's browser into the inspector: by a ticket, which is good once, for a secret that the tab keeps.
///
/// The ticket stands behind the `#` of a link, where no server and no log sees it. The secret is another one than those
/// of pages and of testers, and ends with the process.
package final class InspectorPass: Sendable {
    /// How many tickets are good at a time; one more makes the oldest invalid.
    static let mostTickets = 16

    private struct Ticket {
        let hash: [UInt8]
        let drawn: ContinuousClock.Instant
        let whenUsed: @Sendable () -> Void
    }

    private let secret = String.random128()
    private let tickets = Mutex<[Ticket]>([])
    private let ticketGuesses: Guesses
    private let secretGuesses: Guesses
    private let now: @Sendable () -> ContinuousClock.Instant

    package convenience init() { self.init(now: { .now }) }

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.now = now
        ticketGuesses = Guesses(now: now)
        secretGuesses = Guesses(now: now)
    }

    /// Draws a ticket: 128 random bits as 32 hexadecimal digits, good for ten minutes and for one browser.
    ///
    /// - Parameter whenUsed: called when it was used, on any thread.
    package func drawTicket(whenUsed: @escaping @Sendable () -> Void = {}) -> String {
        let ticket = String.random128()
        tickets.withLock { tickets in
            tickets.append(Ticket(hash: SHA256.digest(ticket), drawn: now(), whenUsed: whenUsed))
            if tickets.count > Self.mostTickets { tickets.removeFirst() }
        }
        return ticket
    }

    /// Takes a ticket, once.
    ///
    /// - Returns: whether it was good, and the secret where it was.
    package func take(_ ticket: String, from address: String?) -> (verdict: Verdict, secret: String?) {
        let hash = SHA256.digest(ticket)
        var used: Ticket?
        let verdict = ticketGuesses.judge(from: address) {
            used = tickets.withLock { tickets in
                let now = now()
                tickets.removeAll { $0.drawn.duration(to: now) >= Admissions.ticketTime }
                return tickets.firstIndex { $0.hash == hash }.map { tickets.remove(at: $0) }
            }
            return used != nil
        }
        used?.whenUsed()
        return (verdict, verdict == .right ? secret : nil)
    }

    /// Compares the secret of a request, unless its caller has guessed too often; nil where it has none.
    package func judge(_ request: Request, from address: String?) -> Verdict? {
        request.bearerToken.map { token in
            secretGuesses.judge(from: address) { secret.isSame(asSecret: token) }
        }
    }
}
