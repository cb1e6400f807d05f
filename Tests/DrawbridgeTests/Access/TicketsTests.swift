import HTTPTypes
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

/// The tickets of the inspector's links, and the secret that its tabs keep.
@Suite("Tickets that are good once") struct TicketsTests {
    private let clock = HandClock()
    private var tickets: Tickets { Tickets { [clock] in clock.now } }

    @Test func aTicketIsGoodOnce() {
        let tickets = tickets
        let ticket = tickets.draw()
        #expect(ticket.utf8.count == 32)
        #expect(tickets.take(ticket))
        #expect(!tickets.take(ticket))
    }

    @Test func aTicketIsGoodForTenMinutes() {
        let tickets = tickets
        let (early, late) = (tickets.draw(), tickets.draw())
        clock.pass(.seconds(599))
        #expect(tickets.take(early))
        clock.pass(.seconds(1))
        #expect(!tickets.take(late))
    }

    /// As many as the browsers of a company's tests draw at a time.
    @Test func aThousandTicketsAreGoodAndOneMoreInvalidatesTheFirst() {
        let tickets = tickets
        let drawn = (0..<1001).map { _ in tickets.draw() }
        #expect(!tickets.take(drawn[0]))
        #expect(drawn.dropFirst().allSatisfy(tickets.take))
    }

    @Test func aBearerTokenIsComparedWhole() {
        let token = TesterToken()
        func verdict(_ authorization: String?) -> Verdict? {
            var request = Request("/__drawbridge__/calls")
            request.headers[.authorization] = authorization
            return token.judge(request, from: "127.0.0.1")
        }
        #expect(verdict("Bearer \(token.text)") == .right && verdict("bearer \(token.text)") == .right)
        #expect(
            verdict("Bearer \(token.text)0") == .wrong && verdict("Bearer ") == nil && verdict(nil) == nil)
        #expect(verdict(token.text) == nil)
        #expect(TesterToken().text != token.text)
    }
}
