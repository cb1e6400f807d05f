import Synchronization

// What is no record, and changes too while somebody looks.
extension Journal {
    /// What an inspector shows besides records.
    enum Topic: String, CaseIterable, Sendable {
        case pages, questions, replies, scenarios, sessions
    }

    /// Tells whoever looks that something may be another now.
    func touch(_ topics: Topic...) {
        guard isOn else { return }
        let waiters = state.withLock { state in
            state.changes += 1
            for topic in topics { state.touched[topic] = state.changes }
            return state.takeWaiters { $0.hearsTopics }
        }
        for waiter in waiters { waiter.wake() }
    }

    /// What may be another than at a change.
    func touched(since change: Int) -> (topics: [Topic], now: Int) {
        state.withLock { state in
            (Topic.allCases.filter { state.touched[$0, default: 0] > change }, state.changes)
        }
    }
}
