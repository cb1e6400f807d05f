import Drawbridge

/// A session that this gateway has, and what of it the store does not have yet.
struct HeldSession {
    /// What the store knows the gateway by; every write says it, and is refused when another one has the session.
    let owner: String
    let since = ContinuousClock.now
    /// When it was asked for, or has to make room; from then on requests of it wait until it is loaded anew.
    private(set) var leaving: ContinuousClock.Instant?
    /// How many calls have begun and not ended, and how many requests of the tester's API.
    var (underWay, asking) = (0, 0)
    /// The records that were not written yet, in the order of their ends.
    private(set) var records: [JournalRecord] = []
    private(set) var bytes = 0
    /// The number of changes to its state, and the last of them that the store has.
    private(set) var changes = 0
    private(set) var saved = 0
    /// Whether earlier records in the store are to go.
    var clears = false
    /// The first number that the session sees, and the highest of a record that may be missing in the store.
    private(set) var from: Int
    private(set) var lost: Int

    init(_ owner: String, from: Int, lost: Int) { (self.owner, self.from, self.lost) = (owner, from, lost) }

    /// Whether requests of it are answered from memory.
    var isHere: Bool { leaving == nil }
    var hasWork: Bool { !records.isEmpty || saved < changes }

    mutating func leave() { leaving = leaving ?? .now }

    /// - Parameter isDropped: whether nothing of it is in memory any more that could be written.
    mutating func change(isDropped: Bool = false) {
        guard !isDropped else {
            changes = saved
            return leave()
        }
        changes += 1
    }

    /// Notes that the store has a write, but not of a state that was dropped before it was read.
    mutating func wrote(_ write: HeldSession) { saved = min(write.changes, changes) }

    mutating func add(_ record: JournalRecord) {
        records.append(record)
        bytes += record.bytes
    }

    mutating func forget(before number: Int) {
        (clears, from, records, bytes) = (true, number, [], 0)
        change()
    }

    /// Drops its records, which are missing from now on.
    mutating func dropRecords() {
        lost = records.reduce(lost) { max($0, $1.number) }
        (records, bytes) = ([], 0)
        change()
    }

    /// Whether its last write may come: what had begun before it was asked for has ended, or takes too long.
    var isReady: Bool {
        guard let age = leaving?.duration(to: .now) else { return false }
        return age > .milliseconds(50) && underWay + asking <= 0 || age > .seconds(1)
    }

    /// Takes what is written next, at most so many records of it.
    mutating func take(_ most: Int) -> HeldSession {
        var write = self
        write.records = Array(records.prefix(most))
        write.bytes = write.records.reduce(0) { $0 + $1.bytes }
        records.removeFirst(write.records.count)
        bytes -= write.bytes
        clears = false
        return write
    }

    mutating func putBack(_ write: HeldSession) {
        guard !clears else { return }
        (records, clears, bytes) = (write.records + records, write.clears, write.bytes + bytes)
    }
}
