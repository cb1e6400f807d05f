import Drawbridge
import DrawbridgeServer
import Synchronization
import TestSupport
import Testing

/// Four pages whose connections break, and a program that reads the journal meanwhile, whose connections break too.
@Suite("Hostile 32: records of connections that break", .timeLimit(.minutes(5)))
struct JournalDeliveryTests {
    private struct Note: JSONHandler {
        struct Input: Codable, Sendable { var n: Int }

        func handle(_ input: Input) async throws -> Int { input.n }
    }

    /// What a program keeps of a record.
    private struct Record: Equatable {
        let number: Int
        let page: String
        let n: Int

        init?(_ call: JSON) {
            guard let number = call["number"]?.numberValue?.intValue,
                let page = call["page"]?["id"]?.stringValue,
                let n = call["input"]?["n"]?.numberValue?.intValue
            else { return nil }
            (self.number, self.page, self.n) = (number, page, n)
        }
    }

    private static let calls = 2500

    @Test func eachCompleteCallIsOneRecordAndAPagesCallsKeepTheirOrder() async throws {
        let gateway = Gateway.quiet(keepsJournal: true)
        try gateway.register(Note.self, at: "/note")
        try await serving(gateway, loops: 2) { port in
            let reader = JournalReader(port, gateway.testerToken.text)
            let ids = "abcd".map { String(repeating: $0, count: 32) }
            async let read = blocking { try reader.readUntilFinished() }
            let token = gateway.access.token.text
            do {
                try await withThrowingTaskGroup { group in
                    for (place, id) in ids.enumerated() {
                        let random = SeededRandom(seed: UInt64(place))
                        group.addTask {
                            let kind: any BreakingPage.Type =
                                place < 2 ? ChannelledPage.self : RequestingPage.self
                            try await blocking {
                                var page = try kind.init(port, token, id, random)
                                try page.call(Self.calls) { reader.count(of: id) > $0 }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            } catch {
                reader.finish()
                throw error
            }
            reader.finish()
            let calls = try await read
            let records = calls.compactMap(Record.init)
            #expect(records.count == 4 * Self.calls && calls.count == records.count)
            #expect(records.map(\.number) == Set(records.map(\.number)).sorted())
            for id in ids {
                #expect(records.filter { $0.page == id }.map(\.n) == Array(0..<Self.calls), "\(id)")
            }
            #expect(await eventually { gateway.journal.calls().allSatisfy { $0.state != .waiting } })

            // The coming and going of pages is among them, so the first have gone. Whoever is so late is told where to read
            // on.
            let late = try await blocking { try reader.ask(since: 1) }
            #expect(late.status == 410)
            let place = try #require(
                late.text.firstMatch(of: /records before ([0-9]+) are gone/).flatMap { Int($0.1) })
            #expect(place > 1)
            let left = try await blocking { try reader.ask(since: place) }
            let kept = try #require(JSON(parsing: left.body)["data"]?["calls"]?.arrayValue)
            #expect(kept.compactMap(Record.init) == records.filter { $0.number >= place })
        }
    }
}

/// Reads the journal by a cursor, over connections that break.
private final class JournalReader: Sendable {
    private let port: Int
    private let token: String
    private let counts = Mutex<[String: Int]>([:])
    private let isFinished = Atomic(false)

    init(_ port: Int, _ token: String) {
        self.port = port
        self.token = token
    }

    /// How many calls of a page it has read so far.
    func count(of page: String) -> Int { counts.withLock { $0[page, default: 0] } }

    /// No page calls any more.
    func finish() { isFinished.store(true, ordering: .releasing) }

    /// All calls, each as it came.
    func readUntilFinished() throws -> [JSON] {
        var random = SeededRandom(seed: 17)
        var client = try RawClient(port)
        var (calls, next) = ([JSON](), 1)
        while true {
            let isLast = isFinished.load(ordering: .acquiring)
            let request = request(
                "since=\(next)&limit=\(Int.random(in: 1...300, using: &random))&seconds=0.1")
            let way = Int.random(in: 0..<12, using: &random)
            guard way > 2 else {
                // Half of what is asked, all of it, or all of it and a part of the answer: the cursor stays where it was.
                try client.send(way == 0 ? String(request.prefix(request.count / 2)) : request)
                if way == 2 { _ = try client.readSome(40) }
                client.close()
                client = try RawClient(port)
                continue
            }
            try client.send(request)
            let reply = try client.reply()
            let said = try JSON(parsing: reply.body)
            // Nothing was called meanwhile.
            if reply.status == 504 {
                if isLast { return calls }
                continue
            }
            guard let found = said["data"]?["calls"]?.arrayValue,
                let place = said["data"]?["next"]?.numberValue?.intValue
            else { throw DeliveryFault(description: "calls from \(next) on: \(said)") }
            next = place
            calls += found
            counts.withLock { counts in
                for call in found { counts[call["page"]?["id"]?.stringValue ?? "", default: 0] += 1 }
            }
        }
    }

    /// All that is kept from a number on.
    func ask(since number: Int) throws -> RawAnswer {
        let client = try RawClient(port)
        try client.send(request("since=\(number)&limit=20000"))
        return try client.reply()
    }

    private func request(_ query: String) -> String {
        """
        GET /__drawbridge__/calls?\(query) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n
        """
    }
}
