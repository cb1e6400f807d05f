import Dispatch
import Synchronization

package protocol Expiring: AnyObject, Sendable {
    /// Called at the deadline, on the thread of ``Deadlines``; must not block.
    func expire()
}

/// Calls `expire()` on loads and other objects at their deadlines, from one thread for the whole process.
///
/// A sleeping task for each deadline would stay in memory until then, even if it was cancelled early.
package final class Deadlines: Sendable {
    private struct State {
        var waiting: [ObjectIdentifier: (end: ContinuousClock.Instant, waiter: any Expiring)] = [:]
        var nextLook: ContinuousClock.Instant?
    }

    package static let shared = Deadlines()

    private let state = Mutex(State())
    private let news = DispatchSemaphore(value: 0)

    private init() {
        DispatchQueue(label: "drawbridge.deadlines").async { [self] in
            while true { look() }
        }
    }

    package func add(_ waiter: any Expiring, after duration: Duration) {
        let end = ContinuousClock.now + duration
        let isFirst = state.withLock { state in
            state.waiting[ObjectIdentifier(waiter)] = (end, waiter)
            guard state.nextLook.map({ end < $0 }) ?? true else { return false }
            state.nextLook = end
            return true
        }
        if isFirst { news.signal() }
    }

    package func remove(_ waiter: any Expiring) {
        state.withLock { _ = $0.waiting.removeValue(forKey: ObjectIdentifier(waiter)) }
    }

    /// Waits until the next deadline or until an earlier one is added, then expires what is due.
    private func look() {
        if let next = state.withLock({ $0.nextLook }) {
            // At most an hour: Dispatch counts nanoseconds, and a longer deadline could overflow.
            let left = min(.seconds(3600), max(.zero, ContinuousClock.now.duration(to: next)))
            if news.wait(timeout: .now() + left / .seconds(1)) == .success { return }
        } else {
            return news.wait()
        }
        let now = ContinuousClock.now
        let over = state.withLock { state in
            let over = state.waiting.values.filter { $0.end <= now }.map(\.waiter)
            for waiter in over { state.waiting[ObjectIdentifier(waiter)] = nil }
            state.nextLook = state.waiting.values.map(\.end).min()
            return over
        }
        for waiter in over { waiter.expire() }
    }
}
