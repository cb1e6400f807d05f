import Synchronization

// What is kept of a session's records outside of the process.
extension Journal {
    package enum Kept: Sendable {
        /// A record as it is now, and how many calls wait more than before, which may be -1.
        case record(JournalRecord, waiting: Int)
        /// Records before this number are hidden from the session; nil for all sessions.
        case forgotten(Session?, from: Int)
    }

    /// Sets the function that is called for each change of a record, on any thread, while the journal is locked.
    package func keep(_ keeper: @escaping @Sendable (Kept) -> Void) { state.withLock { $0.keeper = keeper } }

    /// Replaces the records of a session by those that were kept of it.
    ///
    /// - Parameters:
    ///   - records: in the order of their numbers.
    ///   - next: the least number of the records that begin from now on.
    ///   - from: the first number that the session sees.
    ///   - lost: the highest number of a record that may be missing.
    package func take(_ records: [JournalRecord], of session: Session, next: Int, from: Int, lost: Int) {
        state.withLock { state in
            state.next = max(state.next, next)
            var records = records
            for place in records.indices {
                state.change(records[place].number)
                records[place].change = state.changes
                state.count(records[place].bytes, of: records[place].page?.id)
            }
            for gone in state.records.replace(session, by: records) {
                state.count(-gone.bytes, of: gone.page?.id)
            }
            state.views.take(session, from: from, lost: lost)
            state.change()
            state.wake { _ in true }
            makeRoom(&state)
        }
    }
}
