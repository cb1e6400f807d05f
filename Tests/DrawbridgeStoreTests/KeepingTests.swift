import Testing

@testable import Drawbridge
@testable import DrawbridgeJournal
@testable import DrawbridgeMocks
@testable import DrawbridgeStore

/// What is kept of a session, and taken over by another gateway.
@Suite(.timeLimit(.minutes(5))) struct KeepingTests {
    private static let ann = Session("ann")!

    private static func gateway() throws -> Gateway {
        let gateway = Gateway(keepsJournal: true)
        try gateway.mock(["steps": ["$sequence": ["one", "two", "three"]], "pay": ["paid": 1]])
        return gateway
    }

    private static func call(_ name: String, _ body: String = "{}", of gateway: Gateway) async throws -> JSON?
    {
        let response = await gateway.respond(
            to: Request(
                .post, "/\(name)", authority: "__jsbridge__",
                headers: [.contentType: "application/json", .session: "ann"], body: .init(body)))
        return try JSON(parsing: try await response.body.collect())["data"]
    }

    @Test func repliesAndPositionsGoOnAtAnotherGateway() async throws {
        let (one, other) = (try Self.gateway(), try Self.gateway())
        try one.set(LocatedJSON(parsing: Array(#"{"paid": 2}"#.utf8)), for: "pay", in: Self.ann)
        #expect(try await Self.call("steps", of: one) == "one")
        other.take(one.replyBook.kept(of: Self.ann), for: Self.ann)
        #expect(try await Self.call("steps", of: other) == "two")
        #expect(try await Self.call("pay", of: other) == ["paid": 2])
        other.take([], for: Self.ann)
        #expect(try await Self.call("pay", of: other) == ["paid": 1])
        #expect(try await Self.call("steps", of: other) == "one")
    }

    @Test func aRecordIsTheSameAtAnotherGateway() async throws {
        let (one, other) = (try Self.gateway(), try Self.gateway())
        _ = try await Self.call("pay", #"{"order": 17}"#, of: one)
        _ = try await Self.call("nobody", of: one)
        let records = one.journal.read(RecordFilter(session: Self.ann)).records
        #expect(records.count == 2)
        let taken = records.compactMap {
            JournalRecord(kept: $0.kept, input: $0.input.bytes, output: $0.output.bytes)
        }
        other.journal.take(taken, of: Self.ann, next: 101, from: 1, lost: 0)
        let found = other.journal.read(RecordFilter(session: Self.ann))
        #expect(found.next == 101)
        #expect(found.records.map { $0.json(nil) } == records.map { $0.json(nil) })
        // Taken over again, they are there once.
        other.journal.take(taken, of: Self.ann, next: 1, from: 1, lost: 0)
        #expect(other.journal.read(RecordFilter(session: Self.ann)).records.count == 2)
    }

    @Test func recordsTakenOverAreAmongOthersInOrder() async throws {
        let (one, other) = (try Self.gateway(), try Self.gateway())
        _ = try await Self.call("pay", of: one)
        other.journal.take([], of: Self.ann, next: 50, from: 1, lost: 0)
        _ = await other.respond(to: Request(.post, "/pay", authority: "__jsbridge__", body: .init("{}")))
        let taken = one.journal.read(RecordFilter(session: Self.ann)).records
        other.journal.take(taken, of: Self.ann, next: 1, from: 1, lost: 0)
        #expect(other.journal.read(RecordFilter()).records.map(\.number) == [1, 50])
        #expect(other.journal.read(RecordFilter(), since: 2).records.map(\.number) == [50])
        #expect(other.journal.record(1)?.session == Self.ann)
    }

    @Test func whatMayBeMissingMakesAVerdictUncertain() async throws {
        let gateway = try Self.gateway()
        gateway.journal.take([], of: Self.ann, next: 101, from: 1, lost: 100)
        #expect(gateway.journal.read(RecordFilter(session: Self.ann)).hasLost)
        gateway.reset(Self.ann)
        #expect(!gateway.journal.read(RecordFilter(session: Self.ann)).hasLost)
    }

    @Test func whatMayBeMissingStaysSoWhenOlderRecordsGo() async throws {
        let (one, other) = (try Self.gateway(), try Self.gateway())
        _ = try await Self.call("pay", of: one)
        let taken = one.journal.read(RecordFilter(session: Self.ann)).records
        other.journal.keep(records: 1)
        other.journal.take(taken, of: Self.ann, next: 101, from: 1, lost: 100)
        _ = try await Self.call("pay", of: other)
        let found = other.journal.read(RecordFilter(session: Self.ann), since: 50)
        #expect(found.records.map(\.number) == [101])
        #expect(found.hasLost)
    }

    @Test func aStoreThatDoesNotAnswerIsNamedAndMocksGoOn() async throws {
        let gateway = try Self.gateway()
        let store = try SharedStore(for: gateway, at: "unix:/nowhere/redis.sock")
        let error = await #expect(throws: HTTPError.self) { try await store.load(Self.ann) }
        #expect(error?.status == .serviceUnavailable)
        #expect(error?.message.contains("unix:/nowhere/redis.sock") == true)
        #expect(store.isGone)
        let usual = await gateway.respond(
            to: Request(.post, "/pay", authority: "__jsbridge__", body: .init("{}")))
        #expect(usual.status == .ok)
        let health = await gateway.respond(to: Request("/__drawbridge__/health"))
        #expect(try JSON(parsing: try await health.body.collect())["data"]?["status"] == "degraded")
        await store.end()
    }
}
