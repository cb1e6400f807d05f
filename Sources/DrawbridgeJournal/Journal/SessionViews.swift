/// Which records each session sees, and which of them were dropped, so that no check of calls silently misses some.
///
/// A check is reliable as long as all records of its own session are kept, even if records of others were dropped.
struct SessionViews: Sendable {
    struct View: Sendable {
        /// The number of the first record that the session sees; earlier records are hidden.
        fileprivate(set) var from = 1
        /// The highest dropped number among the session's records, and among its requests that were passed through.
        fileprivate var lastLostRecord = 0
        fileprivate var lastLostRequest = 0

        func lastLost(of kinds: Set<JournalRecord.Kind>) -> Int {
            max(
                kinds == [.request] ? 0 : lastLostRecord, kinds.contains(.request) ? lastLostRequest : 0)
        }

        fileprivate mutating func lose(_ record: JournalRecord) {
            if record.kind == .request {
                lastLostRequest = max(lastLostRequest, record.number)
            } else {
                lastLostRecord = max(lastLostRecord, record.number)
            }
        }

        fileprivate var last: Int { max(from, lastLostRecord, lastLostRequest) }
    }

    private static let most = 10_000

    private var all = View()
    private var own: [Session: View] = [:]
    private var hasGivenUp = false

    /// The view of a session; nil for that of all sessions together.
    subscript(session: Session?) -> View {
        guard let session else { return all }
        var view = own[session] ?? View()
        if own[session] == nil, hasGivenUp {
            // The view of this session was discarded, so all of its records must be taken as dropped.
            (view.lastLostRecord, view.lastLostRequest) = (.max, .max)
        }
        view.from = max(view.from, all.from)
        return view
    }

    /// Hides the records before a number from a session; nil hides them from all sessions.
    mutating func begin(_ session: Session?, at number: Int) {
        if let session { return change(session) { $0.from = number } }
        // All records that were dropped or hidden have lower numbers, so the views of single sessions are not needed.
        all.from = number
        own = [:]
        hasGivenUp = false
    }

    /// Sets what a session sees that comes from another gateway, of which all records up to `lost` may be missing.
    mutating func take(_ session: Session, from number: Int, lost: Int) {
        change(session) { $0 = View(from: number, lastLostRecord: lost, lastLostRequest: lost) }
    }

    mutating func lose(_ record: JournalRecord) {
        all.lose(record)
        change(record.session) { $0.lose(record) }
    }

    private mutating func change(_ session: Session, _ change: (inout View) -> Void) {
        change(&own[session, default: View()])
        guard own.count > Self.most else { return }
        // Discards the older half. It sorts plain numbers to be quick: calls wait for the journal's lock.
        let middle = own.values.map(\.last).sorted()[Self.most / 2]
        own = own.filter { $0.value.last > middle }
        hasGivenUp = true
    }
}
