import Testing

@testable import Drawbridge
@testable import DrawbridgeJournal
@testable import DrawbridgeStore

/// What of a session is not in the store yet.
struct HeldSessionTests {
    private static func record(_ number: Int) -> JournalRecord {
        let head = JournalRecord.Head(.page, of: nil, "pay")
        return JournalRecord(number, head, .answered, change: 0, input: .nothing, output: .nothing)
    }

    private static func session(_ numbers: Int...) -> HeldSession {
        var held = HeldSession("gateway:1", from: 1, lost: 0)
        for number in numbers { held.add(record(number)) }
        return held
    }

    @Test func whatCouldNotBeWrittenComesBackInOrder() {
        var held = Self.session(1, 2, 3)
        let write = held.take(2)
        #expect(write.records.map(\.number) == [1, 2])
        held.add(Self.record(4))
        held.putBack(write)
        #expect(held.records.map(\.number) == [1, 2, 3, 4])
        #expect(held.bytes == held.records.reduce(0) { $0 + $1.bytes })
    }

    @Test func whatWasForgottenMeanwhileStaysSo() {
        var held = Self.session(1, 2)
        let write = held.take(2)
        held.forget(before: 3)
        held.putBack(write)
        #expect(held.records.isEmpty)
        #expect(held.clears)
        #expect(held.from == 3)
    }

    @Test func recordsThatFindNoRoomMayBeMissing() {
        var held = Self.session(1, 2, 3, 4)
        held.dropRecords()
        #expect(held.records.isEmpty)
        #expect((held.lost, held.bytes) == (4, 0))
        // The store has to know that.
        #expect(held.saved < held.changes)
    }

    @Test func aSessionThatIsAskedForIsNotHere() {
        var held = Self.session()
        #expect(held.isHere)
        held.leave()
        #expect(!held.isHere)
        // Requests that came before begin first.
        #expect(!held.isReady)
    }

    @Test func aSessionThatIsOutOfMemoryIsNotWritten() {
        var held = Self.session()
        held.change()
        held.change(isDropped: true)
        #expect(!held.hasWork)
        #expect(!held.isHere)
        // Whoever waits for the change does not hear that it is kept.
        var write = Self.session()
        write.change()
        held.wrote(write)
        #expect(held.saved == 0)
    }
}
