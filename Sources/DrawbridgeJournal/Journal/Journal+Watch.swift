extension Journal {
    /// The records that somebody waits for: it looks at each when that has changed, and at no other.
    package struct Watch {
        /// Their numbers, since records would outlive their place in the journal.
        package private(set) var found: [(number: Int, place: Int)] = []
        /// The highest number that was dropped of those that it looks at, and the first one that the session sees.
        package private(set) var lastLost = 0
        private var view = 1
        private var lastChange = 0
        private let filter: RecordFilter
        private let place: (JournalRecord) -> Int?

        package var hasLost: Bool { view <= lastLost }

        /// Looks at the filter's session and kinds; `place` has a number for each that counts, nil for any other.
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
                    // Those that change are mostly the newest.
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
