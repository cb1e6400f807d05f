import Synchronization

/// The admitted devices on other machines, and the tickets by which more are admitted.
///
/// A link contains a ticket. A browser that opens it within ten minutes gets a cookie, with which it may load pages and
/// files. Each device has its own cookie, of which only the hash is kept. It is valid until it was unused for twelve hours
/// or is revoked.
///
/// Tickets and cookies are a time and its code of 128 bits. Without `DRAWBRIDGE_SECRET` their secret is random and ends
/// with the process. Gateways with the same secret accept each other's tickets and, for twelve hours, cookies. A cookie has
/// the time of its ticket.
public final class Admissions: Sendable {
    /// How long a device may be idle before its admission ends, in seconds.
    package static let idleTime = 12 * 3600
    /// The most devices, and the most revoked ones, that are kept.
    package static let most = 1000

    private struct Device {
        let admission: Admission
        let made: Int
        var used: Int
        var stays: [Int: @Sendable () -> Void] = [:]

        /// Whether the device is still admitted; one that holds a connection open is not idle.
        func isIn(_ now: Int) -> Bool { !stays.isEmpty || now - used < Admissions.idleTime }
    }

    private struct State {
        var devices: [[UInt8]: Device] = [:]
        /// When devices were revoked, by their ids; `*` has the time until which cookies and tickets are refused.
        var revoked: [String: Int] = [:]
        var floor: Int { revoked["*"] ?? 0 }
        var lastStay = 0

        /// Notes that a device is used now; false if it is not here.
        mutating func use(_ hash: [UInt8], _ now: Int) -> Bool {
            guard devices[hash]?.isIn(now) == true else { return false }
            devices[hash]?.used = now
            return true
        }

        /// Lets a device in whose cookie is not revoked, perhaps instead of the one that was idle longest.
        mutating func enter(_ admission: Admission, _ hash: [UInt8], made: Int, _ now: Int) -> Bool {
            guard made > floor, revoked[admission.id] == nil else { return false }
            if devices[hash] == nil, devices.count >= most {
                dropIdle(now)
                let idlest = devices.filter { $0.value.stays.isEmpty }.min { $0.value.used < $1.value.used }
                if devices.count >= most, let idlest { devices[idlest.key] = nil }
            }
            devices[hash, default: Device(admission: admission, made: made, used: now)].used = now
            return true
        }

        mutating func dropIdle(_ now: Int) { devices = devices.filter { $0.value.isIn(now) } }

        /// Forgets what is too old, and the oldest of too many: then cookies that are as old are refused.
        mutating func forget(_ now: Int) {
            revoked = revoked.filter { now - $0.value < idleTime + 60 }
            let seconds = revoked.filter { $0.key != "*" }.values.sorted()
            guard seconds.count > most else { return }
            let last = max(floor, seconds[seconds.count - most - 1])
            revoked = revoked.filter { $0.value > last }
            revoked["*"] = last
        }
    }

    private let state = Mutex(State())
    private let secret: SharedSecret
    private let now: @Sendable () -> Int

    package init(secret: SharedSecret = SharedSecret(), now: @escaping @Sendable () -> Int = unixTime) {
        self.secret = secret
        self.now = now
    }

    /// Makes a ticket: 40 hexadecimal digits, valid for ten minutes and for several devices.
    ///
    /// Put it into the fragment (after the `#`) of a link to `/__drawbridge__/enter`, and nowhere else: no server and
    /// no log sees a fragment.
    public func drawTicket() -> String { secret.seal("", for: "ticket", at: second) }

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
    /// - Parameter id: the device's; with `*`, all admissions end, and all tickets are invalid.
    /// - Returns: false if no device has this id; one that comes later from another gateway is refused nevertheless.
    @discardableResult
    public func revoke(_ id: String) -> Bool { revoke(id, at: second) }

    /// Revokes as above, here or at another gateway, at that time.
    @discardableResult package func revoke(_ id: String, at second: Int) -> Bool {
        let ended: [Device] = state.withLock { state in
            guard second > state.revoked[id] ?? state.floor, Admission.isID(id) else { return [] }
            state.revoked[id] = second
            state.forget(now())
            let hashes = state.devices.filter { $0.value.admission.id == id || $0.value.made <= state.floor }
                .keys
            return hashes.compactMap { state.devices.removeValue(forKey: $0) }
        }
        for device in ended { device.stays.values.forEach { $0() } }
        return !ended.isEmpty
    }

    package var revoked: [String: Int] { state.withLock { $0.revoked } }

    /// Admits a device by a ticket; nil if that is not valid.
    ///
    /// - Returns: also the value of its cookie, which is not kept.
    package func admit(
        ticket: String, address: String?, browser: String?
    ) -> (admission: Admission, cookie: String)? {
        guard let made = time(of: ticket, as: "ticket", for: 600) else { return nil }
        let cookie = secret.seal(String.random128().prefix(14), for: "cookie", at: made)
        let hash = SHA256.digest(cookie)
        let admission = Admission(hash, address, browser)
        let isIn = state.withLock { $0.enter(admission, hash, made: made, now()) }
        return isIn ? (admission, cookie) : nil
    }

    /// Whether a cookie is right; its device may be new here, if a gateway with the same secret has admitted it.
    package func accepts(cookie: String, from address: String?, browser: @autoclosure () -> String?) -> Bool {
        guard cookie.utf8.count == 54 else { return false }
        let hash = SHA256.digest(cookie)
        if state.withLock({ $0.use(hash, now()) }) { return true }
        guard let made = time(of: cookie, as: "cookie", for: Self.idleTime) else { return false }
        let admission = Admission(hash, address, browser())
        return state.withLock { $0.enter(admission, hash, made: made, now()) }
    }

    /// Now, or the second after all was revoked.
    private var second: Int { state.withLock { max(now(), $0.floor + 1) } }

    /// When a text was made, if it is valid so long; the clocks of two machines may differ by a minute.
    private func time(of text: String, as purpose: String, for seconds: Int) -> Int? {
        secret.time(of: text, for: purpose).flatMap { -60..<seconds ~= second - $0 ? $0 : nil }
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
        self.browser = (browser ?? "a program without a name").cut(to: 199)
    }

    package static func isID(_ text: String) -> Bool {
        text == "*" || text.utf8.count == 8 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
}
