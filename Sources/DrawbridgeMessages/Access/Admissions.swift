import Synchronization

/// The devices elsewhere that were let in, and the tickets by which others may be.
///
/// A ticket stands in a link; whoever opens that within ten minutes gets a cookie, which lets a browser load pages and
/// files. It is 128 random bits, another for each device, of which only the hash is kept. It ends after twelve hours in
/// which it was not used, when it is revoked, and with the process.
public final class Admissions: Sendable {
    /// How long a ticket is good.
    public static let ticketTime = Tickets.time
    /// How long a device may be idle.
    public static let idleTime = Duration.seconds(12 * 3600)
    /// How many devices there are at most: with one more, the one that was idle longest goes.
    public static let most = 1000

    private struct Device {
        let admission: Admission
        var used: ContinuousClock.Instant
        var stays: [Int: @Sendable () -> Void] = [:]

        /// Whether it is still let in; a device that holds a connection open is not idle.
        func isIn(_ now: ContinuousClock.Instant) -> Bool {
            !stays.isEmpty || used.duration(to: now) < Admissions.idleTime
        }
    }

    private struct State {
        var devices: [[UInt8]: Device] = [:]
        var lastStay = 0
        var onEntry: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant
    private let tickets: Tickets
    private let cookieGuesses: Guesses

    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
        tickets = Tickets(goodOnce: false, now: now)
        cookieGuesses = Guesses(now: now)
    }

    /// Draws a ticket: 128 random bits as 32 hexadecimal digits, good for ten minutes and for several devices.
    ///
    /// It belongs behind the `#` of a link to `/__drawbridge__/enter`, and nowhere else: no server and no log sees it
    /// there.
    public func drawTicket() -> String { tickets.draw() }

    /// The devices that are let in now, in no order.
    public var all: [Admission] {
        state.withLock { state in
            dropIdle(&state)
            return state.devices.values.map { device in
                var admission = device.admission
                admission.openCount = device.stays.count
                return admission
            }
        }
    }

    /// Ends a device's admission; what it holds open is closed at once.
    ///
    /// - Returns: false where there is none with this id.
    @discardableResult
    public func revoke(_ id: String) -> Bool {
        let device = state.withLock { state in
            state.devices.first { $0.value.admission.id == id }.flatMap {
                state.devices.removeValue(forKey: $0.key)
            }
        }
        device?.stays.values.forEach { $0() }
        return device != nil
    }

    /// Calls back when the next device is let in, once.
    package func onNextEntry(_ tell: @escaping @Sendable () -> Void) { state.withLock { $0.onEntry = tell } }

    /// Compares a ticket, unless the caller has guessed too often.
    package func judge(ticket: String, from address: String?) -> Verdict {
        tickets.judge(ticket, from: address)
    }

    /// Lets a device in.
    ///
    /// - Returns: the secret of its cookie, which is not kept.
    package func admit(address: String?, browser: String) -> (admission: Admission, secret: String) {
        let secret = String.random128()
        let admission = Admission(
            id: String(String.random128().prefix(8)), address: address, browser: String(browser.prefix(200)))
        let (tell, displaced) = state.withLock { state in
            dropIdle(&state)
            let idlest =
                state.devices.count < Self.most ? nil : state.devices.min { $0.value.used < $1.value.used }
            let displaced = idlest.flatMap { state.devices.removeValue(forKey: $0.key) }
            state.devices[SHA256.digest(secret)] = Device(admission: admission, used: now())
            defer { state.onEntry = nil }
            return (state.onEntry, displaced)
        }
        displaced?.stays.values.forEach { $0() }
        tell?()
        return (admission, secret)
    }

    /// Compares the secret of a cookie, unless the caller has guessed too often; a right one counts as used.
    package func judge(secret: String, from address: String?) -> Verdict {
        let hash = SHA256.digest(secret)
        return cookieGuesses.judge(from: address) {
            state.withLock { state in
                let now = now()
                guard let device = state.devices[hash], device.isIn(now) else { return false }
                state.devices[hash]?.used = now
                return true
            }
        }
    }

    /// Notes a connection that a device holds open, to be closed when its admission ends.
    ///
    /// - Parameters:
    ///   - secret: that of its cookie.
    ///   - close: called when the admission ends, from any thread.
    /// - Returns: what to call when that is closed for another reason; nil where the admission has ended already.
    package func hold(_ secret: String, _ close: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        let hash = SHA256.digest(secret)
        let number: Int? = state.withLock { state in
            guard state.devices[hash] != nil else { return nil }
            state.lastStay += 1
            state.devices[hash]?.stays[state.lastStay] = close
            return state.lastStay
        }
        guard let number else { return nil }
        return { [weak self] in
            self?.state.withLock { state in
                state.devices[hash]?.stays[number] = nil
                // The device was in use for as long as it held this open; its idle time begins now.
                if let now = self?.now() { state.devices[hash]?.used = now }
            }
        }
    }

    private func dropIdle(_ state: inout State) {
        let now = now()
        state.devices = state.devices.filter { $0.value.isIn(now) }
    }
}

/// A device elsewhere that was let in by a link.
public struct Admission: Sendable, Identifiable {
    /// Identifies it to people and in the tester's API; it grants no access.
    public let id: String
    /// Its address when it was let in; nil where that is unknown.
    public let address: String?
    /// What its browser calls itself, at most 200 characters.
    public let browser: String
    /// How many calls, streams, tunnels and pages' channels it held open when this was asked for.
    public package(set) var openCount = 0
}
