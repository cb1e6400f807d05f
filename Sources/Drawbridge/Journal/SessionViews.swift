/// What each session sees of the journal, and what it has lost: a check over calls that are lost must never pass.
///
/// A session that lost nothing is right about its calls, however many of others' were given up.
struct SessionViews: Sendable {
    struct View: Sendable {
        /// The number from which on it sees records.
        fileprivate(set) var from = 1
        /// The highest number that was given up of its records, and of those of what passed on.
        fileprivate var lastLostRecord = 0
        fileprivate var lastLostRequest = 0

        func lastLost(of kinds: Set<JournalRecord.Kind>) -> Int {
            max(
                kinds == [.request] ? 0 : lastLostRecord, kinds.contains(.request) ? lastLostRequest : 0)
        }

        fileprivate mutating func lose(_ record: JournalRecord) {
            if record.kind == .request {
                lastLostRequest = record.number
            } else {
                lastLostRecord = record.number
            }
        }

        /// The last number that says anything of it.
        fileprivate var last: Int { max(from, lastLostRecord, lastLostRequest) }
    }

    private static let most = 10_000

    private var all = View()
    private var own: [Session: View] = [:]
    /// Whether views were given up, of sessions that nothing has happened in for the longest time.
    private var hasGivenUp = false

    /// The view of a session; of all sessions together where it is nil.
    subscript(session: Session?) -> View {
        guard let session else { return all }
        var view = own[session] ?? View()
        if own[session] == nil, hasGivenUp {
            // Nobody knows what it has lost, so it counts as having lost all.
            (view.lastLostRecord, view.lastLostRequest) = (.max, .max)
        }
        view.from = max(view.from, all.from)
        return view
    }

    /// A session sees nothing any more of what is before a number; nobody does where it is nil.
    mutating func begin(_ session: Session?, at number: Int) {
        if let session { return change(session) { $0.from = number } }
        // All that any session has lost or forgotten lies before it.
        all.from = number
        own = [:]
        hasGivenUp = false
    }

    mutating func lose(_ record: JournalRecord) {
        all.lose(record)
        change(record.session) { $0.lose(record) }
    }

    private mutating func change(_ session: Session, _ change: (inout View) -> Void) {
        change(&own[session, default: View()])
        guard own.count > Self.most else { return }
        // Half of them at a time, since they are sorted for it.
        let kept = own.sorted { $0.value.last > $1.value.last }.prefix(Self.most / 2)
        own = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
        hasGivenUp = true
    }
}
