import Synchronization

/// Requests of pages that wait until earlier messages of their page have begun.
///
/// A page's calls begin in the order in which it made them (contract, the second rule). Messages come by the channel
/// and a request by a connection of its own, so a request may be there first.
final class PageTurns: Sendable {
    /// A position in what a page sends: after a message of one of its lives.
    struct Place: Sendable {
        let life: Int
        let number: Int
    }

    private let waiting = Mutex<[String: [Turn]]>([:])
    private let limit = Mutex(Duration.seconds(1))

    /// How long a request waits for the messages before it; some tests set another time.
    var patience: Duration {
        get { limit.withLock { $0 } }
        set { limit.withLock { $0 = newValue } }
    }

    var count: Int { waiting.withLock { $0.values.lazy.map(\.count).reduce(0, +) } }

    /// Waits until a page's messages before a position have begun, for its ``patience`` at most.
    ///
    /// - Parameter isThere: whether they have; asked after the wait was registered.
    /// - Returns: false where the time passed first.
    func wait(for place: Place, of id: String, until isThere: () -> Bool) async -> Bool {
        let turn = Turn(place)
        waiting.withLock { $0[id, default: []].append(turn) }
        defer {
            waiting.withLock { waiting in
                waiting[id]?.removeAll { $0 === turn }
                if waiting[id]?.isEmpty == true { waiting[id] = nil }
            }
        }
        if isThere() { return true }
        return await turn.comes(within: patience)
    }

    /// Ends the waits for a page's messages up to this position, and for those of its earlier lives.
    func reached(_ place: Place, of id: String) {
        let turns = waiting.withLock { waiting in
            waiting[id]?.filter { ($0.place.life, $0.place.number) <= (place.life, place.number) } ?? []
        }
        for turn in turns { turn.end(true) }
    }

    private final class Turn: Expiring {
        private enum State {
            case waiting(CheckedContinuation<Bool, Never>?)
            case over(hasCome: Bool)
        }

        let place: Place
        private let state = Mutex(State.waiting(nil))

        init(_ place: Place) { self.place = place }

        /// Whether the turn has come before the time is up; a caller that leaves waits no longer.
        func comes(within time: Duration) async -> Bool {
            Deadlines.shared.add(self, after: time)
            defer { Deadlines.shared.remove(self) }
            return await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in
                    let hasCome: Bool? = state.withLock { state in
                        if case .over(let hasCome) = state { return hasCome }
                        state = .waiting(waiter)
                        return nil
                    }
                    if let hasCome { waiter.resume(returning: hasCome) }
                }
            } onCancel: {
                end(true)
            }
        }

        /// Decides whether the turn has come; the first decision counts.
        func end(_ hasCome: Bool) {
            let waiter: CheckedContinuation<Bool, Never>? = state.withLock { state in
                guard case .waiting(let waiter) = state else { return nil }
                state = .over(hasCome: hasCome)
                return waiter
            }
            waiter?.resume(returning: hasCome)
        }

        func expire() { end(false) }
    }
}

extension PageTurns.Place {
    /// Reads `life.number`, as ``HTTPField/Name/pageAfter`` has it.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let life = Int(parts[0]), let number = Int(parts[1]),
            PageMessage.counts.contains(life), PageMessage.counts.contains(number)
        else { return nil }
        self.init(life: life, number: number)
    }
}
