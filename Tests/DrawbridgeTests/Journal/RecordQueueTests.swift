import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeJournal

@Suite("The queue of records")
struct RecordQueueTests {
    /// What an array does that is slow and plain.
    private struct Model {
        var records: [JournalRecord] = []
        var lastLost = 0
    }

    @Test(arguments: [1, 2, 3, 40, 1000])
    func theQueueBehavesLikeAnArray(of most: Int) {
        var random = SeededRandom(seed: UInt64(most))
        var (queue, model) = (RecordQueue(), Model())
        for number in 1...3000 {
            // Another queue takes numbers too.
            guard Int.random(in: 0..<3, using: &random) > 0 else { continue }
            let record = JournalRecord(
                number, Self.head, .waiting, change: 0, input: .nothing, output: .nothing)
            queue.append(record)
            model.records.append(record)
            if model.records.count > most || Int.random(in: 0..<20, using: &random) == 0 {
                model.lastLost = model.records.removeFirst().number
                #expect(queue.removeFirst()?.number == model.lastLost)
            }
            let asked = Int.random(in: max(1, number - 2 * most)...number + 1, using: &random)
            let known = model.records.first { $0.number == asked }
            #expect(queue.record(asked)?.number == known?.number)
            #expect(queue.from(asked).map(\.number) == model.records.map(\.number).filter { $0 >= asked })
            let change = queue.update(asked) { record in
                record.change = number
                return record.number
            }
            #expect(change == known?.number)
            if let place = model.records.firstIndex(where: { $0.number == asked }) {
                model.records[place].change = number
            }
            #expect(queue.lastLost == model.lastLost)
            #expect(queue.count == model.records.count)
            #expect(queue.first?.number == model.records.first?.number)
            #expect(queue.all.map(\.change) == model.records.map(\.change))
        }
        while queue.removeFirst() != nil {}
        #expect(queue.count == 0)
        #expect(queue.first == nil)
        #expect(queue.from(1).isEmpty)
    }

    private static let head = JournalRecord.Head(
        .notice, of: JournalRecord.Concerned(id: "p", path: "/", title: "", session: .usual), "", at: "page")
}
