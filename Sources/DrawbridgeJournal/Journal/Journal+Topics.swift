import Synchronization

// What an inspector shows besides records, and how it learns of changes.
extension Journal {
    /// What an inspector shows besides records.
    package enum Topic: String, CaseIterable, Sendable {
        case pages, questions, replies, scenarios, sessions
    }

    /// Notes that topics may have changed, and wakes those who wait for that.
    package func touch(_ topics: Topic...) {
        guard isOn else { return }
        let waiters = state.withLock { state in
            state.changes += 1
            for topic in topics { state.touched[topic] = state.changes }
            return state.takeWaiters { $0.hearsTopics }
        }
        for waiter in waiters { waiter.wake() }
    }

    /// The topics that may have changed since a change, and the number of the last change.
    package func touched(since change: Int) -> (topics: [Topic], now: Int) {
        state.withLock { state in
            (Topic.allCases.filter { state.touched[$0, default: 0] > change }, state.changes)
        }
    }
}
