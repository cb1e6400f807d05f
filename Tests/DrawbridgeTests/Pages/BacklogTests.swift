import Logging
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeMessages

/// Much that waits for a page: large answers, many messages, and a page that takes nothing.
@Suite(.timeLimit(.minutes(5))) struct BacklogTests {
    private static func text(_ bytes: Int) -> JSON { .string(String(repeating: "x", count: bytes)) }

    /// As much as it is asked for.
    private struct Much: JSONHandler {
        func handle(_ input: Int) async throws -> String { String(repeating: "x", count: input) }
    }

    private static func page(_ logger: Logger = .quiet) -> TestPage {
        let gateway = Gateway(logger: logger)
        surely { try gateway.register(Much.self, at: "/much") }
        return TestPage(gateway)
    }

    @Test func manyLargeAnswersAtOnceWaitForTheirTurnAndAllArrive() async throws {
        let page = Self.page()
        for id in 1...10 {
            page.tell(["call": "much", "data": 2_000_000, "id": .number(.init(id)), "bridge": "wvjb"])
        }
        for id in 1...10 {
            #expect(try await page.reply(id)["value"]?.stringValue?.utf8.count == 2_000_000)
            // Little is on its way however much waits.
            #expect(page.down.count <= id + 1)
            page.say(["ack": .number(.init(id))])
        }
    }

    @Test func anAnswerThatIsLongerThanAnyMessageIsAnErrorForItsCall() async throws {
        let log = LogBook()
        let page = Self.page(log.logger)
        page.tell(["call": "much", "data": 17_000_000, "id": 1, "bridge": "wvjb"])
        page.tell(["call": "much", "data": 1, "id": 2, "bridge": "wvjb"])
        let error = try await page.reply(1)["error"]
        #expect(error?["code"] == 413)
        #expect(error?["message"]?.stringValue?.contains("_mobile_bridge=1") == true)
        #expect(try await page.reply(2)["value"] == "x")
        #expect(log.entries.contains { $0.contains("much: the answer has 17000002 bytes") })
    }

    @Test func nativeCannotSendMoreThanAMessageMayHold() throws {
        let test = Self.page()
        let error = #expect(throws: PageError.self) { try test.page.send("n", Self.text(17_000_000)) }
        #expect(error?.reason == .full)
        #expect(error?.message.contains("for one message") == true)
    }

    @Test func aPageThatTakesNoAnswersGetsErrorsForFurtherCalls() async throws {
        let page = Self.page()
        for id in 1...11 {
            page.tell(["call": "much", "data": 16_000_000, "id": .number(.init(id)), "bridge": "wvjb"])
        }
        let own = try page.page
        await until { own.state.withLock { $0.outbox.last } >= 11 }
        #expect(own.isOpen)
        #expect(page.down.map(\.number) == [1])
        // Eight have room.
        for number in 1...8 { page.say(["ack": .number(.init(number))]) }
        #expect(page.down.map(\.number) == Array(1...11))
        #expect(page.down.dropFirst(8).map { $0.message["error"]?["code"] } == [503, 503, 503])
    }

    @Test func aPageCannotAcknowledgeMessagesThatWereNotSent() {
        var outbox = Outbox()
        for _ in 1...3 { _ = outbox.add(Array("1".utf8)) }
        outbox.acknowledge(3)
        outbox.withdraw(2)
        #expect(outbox.nextFrame() == Array(#"{"life":1,"down":[[1,1],[2,{}],[3,1]]}"#.utf8))
        outbox.acknowledge(3)
        #expect(outbox.bytes == 0)
    }

    @Test func whatWasTakenIsSaidOnceWithTheNextMessagesOrAlone() {
        var outbox = Outbox()
        #expect(outbox.acknowledgement() == nil)
        outbox.taken = 7
        _ = outbox.add(Array("1".utf8))
        #expect(outbox.nextFrame() == Array(#"{"life":1,"ack":7,"down":[[1,1]]}"#.utf8))
        #expect(outbox.acknowledgement() == nil)
        outbox.taken = 7
        #expect(outbox.nextFrame() == nil)
        #expect(outbox.acknowledgement() == Array(#"{"life":1,"ack":7}"#.utf8))
        #expect(outbox.acknowledgement() == nil)
    }

    @Test func theBacklogOfAPageThatTakesNothingIsBounded() throws {
        let page = try Self.page().page
        let error = #expect(throws: PageError.self) {
            for _ in 0..<40 { try page.send("big", Self.text(1 << 20)) }
        }
        #expect(error?.reason == .full)
    }

    @Test func theBacklogCountsTheOverheadOfSmallMessages() {
        var outbox = Outbox()
        for _ in 1...1000 { _ = outbox.add(Array("{}".utf8)) }
        let frame = outbox.nextFrame()
        #expect((2000..<outbox.bytes).contains(frame?.count ?? 0))
    }

    @Test func aLargeBacklogArrivesInPiecesWhenThePageIsBack() throws {
        let first = Self.page()
        let page = try first.page
        first.leaveWire()
        for number in 1...12_000 { try page.send("n", [.number(.init(number)), Self.text(500)]) }
        let second = TestPage(first.gateway, id: first.id, saysHello: false)
        second.hello()
        #expect(second.down.count < 10_000)
        while let last = second.down.last?.number, last < 12_000 {
            second.say(["ack": .number(.init(last))])
            try #require(second.down.last?.number != last)
        }
        #expect(second.down.map(\.number) == Array(1...12_000))
        #expect(second.longestFrame <= 1 << 20)
    }
}
