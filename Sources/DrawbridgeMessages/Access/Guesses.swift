import Synchronization

/// Limits how fast secrets of one kind can be guessed, by counting each caller's wrong ones.
///
/// After twenty wrong secrets within a second, that caller's secrets are not compared until the second is over. Even a
/// right one is refused, so faster guessing finds nothing. Other callers are not affected.
package final class Guesses: Sendable {
    /// How many wrong secrets of a caller are compared in one second.
    static let perSecond = 20
    /// How many callers are told apart; where more than these guess within a second, the others count as one caller.
    static let mostCallers = 4096

    private struct Caller {
        var wrong = 0
        var since: ContinuousClock.Instant

        func isRecent(_ now: ContinuousClock.Instant) -> Bool { since.duration(to: now) < .seconds(1) }
    }

    private let callers = Mutex<[Key: Caller]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Compares a secret by `isRight`, unless this caller has guessed too often.
    ///
    /// - Parameter address: the caller's; nil where there is no socket.
    package func judge(from address: String?, _ isRight: () -> Bool) -> Verdict {
        let own = Key(address)
        let now = now()
        return callers.withLock { callers in
            if callers.count >= Self.mostCallers { callers = callers.filter { $0.value.isRecent(now) } }
            let key = callers[own] != nil || callers.count < Self.mostCallers ? own : .rest
            let caller = callers[key].flatMap { $0.isRecent(now) ? $0 : nil } ?? Caller(since: now)
            guard caller.wrong < Self.perSecond else { return .throttled }
            guard !isRight() else { return .right }
            callers[key] = Caller(wrong: caller.wrong + 1, since: caller.since)
            return .wrong
        }
    }

    /// What counts as one caller: an IPv4 address, or an IPv6 network of 64 bits, where a machine may take any address.
    private enum Key: Hashable {
        case none
        case address(IPAddress)
        case network(UInt128)
        case rest

        init(_ text: String?) {
            let address = text.flatMap { IPAddress($0) }
            self = address.map { $0.isIPv6 ? .network($0.bits >> 64) : .address($0) } ?? Key.none
        }
    }
}

package enum Verdict: Sendable {
    case right
    case wrong
    /// Not compared, since the caller has sent too many wrong ones in this second.
    case throttled
}

extension String {
    /// 128 bits from the system's generator, as 32 hexadecimal digits.
    package static func random128() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in JSON.hexadecimal(generator.next() as UInt64, digits: 16) }.joined()
    }

    /// Whether a candidate is this secret, in a time that does not depend on where the difference is.
    package func isSame(asSecret candidate: String) -> Bool {
        let (own, other) = (utf8, candidate.utf8)
        guard other.count == own.count else { return false }
        return zip(other, own).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
