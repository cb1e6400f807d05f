import HTTPTypes
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

@Suite("Guessing secrets") struct GuessesTests {
    @Test func aRightGuessAmongTooManyIsRefused() {
        let clock = HandClock()
        let guesses = Guesses { clock.now }
        var verdicts: [Verdict] = []
        for number in 0..<10_000 {
            verdicts.append(guesses.judge(from: "192.0.2.1") { number == 5_000 })
        }
        #expect(verdicts.filter { $0 == .right }.isEmpty)
        #expect(verdicts.filter { $0 == .wrong }.count == Guesses.perSecond)
        #expect(verdicts[5_000] == .throttled)
        // Another caller is not affected, and this one may try again when the second is over.
        #expect(guesses.judge(from: "192.0.2.2") { true } == .right)
        #expect(guesses.judge(from: nil) { true } == .right)
        clock.pass(.milliseconds(999))
        #expect(guesses.judge(from: "192.0.2.1") { true } == .throttled)
        clock.pass(.milliseconds(1))
        #expect(guesses.judge(from: "192.0.2.1") { true } == .right)
    }

    @Test func allIPv6AddressesOfAMachineAreOneCaller() {
        let clock = HandClock()
        let guesses = Guesses { clock.now }
        for number in 0..<Guesses.perSecond {
            #expect(guesses.judge(from: "2001:db8:1:2::\(number)") { false } == .wrong)
        }
        #expect(guesses.judge(from: "2001:db8:1:2:ffff::1") { true } == .throttled)
        #expect(guesses.judge(from: "2001:db8:1:3::1") { true } == .right)
    }

    @Test func anyNumberOfCallersTakesBoundedMemory() {
        let clock = HandClock()
        let guesses = Guesses { clock.now }
        for number in 0..<Guesses.mostCallers {
            #expect(guesses.judge(from: "10.0.\(number / 256).\(number % 256)") { false } == .wrong)
        }
        // Those who come now are treated as one.
        for number in 0..<Guesses.perSecond {
            #expect(guesses.judge(from: "10.1.0.\(number)") { false } == .wrong)
        }
        #expect(guesses.judge(from: "10.2.0.1") { true } == .throttled)
        #expect(guesses.judge(from: "10.0.0.1") { true } == .right)
        clock.pass(.seconds(1))
        #expect(guesses.judge(from: "10.2.0.1") { true } == .right)
    }

    @Test func wrongTokensAreThrottledBeforeTheHandlers() async {
        let gateway = Gateway.testing()
        func call(_ token: String, from address: String?) async -> Int {
            var request = Request("/echo?_mobile_bridge=1", remoteAddress: address)
            request.headers[.pageToken] = token
            return await gateway.respond(to: request).status.code
        }
        var wrong: Set<Int> = []
        for number in 0..<1_000 {
            wrong.insert(await call("guess-\(number)", from: "127.0.0.1"))
        }
        #expect(wrong == [403, 429])
        #expect(await call(gateway.access.token.text, from: "127.0.0.2") == 200)
    }

    /// Guesses of one secret are counted for that one alone.
    @Test func theTestersTokenHasItsOwnThrottle() async {
        let gateway = Gateway.testing()
        func list(_ token: String, from address: String) async -> Int {
            var request = Request("/__drawbridge__/pages", remoteAddress: address)
            request.headers[.authorization] = "Bearer \(token)"
            return await gateway.respond(to: request).status.code
        }
        var wrong: Set<Int> = []
        for number in 0..<1_000 { wrong.insert(await list("guess-\(number)", from: "127.0.0.1")) }
        #expect(wrong == [403, 429])
        #expect(await list(gateway.testerToken.text, from: "127.0.0.2") == 200)
        var call = Request("/echo?_mobile_bridge=1", remoteAddress: "127.0.0.1")
        call.headers[.pageToken] = gateway.access.token.text
        #expect(await gateway.respond(to: call).status.code == 200)
    }
}
