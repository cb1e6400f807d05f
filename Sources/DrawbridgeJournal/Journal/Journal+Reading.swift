import Synchronization

extension Journal {
    /// The matching records, the number at which the next read goes on, and whether records between were dropped.
    ///
    /// - Parameter since: the number of the first record; nil for all that the session sees.
    package func read(
        _ filter: RecordFilter, since: Int? = nil, atMost limit: Int = .max
    ) -> (records: [JournalRecord], next: Int, hasLost: Bool) {
        let (kept, view, now) = state.withLock {
            (($0.records, $0.requests), $0.views[filter.session], $0.next)
        }
        let from = max(since ?? 1, view.from)
        var (found, next) = ([JournalRecord](), now)
        Self.each(kept, of: filter.kinds, from: from) { record in
            guard filter.fits(record) else { return true }
            if found.count == limit { next = record.number } else { found.append(record) }
            return next == now
        }
        return (found, next, from <= view.lastLost(of: filter.kinds))
    }

    /// The names that were called instead, for the message that an expected call did not come.
    package func called(instead filter: RecordFilter, since: Int? = nil) -> String {
        var all = filter
        (all.name, all.state, all.by, all.when, all.isUnanswered) = (nil, nil, nil, nil, false)
        let names = Set(read(all, since: since).records.map(\.name)).sorted().prefix(20)
        return names.isEmpty ? "nothing was called" : "called: \(names.joined(separator: ", "))"
    }

    package func record(_ number: Int) -> JournalRecord? { state.withLock { $0.record(number) } }

    /// The newest record with a request id, even if its session hides it since a reset.
    package func record(ofRequest id: String) -> JournalRecord? {
        state.withLock { $0.records }.all.last { $0.head.id == id }
    }

    /// The number of the next record, and the highest number of a dropped record of these kinds.
    ///
    /// - Parameter session: nil for all sessions together.
    package func ends(
        of kinds: Set<JournalRecord.Kind>, in session: Session? = nil
    ) -> (next: Int, lastLost: Int) {
        state.withLock { state in
            (state.next, min(state.views[session].lastLost(of: kinds), state.next - 1))
        }
    }

    package struct Changes {
        package fileprivate(set) var records: [JournalRecord] = []
        package fileprivate(set) var next: Int
        fileprivate let last: Int
        /// The first number that the session sees, and the highest dropped number of the filter's kinds.
        package let view: Int
        let lastLost: Int
        /// The number before which records were dropped that the reader has not seen; nil if it has missed none.
        package let lostBefore: Int?
        package let lostRequestsBefore: Int?

        /// Whether there are more changes after ``next``, so that the caller has to ask again.
        package var hasMore: Bool { next < last }

        fileprivate init(_ state: State, since change: Int, _ filter: RecordFilter) {
            let seen = state.views[filter.session]
            // Dropped records of other sessions are not a loss for this session.
            func lost(_ queue: RecordQueue, _ kind: JournalRecord.Kind) -> Int? {
                change < queue.lastLostChange && seen.lastLost(of: [kind]) >= seen.from
                    ? queue.lastLost + 1 : nil
            }
            (next, last, view) = (state.changes, state.changes, seen.from)
            lastLost = seen.lastLost(of: filter.kinds)
            lostBefore = filter.kinds == [.request] ? nil : lost(state.records, .call)
            lostRequestsBefore = filter.kinds.contains(.request) ? lost(state.requests, .request) : nil
        }
    }

    /// The matching records that changed since a change, as they are now; if few have changed, only these are visited.
    ///
    /// - Parameter change: the last change that the reader has seen.
    package func changes(since change: Int, _ filter: RecordFilter, atMost limit: Int) -> Changes {
        var (changes, kept) = state.withLock { state -> (Changes, (RecordQueue, RecordQueue)?) in
            var changes = Changes(state, since: change, filter)
            let remembered = state.changed.count
            guard state.changes - change < remembered else {
                return (changes, (state.records, state.requests))
            }
            changes.next = change
            // At most 512 changes per lock: calls wait for this lock meanwhile.
            while changes.hasMore, changes.records.count < limit, changes.next < change + 512 {
                changes.next += 1
                // If the record has changed again since, it is listed at its latest change only.
                if let record = state.record(state.changed[changes.next % remembered]),
                    record.change == changes.next, record.number >= changes.view, filter.fits(record)
                {
                    changes.records.append(record)
                }
            }
            return (changes, nil)
        }
        guard let kept else { return changes }
        Self.each(kept, of: filter.kinds, from: changes.view) { record in
            if record.change > change, filter.fits(record) { changes.records.append(record) }
            return true
        }
        changes.records.sort { $0.change < $1.change }
        if changes.records.count > limit {
            changes.records.removeLast(changes.records.count - limit)
            changes.next = changes.records.last?.change ?? changes.next
        }
        return changes
    }

    /// Visits the records of both queues in the order of their numbers until `body` returns false; needs no lock, since
    /// the queues are copies that share their storage.
    private static func each(
        _ kept: (records: RecordQueue, requests: RecordQueue), of kinds: Set<JournalRecord.Kind>,
        from number: Int, _ body: (JournalRecord) -> Bool
    ) {
        let calls = kept.records.from(number)
        let passed = kept.requests.from(kinds.contains(.request) ? number : .max)
        var (call, pass) = (calls.startIndex, passed.startIndex)
        while call < calls.endIndex || pass < passed.endIndex {
            let isCall =
                pass == passed.endIndex
                || call < calls.endIndex && calls[call].number < passed[pass].number
            guard body(isCall ? calls[call] : passed[pass]) else { return }
            if isCall { call += 1 } else { pass += 1 }
        }
    }
}
