import HTTPTypes
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeJournal

/// Lists of calls that are sent while they are made.
@Suite("Long lists of calls", .timeLimit(.minutes(5))) struct LongListTests {
    private static let lists: [(HTTPRequest.Method, String, String)] = [
        (.get, "calls", ""), (.get, "calls?secrets=1", ""),
        (.post, "calls/verify", #"{"name": "echo", "atLeast": 0}"#),
    ]

    /// All records at once, as they are listed.
    private static func whole(_ target: String, _ gateway: Gateway) -> [UInt8] {
        let records = gateway.journal.read(RecordFilter()).records
        let redaction = target.hasSuffix("secrets=1") ? nil : Redaction()
        var data: JSON.Object = ["calls": .array(records.map { $0.json(redaction) })]
        if target.hasSuffix("verify") == false { data["next"] = .number(.init(records.count + 1)) }
        return UsualEnvelope.success(JSON.object(data).bytes)
    }

    private static func fill(_ program: JournalProgram, _ calls: Int, of bytes: Int) async {
        let text = String(repeating: "[", count: bytes)
        for number in 0..<calls {
            await program.call(
                "/echo?_mobile_bridge=1", #"{"n": \#(number), "accessToken": "s", "text": "\#(text)"}"#)
        }
    }

    @Test("a list sent in parts equals the whole list, one part at a time", arguments: lists.map(\.1))
    func aListSentInPartsEqualsTheWholeList(target: String) async throws {
        let (method, _, body) = try #require(Self.lists.first { $0.1 == target })
        let program = JournalProgram()
        await Self.fill(program, 40, of: 30_000)
        let answer = await program.ask(method, target, body)
        #expect(answer.status == .ok)
        #expect(answer.body.bytes == nil && answer.body.length == nil)
        let parts = Observed<[[UInt8]]>([])
        try await answer.body.write(to: Client { part in parts.change { $0.append(part) } })
        let all = parts.value
        #expect(Array(all.joined()) == Self.whole(target, program.gateway))
        let largest = all.map(\.count).max() ?? 0
        #expect(all.count > 4 && largest < 600 << 10, "\(all.map(\.count))")
    }

    @Test("a short list is sent in one part", arguments: lists.map(\.1), [0, 3])
    func aShortListIsSentInOnePart(target: String, calls: Int) async throws {
        let (method, _, body) = try #require(Self.lists.first { $0.1 == target })
        let program = JournalProgram()
        await Self.fill(program, calls, of: 10)
        let answer = await program.ask(method, target, body)
        #expect(answer.body.bytes == Self.whole(target, program.gateway))
    }

    /// What came while it was read is not in it, and what was dropped is.
    @Test func aListIsASnapshotOfOneMoment() async throws {
        let program = JournalProgram()
        await Self.fill(program, 40, of: 30_000)
        let whole = Self.whole("calls", program.gateway)
        let answer = await program.ask(.get, "calls")
        for _ in 0..<10_100 { _ = program.gateway.journal.begin(Request("/other"), at: "flag") }
        #expect(try await answer.body.collect() == whole)
    }
}
