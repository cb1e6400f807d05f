import Drawbridge
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// Pages whose gateway is started again, in real browsers: none of their calls waits for ever.
@Suite("Restarts", .serialized, .timeLimit(.minutes(5))) struct RestartTests {
    /// Says that it is called, and answers only where it is told what.
    private struct Hold: JSONHandler {
        static let options = HandlerOptions(deadline: nil)

        let calls: Observed<Int>
        var answer: String?

        func handle(_ input: JSON?) async throws -> String {
            calls.change { $0 += 1 }
            if let answer { return answer }
            try await Task.sleep(for: .seconds(600))
            return "too late"
        }
    }

    /// A site with that handler, and how often it was called.
    private static func site(
        port: Int = 0, answering answer: String? = nil
    ) throws -> (site: BridgeSite, calls: Observed<Int>) {
        let calls = Observed(0)
        do {
            let site = try BridgeSite(port: port) { gateway in
                try gateway.register(at: "/hold") { Hold(calls: calls, answer: answer) }
            }
            return (site, calls)
        } catch {
            throw PortIsTaken(port, error)
        }
    }

    /// A call that waits, and whose end the page remembers.
    private static func call(_ name: String) -> String {
        "bridged.then(bridge => { bridge.callHandler('\(name)', {}, end => { window.ended = end; }); }), 1"
    }

    @Test(arguments: SpokenBridge.tried)
    func aPageReconnectsAfterTheGatewayWasRestarted(_ browser: Browser, _ bridge: SpokenBridge)
        async throws
    {
        let port = try freePort()
        let (first, calls) = try Self.site(port: port)
        let pages = Pages.Following(first.gateway.pages)
        try await browser.open("\(first.address)/tab.html?name=a&bridge=\(bridge)") {
            let page = try await pages.next()
            _ = try await page.evaluate(Self.call("hold"))
            try await calls.wait { $0 == 1 }
            await first.server.stop()
            let (second, _) = try Self.site(port: port)
            let again = try await Pages.Following(second.gateway.pages).next()
            #expect(again.id == page.id)
            #expect(try await again.call("where", 1) == ["at": "a", "data": 1])
            #expect(try await again.evaluate("ask('add', {a: 1, b: 2})") == 3)
            #expect(
                try await again.evaluate("window.ended")
                    == ["code": 503, "message": "the gateway was restarted"])
            await second.server.stop()
        }
    }

    /// A gateway in a process of its own, with the pages, as a tester has it.
    private struct Gateway {
        let program: Program
        let port: Int
        private let pages: String
        private let token: String

        init(port: Int) async throws {
            program = try .product(
                "test-server", ["-p", "\(port)", "--root", BridgeSite.pages, "--scheme", "mizhua"])
            do {
                self.port = try await program.port()
            } catch {
                throw PortIsTaken(port, error)
            }
            pages = "http://127.0.0.1:\(self.port)/__drawbridge__/pages"
            let line = try await program.line(with: "/__drawbridge__/pages")
            token = try String(#require(line.firstMatch(of: /Authorization: Bearer [0-9a-f]{32}/)).output)
        }

        /// The id of its page, as soon as there is one.
        func page() async throws -> String {
            while true {
                let list = try JSON(parsing: Array(try await curl("-H", token, pages).utf8))
                if let id = list["data"]?[0]?["id"]?.stringValue { return id }
                try await Task.sleep(for: .milliseconds(20))
            }
        }

        /// What a call or a script in the page gives.
        func ask(_ page: String, _ verb: String, _ body: JSON) async throws -> JSON? {
            let body = String(decoding: body.bytes, as: UTF8.self)
            let text = try await curl("-H", token, "-d", body, "\(pages)/\(page)/\(verb)")
            return try JSON(parsing: Array(text.utf8))["data"]
        }

        /// What a handler gives.
        func call(_ name: String) async throws -> JSON? {
            let text = try await curl("http://127.0.0.1:\(port)/\(name)?_mobile_bridge=1")
            return try JSON(parsing: Array(text.utf8))["data"]
        }
    }

    @Test(arguments: SpokenBridge.tried)
    func aPageReconnectsAfterTheGatewayWasKilledAndRestarted(_ browser: Browser, _ bridge: SpokenBridge)
        async throws
    {
        let first = try await Gateway(port: freePort())
        try await browser.open("http://127.0.0.1:\(first.port)/tab.html?name=a&bridge=\(bridge)") {
            let page = try await first.page()
            _ = try await first.ask(page, "evaluate", ["script": .string(Self.call("wait"))])
            while try await first.call("counts") != [1, 0] { try await Task.sleep(for: .milliseconds(10)) }
            kill(first.program.child.processIdentifier, SIGKILL)
            _ = await first.program.child.exitCode()
            let second = try await Gateway(port: first.port)
            #expect(try await second.page() == page)
            #expect(
                try await second.ask(page, "call", ["name": "where", "data": 1]) == ["at": "a", "data": 1])
            #expect(
                try await second.ask(page, "evaluate", ["script": "window.ended"])
                    == ["code": 503, "message": "the gateway was restarted"])
            // What waited is forgotten with its process.
            #expect(try await second.call("counts") == [0, 0])
            _ = await second.program.stop()
        }
    }

    // MARK: Pages that are blocked meanwhile

    /// Calls synchronously, twice, and at last asks for a picture elsewhere, which shows that it is through.
    private static func callNow(then elsewhere: String) -> String {
        """
        setTimeout(() => {
            const outcome = name => { try { return callNative(name, 'x'); } catch (error) { return error.code; } };
            window.outcomes = [outcome('hold'), outcome('echo')];
            new Image().src = '\(elsewhere)';
        }), 1
        """
    }

    @Test(arguments: Browser.tried)
    func aSynchronousCallFailsWith503WhenTheGatewayIsGone(_ browser: Browser) async throws {
        let elsewhere = try PlainSite(answering: PlainSite.answer(""))
        let port = try freePort()
        let (first, calls) = try Self.site(port: port)
        let pages = Pages.Following(first.gateway.pages)
        try await browser.open("\(first.address)/driven.html") {
            let page = try await pages.next()
            _ = try await page.evaluate(Self.callNow(then: "http://127.0.0.1:\(elsewhere.port)/"))
            try await calls.wait { $0 == 1 }
            await first.server.stop()
            try await elsewhere.requests.wait { !$0.isEmpty }
            let (second, _) = try Self.site(port: port)
            let again = try await Pages.Following(second.gateway.pages).next()
            #expect(again.id == page.id)
            #expect(try await again.evaluate("outcomes") == [503, 503])
            #expect(try await again.evaluate("callNative('echo', 'later')") == "later")
            #expect(try await again.call("add", [1, 2]) == 3)
            await second.server.stop()
        }
    }

    /// Chromium and Firefox send a request again whose connection ended without a word, and its handler would run
    /// twice: so the gateway says that it stops.
    @Test(arguments: Browser.tried)
    func aSynchronousCallIsNotRunTwiceWhenTheGatewayStops(_ browser: Browser) async throws {
        let elsewhere = try PlainSite(answering: PlainSite.answer(""))
        let (first, calls) = try Self.site()
        let (second, later) = try Self.site(answering: "held")
        let relay = try Relay(to: first.server.address.port)
        let pages = Pages.Following(first.gateway.pages)
        let others = Pages.Following(second.gateway.pages)
        try await browser.open("http://127.0.0.1:\(relay.port)/driven.html") {
            let page = try await pages.next()
            _ = try await page.evaluate(Self.callNow(then: "http://127.0.0.1:\(elsewhere.port)/"))
            try await calls.wait { $0 == 1 }
            relay.server.change { [port = second.server.address.port] in $0 = port }
            await first.server.stop()
            try await elsewhere.requests.wait { !$0.isEmpty }
            let again = try await others.next()
            #expect(again.id == page.id)
            #expect(try await again.evaluate("outcomes") == [503, "x"])
            #expect(later.value == 0)
            #expect(try await again.call("add", [1, 2]) == 3)
        }
        relay.stop()
        await second.server.stop()
    }
}
