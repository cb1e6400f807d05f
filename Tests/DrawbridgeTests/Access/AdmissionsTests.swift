import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

extension Admissions {
    /// Admits a device by a new ticket.
    fileprivate func admit(address: String?, browser: String?) -> (admission: Admission, cookie: String) {
        admit(ticket: drawTicket(), address: address, browser: browser)!
    }
}

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
        (admissions ?? self.admissions).accepts(cookie: cookie, from: nil, browser: nil)
    }

    private func takes(_ ticket: String, at admissions: Admissions? = nil) -> Bool {
        (admissions ?? self.admissions).admit(ticket: ticket, address: nil, browser: nil) != nil
    }

    @Test func aTicketIsGoodForTenMinutes() {
        let ticket = admissions.drawTicket()
        #expect(ticket.utf8.count == 40)
        time.pass(599)
        #expect(takes(ticket))
        #expect(takes(ticket))
        time.pass(1)
        #expect(!takes(ticket))
        #expect(!takes(""))
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
        let (admission, cookie) = one.admit(address: "192.0.2.7", browser: "A phone")
        #expect(other.accepts(cookie: cookie, from: "192.0.2.8", browser: "A phone"))
        #expect(other.all.map(\.id) == [admission.id] && other.all.first?.address == "192.0.2.8")
        #expect(takes(one.drawTicket(), at: other))
        #expect(!isIn(cookie) && !takes(one.drawTicket()))
        // A gateway that has not seen it accepts it for twelve hours.
        time.pass(12 * 3600 - 1)
        #expect(isIn(cookie, at: other))
        time.pass(2)
        #expect(isIn(cookie, at: other) && !isIn(cookie, at: Admissions(secret: secret) { time.value }))
    }

    @Test func aRevokedCookieStaysRefused() {
        let (admission, cookie) = admissions.admit(address: nil, browser: nil)
        time.pass(1)
        let (other, held) = admissions.admit(address: nil, browser: nil)
        #expect(admissions.hold(held) {} != nil)
        #expect(admissions.revoke(admission.id) && !admissions.revoke(admission.id))
        for _ in 0..<4 {
            #expect(!isIn(cookie))
            time.pass(7 * 1800)
            _ = admissions.revoke("0a1b2c3d")
        }
        // It may be forgotten, since it is too old.
        #expect(admissions.revoked[admission.id] == nil && !isIn(cookie))
        #expect(isIn(held) && admissions.revoke(other.id) && !isIn(held))
    }

    @Test func tooManyRevokedOnesEndAllThatAreAsOld() {
        let (_, old) = admissions.admit(address: nil, browser: nil)
        let (first, cookie) = admissions.admit(address: nil, browser: nil)
        #expect(admissions.revoke(first.id))
        time.pass(1)
        let (_, young) = admissions.admit(address: nil, browser: nil)
        for number in 0..<Admissions.most {
            _ = admissions.revoke(String(10_000_000 + number))
        }
        #expect(admissions.revoked.count == Admissions.most + 1 && admissions.revoked[first.id] == nil)
        #expect(!isIn(cookie) && !isIn(old) && isIn(young))
        for number in 0..<50 {
            time.pass(1)
            _ = admissions.revoke(String(20_000_000 + number))
        }
        // Those of one second are forgotten together.
        #expect(admissions.revoked.count == 51 && !isIn(young))
    }

    @Test func allDevicesAndTicketsEndAtOnce() throws {
        let (journal, ticket) = (Notebook(), admissions.drawTicket())
        let cookies = (0..<1200).map { _ in admissions.admit(address: nil, browser: nil).cookie }
        _ = try #require(admissions.hold(cookies[1199]) { journal.note("closed") })
        admissions.revoke("*")
        #expect(admissions.admit(ticket: ticket, address: nil, browser: nil) == nil)
        #expect(journal.entries == ["closed"] && admissions.all.isEmpty)
        #expect(!cookies.contains { isIn($0) } && !takes(ticket))
        // A new one is good in the same second.
        #expect(takes(admissions.drawTicket()))
        let (admission, cookie) = admissions.admit(address: nil, browser: nil)
        #expect(isIn(cookie) && admissions.revoke(admission.id) && !isIn(cookie))
    }

    /// At a gateway that hears of it later.
    @Test func aCookieOfARevokedLinkEndsWithIt() throws {
        let (secret, time) = (SharedSecret(), time)
        let (one, other) = (
            Admissions(secret: secret) { time.value }, Admissions(secret: secret) { time.value }
        )
        let ticket = one.drawTicket()
        time.pass(2)
        one.revoke("*")
        time.pass(2)
        let (_, cookie) = try #require(other.admit(ticket: ticket, address: nil, browser: nil))
        let (_, fresh) = other.admit(address: nil, browser: nil)
        for (id, second) in one.revoked { other.revoke(id, at: second) }
        for admissions in [one, other] {
            #expect(!isIn(cookie, at: admissions) && isIn(fresh, at: admissions))
        }
    }

    @Test func allMayBeRevokedAgainAndAgain() {
        for _ in 0..<200 { admissions.revoke("*") }
        let (_, cookie) = admissions.admit(address: nil, browser: nil)
        #expect(isIn(cookie))
        time.pass(300)
        #expect(isIn(cookie) && isIn(admissions.admit(address: nil, browser: nil).cookie))
    }

    @Test func whatIsNoIDRevokesNothing() {
        let (admission, cookie) = admissions.admit(address: nil, browser: nil)
        for id in ["", "1", "123456789", admission.id.uppercased() + " ", "éaaaaaa", "ABCDEF01", "older"] {
            #expect(!admissions.revoke(id))
        }
        #expect(admissions.revoked.isEmpty && isIn(cookie))
    }

    /// 1969, 2039, 2107.
    @Test(arguments: [-1, 2_180_000_000, 4_330_000_000])
    func aWrongClockIsNoCrash(now: Int) {
        let wrong = Admissions { now }
        #expect(takes(wrong.drawTicket(), at: wrong) == (now < 1 << 32))
    }

    @Test func nothingElseIsATicketOrACookie() {
        let (secret, time) = (SharedSecret(), time)
        // One that knows no device yet, each time.
        var fresh: Admissions { Admissions(secret: secret) { time.value } }
        func isGood(_ text: String) -> Bool {
            takes(text, at: fresh) || isIn(text, at: fresh)
        }
        let (ticket, cookie) = (fresh.drawTicket(), fresh.admit(address: nil, browser: nil).cookie)
        #expect(takes(ticket, at: fresh) && !isIn(ticket, at: fresh))
        #expect(!takes(cookie, at: fresh) && isIn(cookie, at: fresh))
        for good in [ticket, cookie] {
            for place in good.indices {
                var other = good
                other.replaceSubrange(place...place, with: good[place] == "a" ? "b" : "a")
                #expect(!isGood(other), "\(other)")
            }
            let others = [
                "0" + good, good + "0", String(good.dropLast()), good.uppercased(), "é" + good.dropFirst(2),
            ]
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
