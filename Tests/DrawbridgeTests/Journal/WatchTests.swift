import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeJournal

/// What somebody who waits for calls looks at.
@Suite("A watch over the journal", .timeLimit(.minutes(5))) struct WatchTests {
    private final class Count: Sendable {
        let looks = Atomic(0)

        var taken: Int { looks.exchange(0, ordering: .relaxed) }
    }

    private static func watch(_ filter: RecordFilter, counting count: Count) -> Journal.Watch {
        Journal.Watch(filter) { record in
            count.looks.add(1, ordering: .relaxed)
            return filter.fits(record) ? 0 : nil
        }
    }

    @Test("a watch examines only the call that has arrived", arguments: [10, 9_000])
    func aWatchLooksOnlyAtTheCallThatCame(kept: Int) throws {
        let journal = Journal(isOn: true)
        let ann = try #require(Session("ann"))
        for _ in 0..<kept { journal.end(journal.begin(Request("/echo"), at: "flag"), .answered) }
        let count = Count()
        var watch = Self.watch(RecordFilter(session: .usual, name: "echo"), counting: count)
        watch.look(in: journal)
        #expect(count.taken == kept && watch.found.count == kept)
        watch.look(in: journal)
        #expect(count.taken == 0)
        let number = journal.begin(Request("/echo"), at: "flag")
        watch.look(in: journal)
        #expect(count.taken == 1 && watch.found.count == kept + 1)
        journal.end(number, .answered)
        journal.note(of: number) { $0.near = "/eco" }
        watch.look(in: journal)
        #expect(count.taken == 1)
        // Another session's call is not its own.
        _ = journal.begin(Request("/echo", headers: [.session: ann.name]), at: "flag")
        watch.look(in: journal)
        #expect(count.taken == 0 && watch.found.count == kept + 1)
    }

    /// Sixteen that wait look at each of a thousand calls at most once for each time that it changes.
    @Test func aWatchLooksAtACallOncePerChange() async throws {
        let journal = Journal(isOn: true)
        for _ in 0..<5000 { _ = journal.begin(Request("/echo"), at: "flag") }
        let count = Count()
        let filter = RecordFilter(name: "echo")
        try await withThrowingTaskGroup { group in
            for _ in 0..<16 {
                group.addTask {
                    var watch = Self.watch(filter, counting: count)
                    return try await journal.wait(for: filter, until: .now + .seconds(3600)) {
                        watch.look(in: journal)
                        return watch.found.count == 6000
                    }
                }
            }
            await until { journal.state.withLock { $0.waiters.count == 16 } }
            #expect(count.taken == 16 * 5000)
            for _ in 0..<1000 {
                journal.end(journal.begin(Request("/echo"), at: "flag"), .answered)
                await Task.yield()
            }
            for try await isThere in group { #expect(isThere) }
        }
        let looks = count.taken
        #expect(looks >= 16 * 1000 && looks <= 16 * 2000, "\(looks)")
    }

    /// What it has found is what a reader finds, of all that the journal still has.
    @Test(arguments: 1...6)
    func aWatchFindsTheSameRecordsAsAReader(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let journal = Journal(isOn: true, limits: .init(records: 300, requests: 40))
        let sessions = try ["ann", "eve"].map { try #require(Session($0)) }
        var filters = [
            RecordFilter(), RecordFilter(session: sessions[0], name: "pay"),
            RecordFilter(session: sessions[1], kinds: [.call, .request], state: .answered),
            RecordFilter(kinds: [.request]), RecordFilter(name: "echo", state: .waiting),
        ]
        filters[1].when = .members([("n", .scalar(3))])
        var watches = filters.map { filter in Journal.Watch(filter) { filter.fits($0) ? 0 : nil } }
        // Records by their numbers: a call keeps its session.
        var requests = [Request("/")]
        for step in 0..<2000 {
            let session = try #require(sessions.randomElement(using: &random)).name
            let name = try #require(["pay", "echo", "login"].randomElement(using: &random))
            let request = Request("/\(name)?n=\(step % 5)", headers: [.session: session])
            let number = requests.count - 1
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<5:
                requests.append(request)
                #expect(journal.begin(request, at: "flag") == number + 1)
            case 5:
                requests.append(request)
                #expect(journal.begin(request, as: .request, at: "") == number + 1)
            case 6, 7:
                let old = max(0, number - step % 4)
                journal.note(Array(#"{"n": 3}"#.utf8), of: requests[old], old)
            case 8, 9: journal.end(max(1, number - step % 7), .answered)
            case 10: journal.touch(.replies)
            default: if step % 50 == 0 { journal.forget(sessions.randomElement(using: &random)) }
            }
            // Some look often, some seldom.
            for place in filters.indices where Int.random(in: 0..<(place + 1) * 20, using: &random) == 0 {
                watches[place].look(in: journal)
                let read = journal.read(filters[place])
                let kept = watches[place].found.map(\.number).filter { journal.record($0) != nil }
                #expect(kept == read.records.map(\.number))
                #expect(watches[place].hasLost == read.hasLost)
            }
        }
    }

    /// Readers of changes get the last state of each record, whether they look at every change or after thousands.
    @Test(arguments: [1, 7, 900, 5000])
    func readersOfChangesSeeTheLastStateOfEachRecord(every steps: Int) {
        var random = SeededRandom(seed: UInt64(steps))
        let journal = Journal(isOn: true)
        let filter = RecordFilter(kinds: Set(JournalRecord.Kind.allCases))
        var (seen, place) = ([Int: Int](), 0)
        func read() {
            var last = place
            while true {
                let news = journal.changes(since: place, filter, atMost: 200)
                for record in news.records {
                    #expect(record.change > last)
                    last = record.change
                    seen[record.number] = record.change
                }
                #expect(news.lostBefore == nil && news.records.count <= 200)
                place = news.next
                guard news.hasMore else { return }
            }
        }
        for step in 1...9000 {
            if Bool.random(using: &random) {
                _ = journal.begin(Request("/echo"), as: step % 9 == 0 ? .request : .call, at: "flag")
            } else {
                journal.note(of: Int.random(in: 1...step, using: &random)) { $0.why.append("\(step)") }
            }
            if step % steps == 0 { read() }
        }
        read()
        let all = journal.read(filter).records
        #expect(seen == Dictionary(uniqueKeysWithValues: all.map { ($0.number, $0.change) }))
    }

    @Test func aCheckOfAnOrderWaitsForItsLastName() async throws {
        let program = JournalProgram()
        async let answer = program.ask(
            .post, "calls/verify", #"{"order": ["echo", "text", "echo"], "seconds": 600}"#)
        for name in ["text", "echo", "text", "fail", "echo"] {
            await until { program.gateway.journal.state.withLock { $0.waiters.count == 1 } }
            await program.call("/\(name)?_mobile_bridge=1")
        }
        let calls = try await answer.json()["data"]?["calls"]?.arrayValue
        #expect(calls?.compactMap { $0["number"]?.numberValue?.intValue } == [2, 3, 5])
    }

    /// A Swift test learns of the call that has its answer, and not of one that has none.
    @Test func waitingForACallSkipsUnansweredOnes() async throws {
        let journal = Journal(isOn: true)
        let number = journal.begin(Request("/pay"), at: "flag")
        _ = journal.begin(Request("/pay"), at: "flag")
        async let call = journal.call("pay", within: .seconds(3600))
        await until { journal.state.withLock { $0.waiters.count == 1 } }
        journal.end(number, .answered, output: Array("7".utf8))
        #expect(try await call.number == number)
    }
}
