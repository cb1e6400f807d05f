import Synchronization

/// The admitted devices on other machines, and the tickets by which more are admitted.
///
/// A link contains a ticket. A browser that opens it within ten minutes gets a cookie, with which it may load pages and
/// files. The cookie is 128 random bits, different for each device; only its hash is kept. It is valid until it was
/// unused for twelve hours, is revoked, or the process ends.
public final class Admissions: Sendable {
    /// How long a device may be idle before its admission ends.
    package static let idleTime = Duration.seconds(12 * 3600)
    /// The most admitted devices; one more replaces the one that was idle longest.
    package static let most = 1000

    private struct Device {
        let admission: Admission
        var used: ContinuousClock.Instant
        var stays: [Int: @Sendable () -> Void] = [:]

        /// Whether the device is still admitted; one that holds a connection open is not idle.
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

    /// Makes a ticket: 128 random bits as 32 hexadecimal digits, valid for ten minutes and for several devices.
    ///
    /// Put it into the fragment (after the `#`) of a link to `/__drawbridge__/enter`, and nowhere else: no server and
    /// no log sees a fragment.
    public func drawTicket() -> String { tickets.draw() }

    /// The devices that are admitted now, in no particular order.
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

    /// Ends a device's admission; its open connections are closed at once.
    ///
    /// - Returns: false if no device has this id.
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

    /// Calls `tell` once, when the next device is admitted.
    package func onNextEntry(_ tell: @escaping @Sendable () -> Void) { state.withLock { $0.onEntry = tell } }

    /// Compares a ticket, unless the caller has guessed too often.
    package func judge(ticket: String, from address: String?) -> Verdict {
        tickets.judge(ticket, from: address)
    }

    /// Admits a device.
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

    /// Registers an open connection of a device, which is closed when the admission ends.
    ///
    /// - Parameters:
    ///   - secret: the secret in the device's cookie.
    ///   - close: called when the admission ends, from any thread.
    /// - Returns: a function to call when it closes for another reason; nil if the admission has ended already.
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

/// A device on another machine that was admitted by a link.
public struct Admission: Sendable, Identifiable {
    /// Identifies it to people and in the tester's API; it grants no access.
    public let id: String
    /// Its address when it was admitted; nil if that is unknown.
    public let address: String?
    /// The `User-Agent` of its browser, at most 200 characters.
    public let browser: String
    /// How many calls, streams, tunnels and pages' channels it had open when ``Admissions/all`` was read.
    public package(set) var openCount = 0
}
