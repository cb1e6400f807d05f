import Synchronization

// Reads the journal.
extension Journal {
    package struct Reading {
        package let records: [JournalRecord]
        package let next: Int
        /// Whether records were lost that a reader from that number on would have seen.
        package let hasLost: Bool
    }

    /// The records that fit.
    ///
    /// - Parameters:
    ///   - since: the number of the first one; nil for all that the session sees.
    package func read(_ filter: RecordFilter, since: Int? = nil, atMost limit: Int = .max) -> Reading {
        // Inputs are looked at outside of the lock: they may have megabytes.
        var likely = filter
        likely.when = nil
        let isLikelyAll = filter.when == nil
        let reading = state.withLock { state in
            let view = state.views[filter.session]
            let from = max(since ?? 1, view.from)
            var found: [JournalRecord] = []
            var next = state.next
            state.each(of: filter.kinds, from: from) { record in
                guard likely.fits(record) else { return true }
                guard !isLikelyAll || found.count < limit else {
                    next = record.number
                    return false
                }
                found.append(record)
                return true
            }
            return Reading(records: found, next: next, hasLost: from <= view.lastLost(of: filter.kinds))
        }
        guard !isLikelyAll else { return reading }
        let found = reading.records.filter { filter.misfit(of: $0, nil) == nil }
        return Reading(
            records: Array(found.prefix(limit)),
            next: found.count > limit ? found[limit].number : reading.next, hasLost: reading.hasLost)
    }

    package var changeCount: Int { state.withLock { $0.changes } }

    package func count(_ filter: RecordFilter, since: Int? = nil) -> Int {
        read(filter, since: since).records.count
    }

    /// Which names were called, for the message that another one was not.
    package func called(instead filter: RecordFilter, since: Int? = nil) -> String {
        var all = filter
        (all.name, all.state, all.by, all.when, all.isUnanswered) = (nil, nil, nil, nil, false)
        let names = Set(read(all, since: since).records.map(\.name)).sorted().prefix(20)
        return names.isEmpty ? "nothing was called" : "called were \(names.joined(separator: ", "))"
    }

    package func record(_ number: Int) -> JournalRecord? { state.withLock { $0.record(number) } }

    /// The newest record of a request, even where its session has forgotten it.
    package func record(ofRequest id: String) -> JournalRecord? {
        state.withLock { $0.records.all.last { $0.head.id == id } }
    }

    /// The number of the next record, and the highest number of these kinds that was dropped.
    ///
    /// - Parameter session: whose; of all sessions where it is nil.
    package func ends(
        of kinds: Set<JournalRecord.Kind>, in session: Session? = nil
    ) -> (next: Int, lastLost: Int) {
        state.withLock { state in
            (state.next, min(state.views[session].lastLost(of: kinds), state.next - 1))
        }
    }

    /// What has changed since a reader has read.
    package struct Changes {
        /// In the order of their changes.
        package let records: [JournalRecord]
        package let next: Int
        /// The number of the first record that the session sees.
        package let view: Int
        /// Records before these numbers were dropped, some of which the reader has not seen; nil where it has seen all.
        package let lostBefore: Int?
        package let lostRequestsBefore: Int?
    }

    /// The records that fit and have changed, as they are now.
    ///
    /// - Parameter change: the number of the last change that the reader has seen.
    package func changes(since change: Int, _ filter: RecordFilter, atMost limit: Int) -> Changes {
        state.withLock { state in
            let seen = state.views[filter.session]
            let view = seen.from
            var found: [JournalRecord] = []
            state.each(of: filter.kinds, from: view) { record in
                if record.change > change, filter.fits(record) { found.append(record) }
                return true
            }
            found.sort { $0.change < $1.change }
            var next = state.changes
            if found.count > limit {
                found.removeLast(found.count - limit)
                next = found.last?.change ?? next
            }
            // Dropped records of other sessions are no loss to this one.
            let lost = { (queue: RecordQueue, kinds: Set<JournalRecord.Kind>) in
                change < queue.lastLostChange && seen.lastLost(of: kinds) >= view ? queue.lastLost + 1 : nil
            }
            let isOfRequests = filter.kinds.contains(.request)
            return Changes(
                records: found, next: next, view: view,
                lostBefore: filter.kinds == [.request] ? nil : lost(state.records, [.call]),
                lostRequestsBefore: isOfRequests ? lost(state.requests, [.request]) : nil)
        }
    }
}

extension Journal.State {
    /// Goes through the records of both queues, by their numbers, until it is told to stop.
    fileprivate func each(
        of kinds: Set<JournalRecord.Kind>, from number: Int, _ body: (JournalRecord) -> Bool
    ) {
        let calls = records.from(number)
        let passed = requests.from(kinds.contains(.request) ? number : .max)
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
