import HTTPTypes
import Synchronization
import Testing

@testable import Drawbridge

/// Who gets the inspector's secret.
@Suite("The inspector's tickets") struct InspectorPassTests {
    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock { $0 } }
        func advance(by duration: Duration) { time.withLock { $0 += duration } }
    }

    private let clock = Clock()
    private var pass: InspectorPass { InspectorPass { [clock] in clock.now } }

    @Test func aTicketOfTheInspectorWorksOnce() {
        let pass = pass
        let ticket = pass.drawTicket()
        let first = pass.take(ticket, from: "127.0.0.1")
        #expect(first.verdict == .right && first.secret?.utf8.count == 32)
        #expect(first.secret != ticket)
        let second = pass.take(ticket, from: "127.0.0.1")
        #expect(second.verdict == .wrong && second.secret == nil)
    }

    @Test func aTicketOfTheInspectorWorksForTenMinutes() {
        let pass = pass
        let (early, late) = (pass.drawTicket(), pass.drawTicket())
        clock.advance(by: .seconds(599))
        #expect(pass.take(early, from: nil).verdict == .right)
        clock.advance(by: .seconds(1))
        #expect(pass.take(late, from: nil).verdict == .wrong)
    }

    @Test func theOldestOfSeventeenTicketsIsGone() {
        let pass = pass
        let tickets = (0..<17).map { _ in pass.drawTicket() }
        #expect(pass.take(tickets[0], from: nil).verdict == .wrong)
        #expect(tickets.dropFirst().allSatisfy { pass.take($0, from: nil).verdict == .right })
    }

    /// Each ticket gives the same secret, since all tabs are one person's.
    @Test func theSecretLetsIntoTheInspector() throws {
        let pass = pass
        let secret = try #require(pass.take(pass.drawTicket(), from: nil).secret)
        func verdict(_ authorization: String?) -> Verdict? {
            var request = Request("/__drawbridge__/calls")
            request.headers[.authorization] = authorization
            return pass.judge(request, from: "127.0.0.1")
        }
        #expect(verdict("Bearer \(secret)") == .right && verdict("bearer \(secret)") == .right)
        #expect(verdict("Bearer \(secret)0") == .wrong && verdict("Bearer ") == nil && verdict(nil) == nil)
        #expect(verdict(secret) == nil)
        for _ in 0..<40 { _ = verdict("Bearer x") }
        #expect(verdict("Bearer \(secret)") == .throttled)
        clock.advance(by: .seconds(2))
        #expect(verdict("Bearer \(secret)") == .right)
    }

    @Test func tooManyGuessesAreThrottled() {
        let pass = pass
        let ticket = pass.drawTicket()
        for _ in 0..<40 { _ = pass.take("x", from: "127.0.0.1") }
        #expect(pass.take(ticket, from: "127.0.0.1").verdict == .throttled)
        clock.advance(by: .seconds(2))
        #expect(pass.take(ticket, from: "127.0.0.1").verdict == .right)
    }
}
