import Synchronization

/// Requests of pages that wait until earlier messages of their page have begun.
///
/// A page's calls begin in the order in which it made them (contract, the second rule). Messages come by the channel
/// and a request by a connection of its own, so a request may be there first.
package final class PageTurns: Sendable {
    /// A position in what a page sends: after a message of one of its lives.
    package struct Place: Sendable {
        package let life: Int
        package let number: Int

        package init(life: Int, number: Int) { (self.life, self.number) = (life, number) }

        /// Reads `life.number`, as ``HTTPField/Name/pageAfter`` has it.
        package init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let life = Int(parts[0]), let number = Int(parts[1]),
                PageSign.counts.contains(life), PageSign.counts.contains(number)
            else { return nil }
            self.init(life: life, number: number)
        }
    }

    private let waiting = Mutex<[String: [Turn]]>([:])
    private let limit = Mutex(Duration.seconds(1))

    package init() {}

    /// How long a request waits for the messages before it; some tests set another time.
    package var patience: Duration {
        get { limit.withLock { $0 } }
        set { limit.withLock { $0 = newValue } }
    }

    package var count: Int { waiting.withLock { $0.values.lazy.map(\.count).reduce(0, +) } }

    /// Waits until a page's messages before a position have begun, for its ``patience`` at most.
    ///
    /// - Parameter isThere: whether they have; asked after the wait was registered.
    /// - Returns: false where the time passed first.
    package func wait(for place: Place, of id: String, until isThere: () -> Bool) async -> Bool {
        let turn = Turn(place)
        waiting.withLock { $0[id, default: []].append(turn) }
        defer {
            waiting.withLock { waiting in
                waiting[id]?.removeAll { $0 === turn }
                if waiting[id]?.isEmpty == true { waiting[id] = nil }
            }
        }
        return isThere() ? true : await turn.comes(within: patience)
    }

    /// Ends the waits for a page's messages up to this position, and for those of its earlier lives.
    package func reached(_ place: Place, of id: String) {
        let turns = waiting.withLock { waiting in
            waiting[id]?.filter { ($0.place.life, $0.place.number) <= (place.life, place.number) } ?? []
        }
        for turn in turns { turn.end(true) }
    }

    private final class Turn: Expiring {
        let place: Place
        /// Whether the turn has come; the first decision is kept.
        private let (decisions, decision) = AsyncStream.makeStream(
            of: Bool.self, bufferingPolicy: .bufferingOldest(1))

        init(_ place: Place) { self.place = place }

        /// Whether the turn has come before the time is up; a caller that leaves waits no longer.
        func comes(within time: Duration) async -> Bool {
            Deadlines.shared.add(self, after: time)
            defer { Deadlines.shared.remove(self) }
            return await decisions.first { _ in true } ?? true
        }

        func end(_ hasCome: Bool) { decision.yield(hasCome) }

        func expire() { end(false) }
    }
}
