/// Lets a person's browser into the inspector: by a ticket, which is good once, for a secret that the tab keeps.
///
/// The secret is another one than those of pages and of testers, and ends with the process.
package final class InspectorPass: Sendable {
    private let secret = String.random128()
    private let tickets: Tickets
    private let guesses: Guesses

    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        tickets = Tickets(goodOnce: true, now: now)
        guesses = Guesses(now: now)
    }

    /// Draws a ticket, for one browser.
    ///
    /// - Parameter whenUsed: called when it was used, on any thread.
    package func drawTicket(whenUsed: @escaping @Sendable () -> Void = {}) -> String {
        tickets.draw(whenUsed: whenUsed)
    }

    /// Takes a ticket, once.
    ///
    /// - Returns: whether it was good, and the secret where it was.
    package func take(_ ticket: String, from address: String?) -> (verdict: Verdict, secret: String?) {
        let verdict = tickets.judge(ticket, from: address)
        return (verdict, verdict == .right ? secret : nil)
    }

    /// Compares the secret of a request, unless its caller has guessed too often; nil where it has none.
    package func judge(_ request: Request, from address: String?) -> Verdict? {
        request.bearerToken.map { token in
            guesses.judge(from: address) { secret.isSame(asSecret: token) }
        }
    }
}
