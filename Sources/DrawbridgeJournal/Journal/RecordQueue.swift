/// A queue of records with growing numbers, of which the oldest can be dropped.
///
/// The records are in blocks that are added and removed as a whole, so no record is moved, and dropping frees memory.
struct RecordQueue: Sendable {
    private static let blockSize = 256

    private var blocks: [[JournalRecord]] = []
    /// How many records were ever added, and how many of them were dropped.
    ///
    /// The index of a record is the number of records that were added before it.
    private var put = 0
    private var givenUp = 0
    private(set) var lastLost = 0
    /// The highest change number of a dropped record.
    private(set) var lastLostChange = 0

    var count: Int { put - givenUp }

    var all: Slice { Slice(queue: self, startIndex: givenUp, endIndex: put) }

    var first: JournalRecord? { count > 0 ? self[givenUp] : nil }

    mutating func append(_ record: consuming JournalRecord) {
        if put % Self.blockSize == 0 {
            blocks.append([])
            blocks[blocks.count - 1].reserveCapacity(Self.blockSize)
        }
        blocks[blocks.count - 1].append(record)
        put += 1
    }

    /// Changes the record with a number in place.
    ///
    /// - Returns: nil if the record was dropped, or was never added to this queue.
    mutating func update<T>(_ number: Int, _ change: (inout JournalRecord) -> T) -> T? {
        guard let index = index(of: number) else { return nil }
        return change(&self[index])
    }

    func record(_ number: Int) -> JournalRecord? { index(of: number).map { self[$0] } }

    /// The page and the ended state of the record with a number; nil if there is no such record.
    func glance(_ number: Int) -> (page: String?, hasEnded: Bool)? {
        index(of: number).map { (self[$0].head.page?.id, self[$0].state != .waiting) }
    }

    func from(_ number: Int) -> Slice {
        Slice(queue: self, startIndex: firstIndex(from: number), endIndex: put)
    }

    mutating func removeFirst() -> JournalRecord? {
        guard let record = first else { return nil }
        lastLost = max(lastLost, record.number)
        lastLostChange = max(lastLostChange, record.change)
        // The values are freed at once; the record's own memory is freed with its block.
        self[givenUp].input = .nothing
        self[givenUp].output = .nothing
        givenUp += 1
        if givenUp % Self.blockSize == 0 { blocks.removeFirst() }
        return record
    }

    /// Replaces the records of a session, by others in the order of their numbers; its cost grows with all records.
    ///
    /// Those of pages stay: pages open before their session comes.
    ///
    /// - Returns: the records that are gone.
    mutating func replace(_ session: Session, by records: [JournalRecord]) -> [JournalRecord] {
        guard !records.isEmpty || all.contains(where: { $0.session == session }) else { return [] }
        var (merged, gone, rest) = (RecordQueue(), [JournalRecord](), records[...])
        let taken = Set(records.map(\.number))
        (merged.lastLost, merged.lastLostChange) = (lastLost, lastLostChange)
        for record in all {
            while let first = rest.first, first.number < record.number { merged.append(rest.removeFirst()) }
            let isGone = record.session == session && (record.kind != .page || taken.contains(record.number))
            if isGone { gone.append(record) } else { merged.append(record) }
        }
        for record in rest { merged.append(record) }
        self = merged
        return gone
    }

    /// Yields the record in place, because copying it would retain and release many references.
    private subscript(index: Int) -> JournalRecord {
        _read { yield blocks[block(of: index)][index % Self.blockSize] }
        _modify { yield &blocks[block(of: index)][index % Self.blockSize] }
    }

    private func block(of index: Int) -> Int { index / Self.blockSize - givenUp / Self.blockSize }

    private func index(of number: Int) -> Int? {
        guard count > 0 else { return nil }
        // Fast path: the newest record changes most often.
        if self[put - 1].number == number { return put - 1 }
        let index = firstIndex(from: number)
        return index < put && self[index].number == number ? index : nil
    }

    /// The index of the first record whose number is not lower, by binary search.
    private func firstIndex(from number: Int) -> Int {
        var (low, high) = (givenUp, put)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    struct Slice: RandomAccessCollection {
        fileprivate let queue: RecordQueue
        let startIndex: Int
        let endIndex: Int

        subscript(index: Int) -> JournalRecord { _read { yield queue[index] } }
    }
}
