import Synchronization

/// The admitted devices on other machines, and the tickets by which more are admitted.
///
/// A link contains a ticket. A browser that opens it within ten minutes gets a cookie, with which it may load pages and
/// files. Each device has its own cookie, of which only the hash is kept. It is valid until it was unused for twelve hours
/// or is revoked.
///
/// Tickets and cookies are a time and its code of 128 bits. Without `DRAWBRIDGE_SECRET` their secret is random and ends
/// with the process. Gateways with the same secret accept each other's tickets and, for twelve hours, cookies.
public final class Admissions: Sendable {
    /// How long a device may be idle before its admission ends, in seconds.
    package static let idleTime = 12 * 3600
    /// The most devices, and the most revoked ones, that are kept; one more replaces the one that was idle longest.
    package static let most = 1000

    private struct Device {
        let admission: Admission
        var used: Int
        var stays: [Int: @Sendable () -> Void] = [:]

        /// Whether the device is still admitted; one that holds a connection open is not idle.
        func isIn(_ now: Int) -> Bool { !stays.isEmpty || now - used < Admissions.idleTime }
    }

    private struct State {
        var devices: [[UInt8]: Device] = [:]
        /// When the devices with these ids were revoked.
        var revoked: [String: Int] = [:]
        var lastStay = 0

        mutating func enter(_ admission: Admission, _ hash: [UInt8], _ now: Int) {
            dropIdle(now)
            let idlest = devices.filter { $0.value.stays.isEmpty }.min { $0.value.used < $1.value.used }
            if devices.count >= most, let idlest { devices[idlest.key] = nil }
            devices[hash] = Device(admission: admission, used: now)
        }

        mutating func dropIdle(_ now: Int) {
            devices = devices.filter { $0.value.isIn(now) }
            // By then a cookie is refused by its age.
            revoked = revoked.filter { now - $0.value < idleTime + 60 }
        }
    }

    private let state = Mutex(State())
    private let secret: SharedSecret
    private let now: @Sendable () -> Int
    private let (ticketGuesses, cookieGuesses) = (Guesses(), Guesses())

    /// - Parameter now: the seconds since 1970.
    package init(
        secret: SharedSecret = SharedSecret(), now: @escaping @Sendable () -> Int = secondsSince1970
    ) {
        self.secret = secret
        self.now = now
    }

    /// Makes a ticket: 40 hexadecimal digits, valid for ten minutes and for several devices.
    ///
    /// Put it into the fragment (after the `#`) of a link to `/__drawbridge__/enter`, and nowhere else: no server and
    /// no log sees a fragment.
    public func drawTicket() -> String { secret.seal("", for: "ticket", at: now()) }

    /// The devices that are admitted now, in no particular order.
    public var all: [Admission] {
        state.withLock { state in
            state.dropIdle(now())
            return state.devices.values.map { device in
                var admission = device.admission
                admission.openCount = device.stays.count
                return admission
            }
        }
    }

    /// Ends a device's admission; its open connections are closed at once.
    ///
    /// - Returns: false if no device has this id; one that comes later from another gateway is refused nevertheless.
    @discardableResult
    public func revoke(_ id: String) -> Bool {
        let device: Device? = state.withLock { state in
            guard state.revoked[id] == nil, id.utf8.count == 8 else { return nil }
            if state.revoked.count >= Self.most, let oldest = state.revoked.min(by: { $0.value < $1.value }) {
                state.revoked[oldest.key] = nil
            }
            state.revoked[id] = now()
            return state.devices.first { $0.value.admission.id == id }
                .flatMap { state.devices.removeValue(forKey: $0.key) }
        }
        device?.stays.values.forEach { $0() }
        return device != nil
    }

    /// The ids of the devices that were revoked, for other gateways.
    package var revoked: [String] { state.withLock { Array($0.revoked.keys) } }

    /// Compares a ticket, unless the caller has guessed too often.
    package func judge(ticket: String, from address: String?) -> Verdict {
        ticketGuesses.judge(from: address) {
            secret.isSealed(ticket, for: "ticket", at: now(), within: 600)
        }
    }

    /// Admits a device.
    ///
    /// - Returns: the value of its cookie, which is not kept.
    package func admit(address: String?, browser: String?) -> (admission: Admission, cookie: String) {
        let cookie = secret.seal(String.random128().prefix(14), for: "cookie", at: now())
        let hash = SHA256.digest(cookie)
        let admission = Admission(hash, address, browser)
        state.withLock { $0.enter(admission, hash, now()) }
        return (admission, cookie)
    }

    /// Compares a cookie, unless the caller has guessed too often; a right one counts as used. Its device may be new here,
    /// if a gateway with the same secret has admitted it.
    package func judge(cookie: String, from address: String?, browser: String?) -> Verdict {
        let (hash, now) = (SHA256.digest(cookie), now())
        return cookieGuesses.judge(from: address) {
            state.withLock { state in
                if state.devices[hash]?.isIn(now) != true {
                    let admission = Admission(hash, address, browser)
                    guard state.revoked[admission.id] == nil,
                        secret.isSealed(cookie, for: "cookie", at: now, within: Self.idleTime)
                    else { return false }
                    state.enter(admission, hash, now)
                }
                state.devices[hash]?.used = now
                return true
            }
        }
    }

    /// Registers an open connection of a device, which is closed when the admission ends.
    ///
    /// - Parameters:
    ///   - cookie: the value of the device's cookie.
    ///   - close: called when the admission ends, from any thread.
    /// - Returns: a function to call when it closes for another reason; nil if the admission has ended already.
    package func hold(_ cookie: String, _ close: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        let hash = SHA256.digest(cookie)
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

    /// - Parameter hash: that of its cookie, so that it has the same id at each gateway.
    fileprivate init(_ hash: [UInt8], _ address: String?, _ browser: String?) {
        id = hash.prefix(4).map { JSON.hexadecimal($0, digits: 2) }.joined()
        self.address = address
        self.browser = String((browser ?? "a program without a name").prefix(200))
    }
}
