import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway

/// A page's calls begin in its order, also those that come by requests of their own.
@Suite("The order of a page's requests and messages", .timeLimit(.minutes(5))) struct PageTurnsTests {
    private struct Notes: JSONHandler {
        let note: @Sendable (Int) -> Void
        func handle(_ input: Int) async throws -> Nothing {
            note(input)
            return Nothing()
        }
    }

    private static func request(
        _ gateway: Gateway, _ test: TestPage, _ number: Int, after: String, token: String? = nil
    ) async -> Response {
        let headers: HTTPFields = [
            .pageID: test.id, .pageToken: token ?? gateway.access.token.text, .pageAfter: after,
        ]
        return await gateway.respond(
            to: Request(.post, "/note?_mobile_bridge=1", headers: headers, body: .init("\(number)")))
    }

    private static func note(_ number: Int) -> JSON {
        [.number(.init(number)), ["call": "note", "data": .number(.init(number)), "bridge": "wvjb"]]
    }

    private static func noting(
        _ log: LogBook = LogBook(), patience: Duration = .seconds(3600)
    ) -> (gateway: Gateway, order: Order) {
        let gateway = PageHandlers.gateway(logger: log.logger)
        gateway.pages.turns.patience.withLock { $0 = patience }
        let order = Order()
        surely { try gateway.register(at: "/note") { Notes { order.add($0) } } }
        return (gateway, order)
    }

    private final class Order: Sendable {
        private let kept = Mutex<[Int]>([])
        func add(_ number: Int) { kept.withLock { $0.append(number) } }
        var all: [Int] { kept.withLock { $0 } }
    }

    @Test func aRequestBeginsAfterTheMessagesBeforeIt() async throws {
        let (gateway, order) = Self.noting()
        let test = TestPage(gateway)
        let third = Task { await Self.request(gateway, test, 3, after: "1.2") }
        for _ in 0..<2000 where gateway.pages.turns.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
        test.say(["up": [Self.note(1)]])
        #expect(order.all == [1])
        test.say(["up": [Self.note(2)]])
        #expect(await third.value.status == .ok)
        #expect(order.all == [1, 2, 3])
        // What has begun needs no wait, nor what belongs to a life before.
        _ = await Self.request(gateway, test, 4, after: "1.2")
        let next = TestPage(gateway, id: test.id, life: 2)
        _ = await Self.request(gateway, next, 5, after: "1.900")
        #expect(order.all == [1, 2, 3, 4, 5])
        #expect(gateway.pages.turns.count == 0)
    }

    @Test func aRequestWaitsForAChannelThatIsNotOpenYet() async throws {
        let (gateway, order) = Self.noting()
        let test = TestPage(gateway, saysHello: false)
        let second = Task { await Self.request(gateway, test, 2, after: "1.1") }
        for _ in 0..<2000 where gateway.pages.turns.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
        test.hello()
        test.say(["up": [Self.note(1)]])
        _ = await second.value
        #expect(order.all == [1, 2])
    }

    @Test func aRequestWaitsAtMostASecondForEarlierMessages() async throws {
        let log = LogBook()
        let (gateway, order) = Self.noting(log, patience: .seconds(1))
        #expect(Gateway().pages.turns.patience.withLock { $0 } == .seconds(1))
        let test = TestPage(gateway)
        #expect(await Self.request(gateway, test, 2, after: "1.1").status == .ok)
        #expect(order.all == [2])
        #expect(log.entries.contains { $0.contains("/note waited 1.0 seconds for earlier messages of page") })
    }

    @Test(arguments: ["", "1", "1.", ".1", "1.2.3", "0.1", "1.0", "-1.1", "1.9223372036854775808", "a.b"])
    func aRequestWithAnInvalidMessagePlaceDoesNotWait(_ after: String) async throws {
        let log = LogBook()
        let (gateway, order) = Self.noting(log)
        _ = await Self.request(gateway, TestPage(gateway), 1, after: after)
        #expect(order.all == [1])
        #expect(log.entries.isEmpty)
    }

    @Test func aRequestWithoutTheTokenDoesNotWait() async throws {
        let log = LogBook()
        let (gateway, _) = Self.noting(log)
        _ = await Self.request(gateway, TestPage(gateway), 1, after: "1.1", token: "wrong")
        #expect(!log.entries.contains { $0.contains("waited 1.0 seconds") })
    }

    @Test func aRequestWhoseCallerLeftWaitsNoLonger() async throws {
        let (gateway, _) = Self.noting()
        let test = TestPage(gateway)
        let request = Task { await Self.request(gateway, test, 2, after: "1.1") }
        for _ in 0..<2000 where gateway.pages.turns.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
        request.cancel()
        _ = await request.value
        #expect(gateway.pages.turns.count == 0)
    }
}
