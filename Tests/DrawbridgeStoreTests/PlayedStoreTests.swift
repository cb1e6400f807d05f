import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeJournal
@testable import DrawbridgeStore

/// A gateway whose store answers as a test says.
@Suite(.timeLimit(.minutes(5))) struct PlayedStoreTests {
    @Test func aChangeIsInTheStoreBeforeItIsAnswered() async throws {
        let store = try PlayedStore()
        let one = try SharingGateway(at: store.url)
        let (gate, notes) = (DispatchSemaphore(value: 0), Notebook())
        store.answers { asked in
            if asked.kind == .write { gate.wait() }
            return .usual
        }
        async let answer = {
            let answer = try await one.set(#"{"paid": 2}"#)
            notes.note("answered \(answer.status)")
        }()
        await until { one.store.state.withLock { $0.held[SharingGateway.ann]?.hasWork == true } }
        notes.note("written")
        gate.signal()
        try await answer
        #expect(notes.entries == ["written", "answered 200"])
        #expect(store.kept("ann").map { String(decoding: $0.state, as: UTF8.self) }?.contains("paid") == true)
        store.answers { _ in .usual }
        gate.signal()
        await one.store.end()
    }

    /// What stores say, and what is no store.
    static let faults: [(PlayedStore.Answer, String)] = [
        (.error("OOM command not allowed when used memory > 'maxmemory'."), "OOM"),
        (.error("READONLY You can't write against a read only replica."), "READONLY"),
        (.error("NOAUTH Authentication required."), "NOAUTH"),
        (.error("LOADING Redis is loading the dataset in memory"), "LOADING"),
        (.error("WRONGTYPE Operation against a key holding the wrong kind of value"), "WRONGTYPE"),
        (.error("NOSCRIPT No matching script."), "NOSCRIPT"),
        (.text("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), "Protocol error"),
        (.text("$1000\r\nhalf of it"), "no reply in two seconds"),
        (.text(""), "no reply in two seconds"),
        (.broken, "closed"),
    ]

    @Test(arguments: faults)
    func whereTheStoreFailsMocksGoOnAndChangesAreRefused(_ fault: PlayedStore.Answer, _ words: String)
        async throws
    {
        let store = try PlayedStore()
        let one = try SharingGateway(at: store.url)
        #expect(try await one.set(#"{"paid": 2}"#).status == 200)
        store.answers { $0.kind == .tick ? .usual : fault }
        let refused = try await one.set(#"{"paid": 3}"#)
        #expect(refused.status == 503)
        #expect(refused.json["message"]?.stringValue?.contains(store.url) == true)
        #expect(try await one.call("pay") == ["paid": 3])
        #expect(try await one.ask(.get, "health").json["data"]?["status"] == "degraded")
        #expect(try await one.ask(.get, "replies", in: "bob").status == 503)
        // It is tried again, and the log is told once.
        let count = store.asked.value.count { $0.kind == .tick }
        try await store.wait(for: count + 3) { $0.kind == .tick }
        let lines = one.errors("error: the shared store")
        #expect(lines.count == 1 && lines[0].contains(words), "\(lines)")
        store.answers { _ in .usual }
        try await one.setAtLast(#"{"paid": 4}"#)
        await until { !one.errors("notice: the shared store").isEmpty }
        #expect(one.errors("error: the shared store").count == 1)
        #expect(try await one.call("pay", in: "bob") == ["paid": 1])
        await one.store.end()
        #expect(store.kept("ann")?.isOpen == false)
    }

    @Test func whatTheStoreHasDoneBeforeTheConnectionBrokeIsThereOnce() async throws {
        let store = try PlayedStore()
        let (one, other) = (try SharingGateway(at: store.url), try SharingGateway(at: store.url))
        #expect(try await one.call("steps") == "one")
        let broken = store.asked.value.count { $0.kind == .write }
        store.answers { $0.kind == .write && store.kept("ann")?.records.count ?? 0 < 2 ? .broken : .usual }
        #expect(try await one.call("steps") == "two")
        try await store.wait(for: broken + 2) { $0.kind == .write }
        store.answers { _ in .usual }
        await until { !one.store.isGone }
        await one.store.end()
        #expect(try await other.call("steps") == "three")
        #expect(other.records.count == 3)
        #expect(try await other.ask(.post, "calls/verify", #"{"name": "steps", "count": 3}"#).status == 200)
        await other.store.end()
    }

    @Test func aSessionThatAnotherGatewayGotIsRefusedOnce() async throws {
        let store = try PlayedStore()
        let one = try SharingGateway(at: store.url)
        #expect(try await one.set(#"{"paid": 2}"#).status == 200)
        store.change { content in
            content.sessions["ann"]?.owner = "other:1"
            content.sessions["ann"]?.isOpen = false
            content.sessions["ann"]?.state = PlayedStore.state(#"{"pay": {"paid": 7}}"#)
        }
        let refused = try await one.set(#"{"paid": 3}"#)
        #expect(refused.status == 503)
        #expect(refused.json["message"]?.stringValue?.contains("another gateway") == true)
        #expect(try await one.call("pay") == ["paid": 7])
        #expect(one.errors("warning").count == 1)
        await one.store.end()
    }

    @Test func anEmptiedStoreMakesEveryVerdictUncertain() async throws {
        let store = try PlayedStore()
        let one = try SharingGateway(at: store.url)
        #expect(try await one.set(#"{"paid": 2}"#).status == 200)
        let since = try await one.ask(.get, "calls").json["data"]?["next"]?.numberValue?.intValue ?? 0
        #expect(try await one.call("pay") == ["paid": 2])
        store.change { ($0.id, $0.sessions) = ("second", [:]) }
        await until { !one.errors().isEmpty }
        #expect(one.errors().first?.contains("was emptied") == true)
        // The store is told, for the gateway that gets the session next.
        await until { store.kept("ann")?.lost ?? 0 >= since }
        await one.store.end()
        let other = try SharingGateway(at: store.url)
        #expect(try await other.ask(.get, "calls?since=\(since)").status == 410)
        #expect(try await other.ask(.post, "calls/verify", #"{"name": "pay", "count": 0}"#).status == 409)
        #expect(try await other.call("pay") == ["paid": 1])
        #expect(try await other.ask(.post, "reset").status == 200)
        #expect(try await other.ask(.post, "calls/verify", #"{"name": "pay", "count": 0}"#).status == 200)
        await other.store.end()
    }

    @Test func twoGatewaysThatTakeTheSameSessionLoseNothing() async throws {
        let store = try PlayedStore()
        let both = [try SharingGateway(at: store.url), try SharingGateway(at: store.url)]
        let answered = try await withThrowingTaskGroup(of: Int.self) { group in
            for one in both {
                group.addTask {
                    var count = 0
                    for _ in 0..<20 { count += try await one.call("pay") == ["paid": 1] ? 1 : 0 }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        let loads = store.asked.value.filter { $0.kind == .load }.map { $0.text(5).prefix { $0 != ":" } }
        #expect(Set(loads).count == 2)
        #expect(answered > 1)
        for one in both { await one.store.end() }
        let third = try SharingGateway(at: store.url)
        let check = "{\"name\": \"pay\", \"count\": \(answered)}"
        #expect(try await third.ask(.post, "calls/verify", check).status == 200)
        await third.store.end()
    }

    @Test func aVerdictAboutASessionThatWasTakenMeanwhileIsRefused() async throws {
        let store = try PlayedStore()
        let (one, other) = (try SharingGateway(at: store.url), try SharingGateway(at: store.url))
        #expect(try await one.call("pay") == ["paid": 1])
        async let verdict = one.ask(.get, "calls?name=pay&count=2&seconds=3")
        await until { one.gateway.journal.waiting.load(ordering: .relaxed) > 0 }
        while try await other.call("pay") == nil {}
        let found = try await verdict
        #expect(found.status == 503)
        #expect(found.json["message"]?.stringValue?.contains("another gateway") == true)
        #expect(try await other.ask(.post, "calls/verify", #"{"name": "pay", "count": 2}"#).status == 200)
        for one in [one, other] { await one.store.end() }
    }

    @Test func aThousandSessionsComeAtOnceAndLeaveNothing() async throws {
        let store = try PlayedStore()
        let one = try SharingGateway(at: store.url)
        let names = (0..<1100).map { "session-\($0)" }
        await withThrowingTaskGroup { group in
            for name in names {
                group.addTask { while try await one.call("steps", in: name) == nil {} }
            }
        }
        await one.store.end()
        #expect(one.errors("error: the shared store").isEmpty)
        one.store.state.withLock { state in
            #expect(state.held.count == 0)
            #expect(state.waiters.isEmpty)
        }
        let kept = names.filter { store.kept($0)?.isOpen == false && store.kept($0)?.records.count == 1 }
        #expect(kept.count == names.count)
    }

    @Test func anEndDoesNotLeaveRequestsWaiting() async throws {
        let store = try PlayedStore()
        let one = try SharingGateway(at: store.url)
        store.answers { $0.kind == .load ? .text("") : .usual }
        async let answer = one.set(#"{"paid": 2}"#)
        try await store.wait { $0.kind == .load }
        await one.store.end()
        #expect(try await answer.status == 503)
        #expect(try await one.set("1").status == 503)
    }

    @Test func aGatewayThatIsGoneLeavesNoThreadAndNoConnection() async throws {
        let store = try PlayedStore()
        weak var gateway: Gateway?
        weak var shared: SharedStore?
        try await {
            let one = try SharingGateway(at: store.url)
            #expect(try await one.call("pay") == ["paid": 1])
            (gateway, shared) = (one.gateway, one.store)
        }()
        // The thread closes the connection when it ends.
        let connection = try #require(store.connections.first)
        try await connection.isOver.wait { $0 }
        #expect(gateway == nil)
        #expect(shared == nil)
    }

    @Test func whatNoGatewayHasWrittenIsLeftOut() async throws {
        let store = try PlayedStore()
        let good = try SharingGateway(at: store.url)
        #expect(try await good.call("pay") == ["paid": 1])
        await good.store.end()
        store.change { content in
            let awkward = [
                "", "[]", "{", #"{"record": {"number": 3}}"#,
                #"{"record": {"number": 1e300, "head": []}, "inputIsWhole": true, "outputIsWhole": true}"#,
            ]
            for text in awkward { content.sessions["ann"]?.records.append([text, "x", "y"].map(\.bytes)) }
            content.sessions["ann"]?.state = PlayedStore.state(#"{"pay": {"$dealy": 1}, "*x*": 1, "new": 5}"#)
            content.sessions["bob"] = .init(state: Array(#"{"replies": {"new": 5}, "steps": 3}"#.utf8))
        }
        let one = try SharingGateway(at: store.url)
        #expect(try await one.call("new") == 5)
        #expect(one.records.contains { $0.name == "pay" })
        #expect(try await one.ask(.get, "calls").status == 200)
        // A record that cannot be read may be the one that decides.
        #expect(try await one.ask(.post, "calls/verify", #"{"name": "pay", "count": 1}"#).status == 409)
        #expect(!one.errors("warning: session ann, as the shared store has it").isEmpty)
        #expect(try await one.call("new", in: "bob") == nil)
        #expect(one.errors("warning: session bob, as the shared store has it").count == 1)
        await one.store.end()
    }

    @Test func aThousandLongRepliesComeBeforeTheGatewayIsTakenForKilled() async throws {
        let store = try PlayedStore()
        let text = String(repeating: "x", count: 900)
        let replies = (0..<1000).map { #""name\#($0)": "\#(text)""# }.joined(separator: ", ")
        store.change { $0.sessions["ann"] = .init(state: PlayedStore.state("{\(replies)}")) }
        let one = try SharingGateway(at: store.url)
        #expect(try await one.call("name999") == .string(text))
        await one.store.end()
    }
}
