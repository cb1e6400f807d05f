import Synchronization

/// Makes requests of a page wait until the page's earlier messages have been started.
///
/// A page's calls start in the order in which it made them (contract, the second rule). Messages use the channel and a
/// request uses another connection, so a request can arrive before an earlier message.
package final class PageTurns: Sendable {
    /// A position in the sequence of a page's messages: after message `number` of life `life`.
    package struct Place: Sendable {
        package let life: Int
        package let number: Int

        package init(life: Int, number: Int) { (self.life, self.number) = (life, number) }

        /// Parses `life.number`, the format of ``HTTPField/Name/pageAfter``.
        package init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let life = Int(parts[0]), let number = Int(parts[1]),
                PageSign.counts.contains(life), PageSign.counts.contains(number)
            else { return nil }
            self.init(life: life, number: number)
        }
    }

    /// A request that waits: true when its turn has come, false at the deadline; only the first value is kept.
    private typealias Turn = (place: Place, decision: AsyncStream<Bool>.Continuation)

    private let waiting = Mutex<[String: [Turn]]>([:])
    /// How long a request waits for earlier messages at most; some tests set another time.
    package let patience = Mutex(Duration.seconds(1))

    package init() {}

    package var count: Int { waiting.withLock { $0.values.lazy.map(\.count).reduce(0, +) } }

    /// Waits until a page's messages up to a position have started, at most for ``patience``.
    ///
    /// - Parameter isThere: whether they have started; called after the wait is registered, so that none is missed.
    /// - Returns: false if they did not start in time.
    package func wait(for place: Place, of id: String, until isThere: () -> Bool) async -> Bool {
        let (decisions, decision) = AsyncStream.makeStream(
            of: Bool.self, bufferingPolicy: .bufferingOldest(1))
        waiting.withLock { $0[id, default: []].append((place, decision)) }
        defer {
            waiting.withLock { waiting in
                waiting[id]?.removeAll { $0.decision == decision }
                if waiting[id]?.isEmpty == true { waiting[id] = nil }
            }
        }
        if isThere() { return true }
        let time = patience.withLock { $0 }
        let deadline = Task {
            try await Task.sleep(for: time)
            decision.yield(false)
        }
        defer { deadline.cancel() }
        // Nil if the task was cancelled.
        return await decisions.first { _ in true } ?? true
    }

    /// Ends the waits for this position or an earlier one of the page, also in its earlier lives.
    package func reached(_ place: Place, of id: String) {
        let turns = waiting.withLock { waiting in
            waiting[id]?.filter { ($0.place.life, $0.place.number) <= (place.life, place.number) } ?? []
        }
        for turn in turns { turn.decision.yield(true) }
    }
}
