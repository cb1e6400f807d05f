import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

@Suite struct AdmissionsTests {
    private let time = Time()
    private let admissions: Admissions

    private final class Time: Sendable {
        private let now = Mutex(ContinuousClock.now)

        var value: ContinuousClock.Instant { now.withLock { $0 } }

        func pass(_ duration: Duration) { now.withLock { $0 += duration } }
    }

    init() {
        let time = time
        admissions = Admissions { time.value }
    }

    private func isIn(_ secret: String) -> Bool { admissions.judge(secret: secret, from: nil) == .right }

    @Test func aTicketIsGoodForTenMinutes() {
        let ticket = admissions.drawTicket()
        #expect(ticket.utf8.count == 32)
        time.pass(.seconds(599))
        #expect(admissions.judge(ticket: ticket, from: nil) == .right)
        #expect(admissions.judge(ticket: ticket, from: nil) == .right)
        time.pass(.seconds(1))
        #expect(admissions.judge(ticket: ticket, from: nil) == .wrong)
        #expect(admissions.judge(ticket: "", from: nil) == .wrong)
    }

    @Test func anAdmissionEndsAfterTwelveIdleHours() {
        let (_, used) = admissions.admit(address: nil, browser: "")
        let (_, idle) = admissions.admit(address: nil, browser: "")
        for _ in 0..<3 {
            time.pass(.seconds(11 * 3600))
            #expect(isIn(used))
        }
        #expect(!isIn(idle))
        #expect(admissions.all.count == 1)
        time.pass(.seconds(12 * 3600))
        #expect(!isIn(used))
    }

    @Test func aDeviceWithAnOpenConnectionIsNotIdle() throws {
        let (_, secret) = admissions.admit(address: nil, browser: "")
        let release = try #require(admissions.hold(secret) {})
        time.pass(.seconds(20 * 3600))
        #expect(isIn(secret))
        time.pass(.seconds(20 * 3600))
        release()
        time.pass(.seconds(11 * 3600))
        #expect(isIn(secret))
        time.pass(.seconds(12 * 3600))
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

    @Test func theNumberOfDevicesIsBounded() {
        let (_, idlest) = admissions.admit(address: nil, browser: "")
        time.pass(.seconds(1))
        for _ in 0..<Admissions.most { _ = admissions.admit(address: nil, browser: "") }
        #expect(admissions.all.count == Admissions.most)
        #expect(!isIn(idlest))
    }

    @Test func longNamesOfBrowsersAreCut() {
        let (admission, _) = admissions.admit(address: nil, browser: String(repeating: "x", count: 5000))
        #expect(admission.browser.count == 200)
    }
}
