import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

@Suite struct AdmissionsTests {
    private let time = Time()
    private let admissions: Admissions

    private final class Time: Sendable {
        private let now = Mutex(1_800_000_000)

        var value: Int { now.withLock { $0 } }

        func pass(_ seconds: Int) { now.withLock { $0 += seconds } }
    }

    init() {
        let time = time
        admissions = Admissions { time.value }
    }

    private func isIn(_ cookie: String, at admissions: Admissions? = nil) -> Bool {
        (admissions ?? self.admissions).judge(cookie: cookie, from: nil, browser: nil) == .right
    }

    @Test func aTicketIsGoodForTenMinutes() {
        let ticket = admissions.drawTicket()
        #expect(ticket.utf8.count == 40)
        time.pass(599)
        #expect(admissions.judge(ticket: ticket, from: nil) == .right)
        #expect(admissions.judge(ticket: ticket, from: nil) == .right)
        time.pass(1)
        #expect(admissions.judge(ticket: ticket, from: nil) == .wrong)
        #expect(admissions.judge(ticket: "", from: nil) == .wrong)
    }

    @Test func anAdmissionEndsAfterTwelveIdleHours() {
        let (_, used) = admissions.admit(address: nil, browser: "")
        let (_, idle) = admissions.admit(address: nil, browser: "")
        for _ in 0..<3 {
            time.pass(11 * 3600)
            #expect(isIn(used))
        }
        #expect(!isIn(idle))
        #expect(admissions.all.count == 1)
        time.pass(12 * 3600)
        #expect(!isIn(used))
    }

    @Test func aDeviceWithAnOpenConnectionIsNotIdle() throws {
        let (_, secret) = admissions.admit(address: nil, browser: "")
        let release = try #require(admissions.hold(secret) {})
        time.pass(20 * 3600)
        #expect(isIn(secret))
        time.pass(20 * 3600)
        release()
        time.pass(11 * 3600)
        #expect(isIn(secret))
        time.pass(12 * 3600)
        #expect(!isIn(secret))
    }

    @Test func aRevokedDeviceLosesItsOpenConnections() throws {
        let journal = Notebook()
        let (first, secret) = admissions.admit(address: "192.0.2.7", browser: "A phone")
        let (_, other) = admissions.admit(address: "192.0.2.8", browser: "Another")
        _ = try #require(admissions.hold(secret) { journal.note("closed") })
        let released = try #require(admissions.hold(secret) { journal.note("released") })
        _ = try #require(admissions.hold(other) { journal.note("other") })
        released()
        #expect(admissions.revoke(first.id))
        #expect(journal.entries == ["closed"])
        #expect(!isIn(secret) && isIn(other))
        #expect(!admissions.revoke(first.id))
        #expect(admissions.hold(secret) {} == nil)
    }

    @Test func theNumberOfDevicesIsBounded() throws {
        let (open, idlest) = (
            admissions.admit(address: nil, browser: ""), admissions.admit(address: nil, browser: "")
        )
        _ = try #require(admissions.hold(open.cookie) {})
        time.pass(1)
        for _ in 0..<Admissions.most - 1 { _ = admissions.admit(address: nil, browser: "") }
        func isListed(_ id: String) -> Bool { admissions.all.contains { $0.id == id } }
        #expect(admissions.all.count == Admissions.most)
        #expect(isListed(open.admission.id) && !isListed(idlest.admission.id))
        // It comes back, and replaces another one.
        #expect(
            isIn(idlest.cookie) && isListed(idlest.admission.id) && admissions.all.count == Admissions.most)
    }

    @Test func gatewaysWithOneSecretAcceptEachOthersTicketsAndCookies() {
        let (secret, time) = (SharedSecret(), time)
        let (one, other) = (
            Admissions(secret: secret) { time.value }, Admissions(secret: secret) { time.value }
        )
        #expect(other.judge(ticket: one.drawTicket(), from: nil) == .right)
        let (admission, cookie) = one.admit(address: "192.0.2.7", browser: "A phone")
        #expect(other.judge(cookie: cookie, from: "192.0.2.8", browser: "A phone") == .right)
        #expect(other.all.map(\.id) == [admission.id] && other.all.first?.address == "192.0.2.8")
        #expect(!isIn(cookie) && admissions.judge(ticket: one.drawTicket(), from: nil) == .wrong)
        // A gateway that has not seen it accepts it for twelve hours.
        time.pass(12 * 3600 - 1)
        #expect(isIn(cookie, at: other))
        time.pass(2)
        #expect(isIn(cookie, at: other) && !isIn(cookie, at: Admissions(secret: secret) { time.value }))
    }

    @Test func aRevokedCookieStaysRefused() {
        let (admission, cookie) = admissions.admit(address: nil, browser: nil)
        #expect(admissions.revoke(admission.id))
        for _ in 0..<4 {
            #expect(!isIn(cookie))
            time.pass(7 * 1800)
        }
        #expect(!admissions.revoke("12345678"))
    }

    @Test func nothingElseIsATicketOrACookie() {
        let (secret, time) = (SharedSecret(), time)
        // A new one each time, since after twenty wrong ones no more are compared in that second.
        var fresh: Admissions { Admissions(secret: secret) { time.value } }
        func isGood(_ text: String) -> Bool {
            fresh.judge(ticket: text, from: nil) == .right || isIn(text, at: fresh)
        }
        let (ticket, cookie) = (fresh.drawTicket(), fresh.admit(address: nil, browser: nil).cookie)
        #expect(fresh.judge(ticket: ticket, from: nil) == .right && !isIn(ticket, at: fresh))
        #expect(fresh.judge(ticket: cookie, from: nil) == .wrong && isIn(cookie, at: fresh))
        for good in [ticket, cookie] {
            for place in good.indices {
                var other = good
                other.replaceSubrange(place...place, with: good[place] == "a" ? "b" : "a")
                #expect(!isGood(other), "\(other)")
            }
            let others = ["0" + good, good + "0", String(good.dropLast()), good.uppercased() + "é"]
            for other in others { #expect(!isGood(other), "\(other)") }
        }
        #expect(!isGood("") && !isGood(String(repeating: "0", count: 5000)))
        // One from the future, by more than clocks differ.
        time.pass(-59)
        #expect(isGood(ticket) && isGood(cookie))
        time.pass(-2)
        #expect(!isGood(ticket) && !isGood(cookie))
    }

    @Test func longNamesOfBrowsersAreCut() {
        let (admission, _) = admissions.admit(address: nil, browser: String(repeating: "x", count: 5000))
        #expect(admission.browser.count == 200)
    }
}
