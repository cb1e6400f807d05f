import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeJournal

/// The event stream of records.
@Suite("The stream of records", .timeLimit(.minutes(10))) struct JournalStreamTests {
    /// Reads a stream as a program does, and can end in the middle.
    private final class Reader: Sendable {
        let response: Response
        private let text = Mutex("")
        private let task = Mutex<Task<Void, any Error>?>(nil)

        init(_ program: JournalProgram, _ query: String = "", last: String? = nil) async {
            let headers: HTTPFields = last.map { [.lastEventID: $0] } ?? [:]
            response = await program.ask(.get, "calls/events\(query)", headers: headers)
            guard case .stream(_, let write) = response.body.content else { return }
            task.withLock { task in
                task = Task {
                    try await write(
                        Client { [self] chunk in
                            text.withLock { $0 += String(decoding: chunk, as: UTF8.self) }
                        })
                }
            }
        }

        /// The events that have come: their names, ids and data.
        var events: [(name: String, id: String, data: JSON)] {
            text.withLock { $0 }.split(separator: "\n\n").compactMap { block in
                let lines = block.split(separator: "\n")
                func field(_ name: String) -> String? {
                    lines.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
                }
                guard let name = field("event"), let data = field("data") else { return nil }
                return (name, field("id") ?? "", (try? JSON(parsing: Array(data.utf8))) ?? .null)
            }
        }

        /// The numbers of records that have come, with what had become of them; the same again is told once.
        ///
        /// A call that waits has changed, and comes again, when its input is known.
        var records: [String] {
            let all = events.filter { $0.name == "record" }.map {
                "\($0.data["number"] ?? .null) \($0.data["state"]?.stringValue ?? "")"
            }
            return all.enumerated().filter { $0 == 0 || all[$0 - 1] != $1 }.map(\.element)
        }

        /// Goes on when the stream has ended by itself.
        func result() async { _ = await task.withLock { $0 }?.result }

        func end() async {
            task.withLock { $0 }?.cancel()
            await result()
        }
    }

    @Test func recordsAreStreamedWhenTheyBeginAndWhenTheyEnd() async throws {
        let program = JournalProgram()
        await program.call("/echo?_mobile_bridge=1")
        let reader = await Reader(program)
        #expect(reader.response.headers[.contentType] == "text/event-stream")
        await until { reader.records == ["1 answered"] }
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        try program.gateway.register(at: "/slow") { SlowHandler(gate: gate) }
        async let call: Void = program.call("/slow?_mobile_bridge=1")
        await until { reader.records == ["1 answered", "2 waiting"] }
        opening.finish()
        await call
        await until { reader.records == ["1 answered", "2 waiting", "2 answered"] }
        await reader.end()

        // Whoever comes back gets what has changed since, and nothing twice.
        let last = try #require(reader.events.last?.id)
        await program.call("/echo?_mobile_bridge=1")
        let again = await Reader(program, last: last)
        await until { again.records == ["3 answered"] }
        await again.end()
    }

    @Test func aReaderIsToldWhichRecordsWereDropped() async throws {
        let program = JournalProgram()
        await program.call("/echo?_mobile_bridge=1")
        let reader = await Reader(program, "?session=*")
        await until { reader.records.count == 1 }
        _ = await program.ask(.delete, "calls?session=*")
        await until { reader.events.last?.name == "lost" }
        #expect(reader.events.last?.data == ["before": 2])
        #expect(try await program.calls().isEmpty)
        await reader.end()
        // What passed on goes sooner than calls, which are still there then.
        await program.call("/echo?_mobile_bridge=1")
        let all = await Reader(program, "?session=*&kind=all&name=echo")
        await until { all.records.count == 1 }
        let place = try #require(all.events.last?.id)
        await all.end()
        for _ in 1...2010 { _ = program.gateway.journal.begin(Request("/a.png"), as: .request, at: "") }
        let back = await Reader(program, "?session=*&kind=all&name=echo", last: place)
        await until { back.events.contains { $0.name == "lost" } }
        // All before the second was forgotten, as was said when it was.
        #expect(
            back.events.filter { $0.name == "lost" }.map(\.data)
                == [["before": 2], ["before": 13, "kind": "request"]])
        #expect(try await program.calls().count == 1)
        await back.end()
        // What others lose is not a loss of a session's.
        let ann = await Reader(program, "?session=ann")
        for _ in 1...10_050 { _ = program.gateway.journal.begin(Request("/other"), at: "flag") }
        await program.call("/echo?_mobile_bridge=1", headers: [.session: "ann"])
        await until { !ann.records.isEmpty }
        #expect(!ann.events.contains { $0.name == "lost" })
        await ann.end()
        // Of another process, whose numbers are others.
        let stranger = await Reader(program, last: "abc.7")
        #expect(stranger.response.status == .gone)
        #expect(try await program.ask(.get, "calls?since=99999").text().contains("restarted"))
    }

    @Test func readersAreLimitedAndGetOnlyWhatTheyAskFor() async throws {
        let program = JournalProgram()
        var readers: [Reader] = []
        for _ in 0..<JournalReader.most { readers.append(await Reader(program, "?name=echo&session=ann")) }
        let late = await program.ask(.get, "calls/events")
        #expect(late.status == .serviceUnavailable)
        // A person's inspector has room still.
        _ = try JournalReader(program.gateway.journal, watching: program.gateway.questions)
        await program.call("/echo?_mobile_bridge=1")
        await program.call("/text?_mobile_bridge=1", headers: [.session: "ann"])
        await program.call("/echo?_mobile_bridge=1", headers: [.session: "ann"])
        // A call that is still under way may be told first.
        for reader in readers { await until { reader.records.last == "3 answered" } }
        for reader in readers { await reader.end() }
        readers = []
        await until { program.gateway.journal.readers.load(ordering: .relaxed) == 0 }
        #expect(program.gateway.journal.state.withLock { $0.waiters.isEmpty })
    }

    /// Whoever waits or reads holds up no stop, and a gateway that is served again keeps them as before.
    @Test func aStoppingGatewayEndsEveryReaderAndWait() async throws {
        let program = JournalProgram()
        program.gateway.serverBegan()
        let reader = await Reader(program)
        async let waiting = program.ask(.get, "calls?name=pay&count=1&seconds=60")
        await until { program.gateway.journal.state.withLock { $0.waiters.count } == 2 }
        program.gateway.serverIsStopping()
        #expect(await waiting.status == .serviceUnavailable)
        await reader.result()
        program.gateway.serverHasStopped()

        program.gateway.serverBegan()
        let again = await Reader(program)
        await program.call("/echo?_mobile_bridge=1")
        await until { again.records.last == "1 answered" }
        await again.end()
        program.gateway.serverIsStopping()
        program.gateway.serverHasStopped()
    }

    /// A gateway may be served by two, and one of them be stopped.
    @Test func theJournalKeepsItsReadersUntilItsLastServerStops() async throws {
        let program = JournalProgram()
        for _ in 1...2 { program.gateway.serverBegan() }
        program.gateway.serverIsStopping()
        #expect(!program.gateway.journal.isStopping)
        program.gateway.serverHasStopped()
        #expect(!program.gateway.journal.isStopping)
        program.gateway.serverIsStopping()
        #expect(program.gateway.journal.isStopping)
        program.gateway.serverHasStopped()
    }

    private struct SlowHandler: Handler {
        let gate: AsyncStream<Void>

        func handle(_ request: Request) async throws -> Response {
            for await _ in gate {}
            return try Response(output: ["a": 1])
        }
    }
}
