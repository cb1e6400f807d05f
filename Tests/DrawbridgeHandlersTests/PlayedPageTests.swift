import Drawbridge
import DrawbridgeTesting
import Testing

/// A page that is played, and handlers that speak to it.
@Suite("A played page", .timeLimit(.minutes(5))) struct PlayedPageTests {
    /// Does something before it waits for anything, and so while the page still sends its call.
    private struct Touch: JSONHandler {
        let request: Request
        let act: @Sendable (Request) throws -> Void

        func handle(_ input: Nothing) async throws -> String {
            try act(request)
            return "done"
        }
    }

    private static func page(
        of gateway: Gateway = Gateway(),
        touchedBy act: @escaping @Sendable (PlayedPage, Request) throws -> Void
    ) throws -> PlayedPage {
        let page = PlayedPage(gateway, at: "/shop")
        try gateway.register(at: "/touch") { request in Touch(request: request) { try act(page, $0) } }
        return page
    }

    static let deeds: [(String, @Sendable (PlayedPage, Request) throws -> Void)] = [
        ("asked", { page, _ in _ = page.asked }), ("events", { page, _ in _ = page.events }),
        ("page", { page, _ in _ = page.page?.url }), ("on", { page, _ in page.on("agree") { _ in true } }),
        ("send", { page, _ in page.send("other") }),
        ("emit", { _, request in try request.page?.emit("shown", 1) }),
        ("progress", { _, request in _ = try request.progress(1) }),
    ]

    @Test(arguments: deeds.map(\.0)) func aHandlerMayUseThePageThatCallsIt(_ name: String) async throws {
        let deed = try #require(Self.deeds.first { $0.0 == name }).1
        let page = try Self.page(touchedBy: deed)
        #expect(try await page.call("touch") == "done")
    }

    /// A bridge's flag joins a query that the name has.
    @Test func aNameWithAQueryIsCalledByEachFlag() async throws {
        let gateway = Gateway()
        try gateway.register(at: "/tasks/:id") { Given() }
        for bridge in [RequestBridge.flag, .query] {
            let output = try await gateway.call("/tasks/7?priority=low", ["n": 1], by: bridge).output()
            #expect(output["id"] == "7" && output["priority"] == "low" && output["n"] != nil)
        }
    }

    private struct Given: JSONHandler {
        func handle(_ input: JSON) async throws -> JSON { input }
    }

    @Test func aCallGoesToThePageThatHasAHandlerOfThatName() async throws {
        let gateway = Gateway()
        let (first, second) = (PlayedPage(gateway), PlayedPage(gateway))
        first.on("agree") { _ in true }
        let request = Request(
            .post, "/__drawbridge__/pages/latest/call",
            headers: [.authorization: "Bearer \(gateway.testerToken.text)"],
            body: .init(#"{"name": "agree"}"#))
        #expect(await gateway.respond(to: request).status == .ok)
        #expect(first.asked == [.init("agree")] && second.asked.isEmpty)
    }

    @Test func aHandlerMayMakeThePageLeave() async throws {
        let page = try Self.page { page, _ in
            page.send("last")
            page.leave()
        }
        await #expect(throws: CancellationError.self) { try await page.call("touch") }
        #expect(page.page?.presence == .leaving)
    }

    @Test func messagesOfAHandlerArriveInOrder() async throws {
        let gateway = Gateway(keepsJournal: true)
        let page = try Self.page(of: gateway) { page, _ in
            for number in 1...3 { page.send("other", .number(.init(number))) }
        }
        #expect(try await page.call("touch") == "done")
        await #expect(throws: HTTPError.self) { try await page.call("other", 4) }
        let calls = gateway.journal.calls(named: "other")
        #expect(calls.map(\.input) == [1, 2, 3, 4])
    }

    private struct Order: Codable, Equatable {
        var number: Int
        var price: Double
    }

    @Test func aCallOfAPageTakesAndGivesValuesOfAnyType() async throws {
        let gateway = Gateway()
        let played = PlayedPage(gateway)
        played.on("same") { $0 }
        let page = try #require(played.page)
        let (order, drink) = (Order(number: 17, price: 2.5), "tea")
        let json: JSON = ["number": 17, "price": 2.5]
        #expect(try await page.call("same", order, as: Order.self) == order)
        #expect(try await page.call("same", order) == json)
        #expect(try await page.call("same", json, as: Order.self) == order)
        #expect(try await page.call("same", drink, as: String.self) == drink)
        #expect(try await page.call("same", as: Int?.self) == nil)
        let mixed: JSON = ["of": "tea", "amount": 1, "with": ["milk", 2]]
        #expect(try await page.call("same", ["of": "tea", "amount": 1, "with": ["milk", 2]]) == mixed)

        let error = await #expect(throws: PageError.self) {
            try await page.call("same", ["number": "x"], as: Order.self)
        }
        #expect(error?.reason == .failed(code: 502))
        let why = #"number: expected a whole number, got the string "x""#
        #expect(error?.message == "the page's answer to same does not fit: \(why)")

        try page.send("same", order)
        try page.emit("one", order)
        try gateway.pages.emit("all", order)
        #expect(throws: EncodingError.self) { try page.emit("one", Double.nan) }
        #expect(throws: EncodingError.self) { try gateway.pages.emit("all", Double.nan) }
        // Messages arrive in order, so the page has heard the events when it has answered.
        _ = try await page.call("same")
        #expect(played.events == [.init("one", json), .init("all", json)])
        #expect(played.asked.suffix(2) == [.init("same", json), .init("same")])
    }

    /// What an answer holds may speak to the page at its end.
    @Test func aPagesReplacedHandlerMayUseThePageWhenItIsReleased() {
        let page = PlayedPage(Gateway())
        page.on("agree") { [atEnd = AtEnd { page.send("gone") }] _ in .bool(atEnd.isThere) }
        page.on("agree") { _ in false }
    }
}

private final class AtEnd: Sendable {
    let isThere = true
    private let act: @Sendable () -> Void

    init(_ act: @escaping @Sendable () -> Void) { self.act = act }

    deinit { act() }
}
