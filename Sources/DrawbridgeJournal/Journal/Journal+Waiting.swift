import Synchronization

extension Journal {
    static let mostWaiters = 256
    /// A pause before each wait, so that many calls in a row are looked at together.
    private static let pause = Duration.milliseconds(5)

    /// A task that is woken when a record that matches `filter` changes, or a topic.
    struct Waiter {
        let filter: RecordFilter?
        let hearsTopics: Bool
        let waker: AsyncStream<Never>.Continuation
    }

    /// Whether the gateway is stopping; setting it wakes all waiting tasks.
    package var isStopping: Bool {
        get { state.withLock { $0.isStopping } }
        set {
            state.withLock { state in
                state.isStopping = newValue
                state.wake { _ in newValue }
            }
        }
    }

    /// Waits until `isDone` returns true; it is called first at once, and then after each change.
    ///
    /// - Parameter filter: the records whose changes matter; nil for all.
    /// - Returns: false if the deadline passed first.
    /// - Throws: an ``HTTPError`` if too many tasks are waiting, or the gateway stops.
    package func wait(
        for filter: RecordFilter?, until deadline: ContinuousClock.Instant, hearsTopics: Bool = false,
        _ isDone: () -> Bool
    ) async throws(HTTPError) -> Bool {
        let place = waiting.add(1, ordering: .relaxed).newValue
        defer { waiting.subtract(1, ordering: .relaxed) }
        while true {
            let changes = state.withLock { $0.changes }
            if isDone() { return true }
            guard !isStopping else { throw HTTPError(.serviceUnavailable, "the gateway is stopping") }
            guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
            guard place <= Self.mostWaiters else {
                throw HTTPError(
                    .serviceUnavailable,
                    "\(Self.mostWaiters) requests wait already; try again when some have ended")
            }
            try? await Task.sleep(for: Self.pause)
            await changed(since: changes, filter, until: deadline, hearsTopics: hearsTopics)
        }
    }

    /// Returns at the next change, at the deadline, or when the task is cancelled.
    package func changed(
        since changes: Int, _ filter: RecordFilter?, until deadline: ContinuousClock.Instant,
        hearsTopics: Bool = false
    ) async {
        let (wakes, waker) = AsyncStream.makeStream(of: Never.self)
        let number: Int? = state.withLock { state in
            guard !state.isStopping, state.changes == changes else { return nil }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = Waiter(filter: filter, hearsTopics: hearsTopics, waker: waker)
            return state.lastWaiter
        }
        guard let number else { return }
        let timer = Task {
            try? await Task.sleep(until: deadline)
            waker.finish()
        }
        for await _ in wakes {}
        timer.cancel()
        state.withLock { _ = $0.waiters.removeValue(forKey: number) }
    }

    package enum Topic: String, CaseIterable, Sendable {
        case gateway, pages, questions, replies, scenarios, sessions
    }

    /// Notes that these topics may have changed, and wakes the tasks that wait for topics.
    package func touch(_ topics: Topic...) {
        state.withLock { state in
            state.change()
            for topic in topics { state.touched[topic] = state.changes }
            state.wake { $0.hearsTopics }
        }
    }

    package func touched(since change: Int) -> (topics: [Topic], now: Int) {
        state.withLock { state in
            (Topic.allCases.filter { state.touched[$0, default: 0] > change }, state.changes)
        }
    }
}

extension Journal.State {
    mutating func wake(for number: Int) {
        guard !waiters.isEmpty, let record = record(number) else { return }
        wake { $0.filter?.isAbout(record) ?? true }
    }

    mutating func wake(_ concerns: (Journal.Waiter) -> Bool) {
        for (number, waiter) in waiters where concerns(waiter) {
            waiters[number] = nil
            waiter.waker.finish()
        }
    }
}

extension Journal {
    /// The records that a wait has matched so far; each look examines only records that changed since the last one.
    package struct Watch {
        /// Numbers and not records, which would stay in memory after the journal has dropped them.
        package private(set) var found: [(number: Int, place: Int)] = []
        /// The highest dropped number among the records of the filter's session and kinds.
        package private(set) var lastLost = 0
        private var view = 1
        private var lastChange = 0
        private let filter: RecordFilter
        private let place: (JournalRecord) -> Int?

        package var hasLost: Bool { view <= lastLost }

        /// Watches the filter's session and kinds; `place` returns a number for a match, nil for any other record.
        package init(_ filter: RecordFilter, _ place: @escaping (JournalRecord) -> Int?) {
            self.filter = RecordFilter(session: filter.session, kinds: filter.kinds)
            self.place = place
        }

        package mutating func look(in journal: Journal) {
            var hasMore = true
            while hasMore {
                let news = journal.changes(since: lastChange, filter, atMost: .max)
                (lastChange, view, lastLost, hasMore) = (news.next, news.view, news.lastLost, news.hasMore)
                for record in news.records {
                    // Searches from the end: mostly the newest records change.
                    let end = found.lastIndex { $0.number < record.number }.map { $0 + 1 } ?? 0
                    if end < found.count, found[end].number == record.number { found.remove(at: end) }
                    if let place = place(record) { found.insert((record.number, place), at: end) }
                }
            }
            let first = found.count > Limits().records ? max(view, lastLost + 1) : view
            if let oldest = found.first, oldest.number < first { found.removeAll { $0.number < first } }
        }
    }
}
