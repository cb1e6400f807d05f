import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeStore

/// The scripts in redis-server, and gateways with it.
@Suite(.timeLimit(.minutes(5))) struct RealStoreTests {
    /// A redis-server on a Unix socket, which ends with its test.
    private final class Redis: Sendable {
        let folder: Folder
        let process: Child

        var url: String { "unix:\(folder.path)/redis" }

        init() async throws {
            folder = try Folder()
            let (address, output) = (StoreAddress("unix:\(folder.path)/redis")!, Notebook())
            process = try Child(
                "redis-server",
                ["--port", "0", "--unixsocket", "\(folder.path)/redis", "--dir", folder.path, "--save", ""]
            ) { output.note(String(decoding: $0, as: UTF8.self)) }
            await until { (try? StoreConnection(address)) != nil || output.entries.last?.isEmpty == true }
        }

        func ask(_ words: String...) throws -> StoreReply {
            try StoreConnection(StoreAddress(url)!).ask([words.map(\.bytes)])[0]
        }

        func load(_ owner: String, next: Int = 1) throws -> StoreReply {
            try StoreConnection(StoreAddress(url)!).ask([
                StoreConnection.run(
                    StoreConnection.load, ["{drawbridge}:session:ann", "{drawbridge}:numbers"],
                    [owner, "{drawbridge}:", "ann", "\(next)"].map(\.bytes))
            ])[0]
        }

        func write(_ owner: String, _ words: [String], records: [(Int, [UInt8])] = []) throws -> Int {
            try StoreConnection(StoreAddress(url)!).ask([
                StoreConnection.run(
                    StoreConnection.write, ["{drawbridge}:session:ann", "{drawbridge}:calls:ann"],
                    ([owner] + words).map(\.bytes) + records.flatMap { ["\($0.0)".bytes, [], $0.1, []] })
            ])[0].number
        }

        func tick(_ gateway: String, _ revoked: [String: Int] = [:]) throws -> StoreReply {
            try StoreConnection(StoreAddress(url)!).ask([
                StoreConnection.run(
                    StoreConnection.tick,
                    ["id", "alive:\(gateway)", "wanted:\(gateway)", "revoked"].map { "{drawbridge}:\($0)" },
                    (["new id", "{drawbridge}:", gateway] + revoked.flatMap { [$0.key, "\($0.value)"] })
                        .map(\.bytes))
            ])[0]
        }
    }

    @Test func onlyTheOwnerWrites() async throws {
        let redis = try await Redis()
        #expect(try redis.tick("a")[0].number == 0)
        #expect(try redis.tick("a")[0].number == 1)
        #expect(try redis.load("a:1", next: 0)[1].number == 1_000_000_000)
        #expect(try redis.write("a:1", ["1", "0", "1", "0", "7", "kept"]) == 1)
        #expect(try redis.write("b:1", ["1", "0", "1", "0", "7", "stolen"]) == 0)
        // Asked for twice, it is given up once.
        _ = try redis.tick("b")
        #expect(try redis.load("b:1")[0].number == 0)
        #expect(try redis.load("b:1")[0].number == 0)
        #expect(try redis.tick("a")[2].list.map(\.text) == ["ann"])
        #expect(try redis.tick("a")[2].list.isEmpty)
        #expect(try redis.write("a:1", ["0", "0", "1", "0", "7", ""]) == 1)
        let taken = try redis.load("b:1")
        #expect(taken[0].number == 1)
        #expect(taken[2].list.map(\.text) == ["kept", "1", "0"])
        #expect(try redis.write("a:1", ["1", "0", "1", "0", "7", "late"]) == 0)
    }

    @Test func aGatewayThatIsSilentIsTakenForKilled() async throws {
        let redis = try await Redis()
        #expect(try redis.load("a:1", next: 0)[0].number == 1)
        #expect(try redis.write("a:1", ["1", "0", "1", "0", "1000000007", "kept"]) == 1)
        let taken = try redis.load("b:1", next: 0)
        #expect(taken[1].number == 2_000_000_000)
        // Whatever had a number may be missing.
        #expect(taken[2].list.map(\.text) == ["kept", "1", "2000000000"])
    }

    @Test(arguments: [(12_000, 10), (40, 1 << 20)])
    func theOldestRecordsOfManyGoAndAreMissed(_ count: Int, _ bytes: Int) async throws {
        let redis = try await Redis()
        #expect(try redis.load("a:1", next: 0)[0].number == 1)
        let input = [UInt8](repeating: 0x78, count: bytes)
        // Long calls end late: numbers are not in order.
        let numbers = (1...count).map { $0 % 2 == 0 ? $0 - 1 : $0 + 1 }
        for begin in stride(from: 0, to: count, by: 10) {
            let records = numbers[begin..<begin + 10].map { ($0, input) }
            #expect(try redis.write("a:1", ["1", "0", "1", "0", "\(count)", ""], records: records) == 1)
        }
        let left = try redis.ask("XLEN", "{drawbridge}:calls:ann").number
        #expect(left > 0 && left < count && left <= 11_000 && left * bytes <= 16 << 20)
        let lost = try redis.ask("HGET", "{drawbridge}:session:ann", "lost").number
        #expect(lost >= numbers.prefix(count - left).max() ?? 0)
        #expect(lost < numbers.suffix(left - 1).max() ?? 0)
    }

    @Test func aSessionGoesOnAtTheNextGateway() async throws {
        let redis = try await Redis()
        let (one, other) = (try SharingGateway(at: redis.url), try SharingGateway(at: redis.url))
        #expect(try await one.set(#"{"paid": 2}"#).status == 200)
        #expect(try await one.call("steps") == "one")
        #expect(try await other.call("steps") == "two")
        #expect(try await other.call("pay") == ["paid": 2])
        await other.store.end()
        #expect(try await one.call("steps") == "three")
        #expect(
            try await one.ask(.post, "calls/verify", #"{"name": "steps", "count": 3}"#).status == 200)
        #expect(one.records.map(\.number) == one.records.map(\.number).sorted())
        await one.store.end()
        #expect(try redis.ask("HGET", "{drawbridge}:session:ann", "open").text == "0")
        #expect(one.errors().isEmpty && other.errors().isEmpty)
    }

    @Test func theNextGatewayOfOneThatWasKilledKnowsThatRecordsMayBeMissing() async throws {
        let redis = try await Redis()
        let (one, other) = (try SharingGateway(at: redis.url), try SharingGateway(at: redis.url))
        #expect(try await one.set(#"{"paid": 2}"#).status == 200)
        // Its thread ends, and gives up nothing.
        one.store.state.withLock { $0.isOver = true }
        var found: JSON?
        while found == nil { found = try await other.call("pay") }
        #expect(found == ["paid": 2])
        #expect(try await other.ask(.post, "calls/verify", #"{"name": "pay", "count": 1}"#).status == 409)
        #expect(try await other.ask(.post, "reset").status == 200)
        #expect(try await other.ask(.post, "calls/verify", #"{"name": "pay", "count": 0}"#).status == 200)
        await other.store.end()
    }

    @Test func aBrowserThatIsRevokedAtOneGatewayIsRefusedByAll() async throws {
        let (redis, secret) = (try await Redis(), SharedSecret())
        let one = try SharingGateway(at: redis.url, secret), other = try SharingGateway(at: redis.url, secret)
        @Sendable func isIn(_ cookie: String, at gateway: SharingGateway) -> Bool {
            gateway.gateway.admissions.accepts(cookie: cookie, from: nil, browser: nil)
        }
        let (first, cookie) = one.admit()
        let (second, unseen) = other.admit()
        #expect(isIn(cookie, at: other))
        try await other.revoke(first.id)
        #expect(!isIn(cookie, at: other))
        await until { !isIn(cookie, at: one) }
        // One that was never there; and a gateway that starts later.
        try await one.revoke(second.id)
        await until { !isIn(unseen, at: other) }
        let last = try SharingGateway(at: redis.url, secret)
        while try await last.call("pay") == nil {}
        #expect(!isIn(cookie, at: last) && !isIn(unseen, at: last) && !isIn(unseen, at: one))
        #expect(try redis.ask("ZCARD", "{drawbridge}:revoked").number == 2)
        // A store that was emptied is told again.
        _ = try redis.ask("FLUSHALL")
        await until { (try? redis.ask("ZCARD", "{drawbridge}:revoked").number) == 2 }
        #expect(try await one.ask(.delete, "admissions/no-such-device").status == 404)
        // All at once; and without the store, only here.
        let cookies = (0..<3).map { _ in one.admit().cookie }
        #expect(cookies.allSatisfy { isIn($0, at: other) })
        try await one.revoke("*")
        await until { !isIn(cookies[0], at: other) }
        #expect(!cookies.contains { isIn($0, at: one) || isIn($0, at: other) })
        let (away, gone) = other.admit()
        #expect(isIn(gone, at: one))
        redis.process.terminate()
        _ = await redis.process.exitCode()
        #expect(try await one.ask(.delete, "admissions/\(away.id)").status == 503)
        #expect(!isIn(gone, at: one) && isIn(gone, at: other))
    }

    @Test func theStoreForgetsWhatIsRevokedByItsAgeAndNeverMoreThanAThousand() async throws {
        let (redis, second) = (try await Redis(), unixTime())
        func tick(_ revoked: [String: Int]) throws -> [String: Int] {
            let list = try redis.tick("a", revoked)[3].list
            return Dictionary(
                uniqueKeysWithValues: stride(from: 0, to: list.count, by: 2).map {
                    (list[$0].text, list[$0 + 1].number)
                })
        }
        #expect(try tick(["00000001": second]) == ["00000001": second])
        #expect(try tick(["00000001": second - 5, "00000002": 1]) == ["00000001": second])
        let many = Dictionary(
            uniqueKeysWithValues: (0..<1200).map { ("\(10_000_000 + $0)", second + 10 + $0) })
        let kept = try tick(many)
        #expect(kept.count <= 1001 && kept["*"] == second + 10 + 199 && kept["00000001"] == nil)
        #expect(try tick(["*": second + 5000])["*"] == second + 5000)
    }
}
