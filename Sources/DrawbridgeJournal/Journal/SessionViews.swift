import DrawbridgeMessages

/// Which records each session sees, and which of them were dropped: a check must never pass over dropped calls.
///
/// A session whose own records are all kept is right about its calls, however many of others' were dropped.
struct SessionViews: Sendable {
    struct View: Sendable {
        /// The number of the first record that it sees.
        fileprivate(set) var from = 1
        /// The highest number of its records that was dropped, and that of requests that were passed through.
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

        fileprivate var last: Int { max(from, lastLostRecord, lastLostRequest) }
    }

    private static let most = 10_000

    private var all = View()
    private var own: [Session: View] = [:]
    private var hasGivenUp = false

    /// The view of a session; of all sessions together where it is nil.
    subscript(session: Session?) -> View {
        guard let session else { return all }
        var view = own[session] ?? View()
        if own[session] == nil, hasGivenUp {
            // Which of its records were dropped is unknown, so all count as dropped.
            (view.lastLostRecord, view.lastLostRequest) = (.max, .max)
        }
        view.from = max(view.from, all.from)
        return view
    }

    /// Hides the records before a number from a session; from all sessions where it is nil.
    mutating func begin(_ session: Session?, at number: Int) {
        if let session { return change(session) { $0.from = number } }
        // All that was dropped or hidden has lower numbers.
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
        // Half of them go at a time. Numbers alone are sorted: callers wait for the journal meanwhile.
        let middle = own.values.map(\.last).sorted()[Self.most / 2]
        own = own.filter { $0.value.last > middle }
        hasGivenUp = true
    }
}
