/// Records by their numbers, of which the oldest can be dropped.
///
/// They are stored in blocks that are added and removed one at a time: no record is ever moved, and the memory does
/// not grow with how many were dropped.
struct RecordQueue: Sendable {
    private static let blockSize = 256

    private var blocks: [[JournalRecord]] = []
    /// How many were ever added, and how many of them dropped.
    ///
    /// The index of a record is how many came before it.
    private var put = 0
    private var givenUp = 0
    private(set) var lastLost = 0
    /// The last change of any that was dropped.
    private(set) var lastLostChange = 0

    var count: Int { put - givenUp }

    /// Those that are left, the oldest first.
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

    /// Changes the record of a number in its place.
    ///
    /// - Returns: nil where it was dropped, or is in another queue.
    mutating func update<T>(_ number: Int, _ change: (inout JournalRecord) -> T) -> T? {
        guard let index = index(of: number) else { return nil }
        return change(&self[index])
    }

    func record(_ number: Int) -> JournalRecord? { index(of: number).map { self[$0] } }

    /// The page that the record of a number concerns, and whether it has ended; nil where there is no such record.
    func glance(_ number: Int) -> (page: String?, hasEnded: Bool)? {
        index(of: number).map { (self[$0].head.page?.id, self[$0].state != .waiting) }
    }

    func from(_ number: Int) -> Slice {
        number <= lastLost ? all : Slice(queue: self, startIndex: firstIndex(from: number), endIndex: put)
    }

    mutating func removeFirst() -> JournalRecord? {
        guard let record = first else { return nil }
        lastLost = record.number
        lastLostChange = max(lastLostChange, record.change)
        // Its values are released now, its place later with its block.
        self[givenUp].input = .nothing
        self[givenUp].output = .nothing
        givenUp += 1
        if givenUp % Self.blockSize == 0 { blocks.removeFirst() }
        return record
    }

    /// Yields the record: a copy of it would retain and release its many references.
    private subscript(index: Int) -> JournalRecord {
        _read { yield blocks[block(of: index)][index % Self.blockSize] }
        _modify { yield &blocks[block(of: index)][index % Self.blockSize] }
    }

    private func block(of index: Int) -> Int { index / Self.blockSize - givenUp / Self.blockSize }

    private func index(of number: Int) -> Int? {
        guard count > 0 else { return nil }
        // Most changes are those of the newest.
        if self[put - 1].number == number { return put - 1 }
        let index = firstIndex(from: number)
        return index < put && self[index].number == number ? index : nil
    }

    /// The index of the first record from this number on, found by halving, since numbers grow.
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
