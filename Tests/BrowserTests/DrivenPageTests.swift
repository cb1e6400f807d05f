import Drawbridge
import DrawbridgeServer
import Foundation
import Synchronization
import TestSupport
import Testing

/// Native calls pages in real browsers, and pages that come, go and lose their connection.
@Suite("Pages that native calls", .serialized, .timeLimit(.minutes(5))) struct DrivenPageTests {
    /// Opens the page, and lets the test drive it.
    ///
    /// - Parameter port: where the browser finds the site, if not at its own.
    private static func drive<Value: Sendable>(
        _ browser: Browser, _ site: BridgeSite, at port: Int? = nil, page: String = "driven.html",
        _ body: @escaping @Sendable (Page) async throws -> Value
    ) async throws -> Value {
        let pages = Pages.Following(site.gateway.pages)
        let value = try await browser.open("http://127.0.0.1:\(port ?? site.server.address.port)/\(page)") {
            try await body(try await pages.next())
        }
        await site.server.stop()
        return value
    }

    @Test(arguments: Browser.tried)
    func nativeCallsAPageByEachOfItsBridges(_ browser: Browser) async throws {
        let texts: JSON = ["q\"\\\u{2028}\u{0}😀", [1, 2.5, true, .null], ["a": ["b": [:]]]]
        try await Self.drive(browser, try BridgeSite()) { page in
            let title = "A page that native calls"
            #expect(try await page.call("share", texts) == ["title": .string(title), "data": texts])
            #expect(try await page.call("add", [2, 3]) == 5)
            #expect(try await page.call("whatTime", ["a": 1], by: .message) == ["asked": ["a": 1]])
            #expect(try await page.evaluate("document.title") == .string(title))
            #expect(
                try await page.evaluate("new Promise(done => setTimeout(() => done({a: 1}), 20))") == ["a": 1]
            )
            try page.emit("hello", texts)
            #expect(try await page.evaluate("calls") == [texts])
            #expect(page.bridges.contains(.wvjb))
            #expect(page.url.hasSuffix("/driven.html"))
            #expect(page.title == title)
        }
    }

    /// What some way of passing text gets wrong.
    private static let values: [JSON] = [
        "say \"it's\" `so`", "C:\\new\\table\\u0041 \\", "a\u{2028}b\u{2029}c\r\n\td", "é 漢字 😀 👩‍👩‍👧", "a\u{0}b",
        "</script><!-- %41 + & = ?", "", 0, [1, -1, 0.1, 1e21, 123_456_789_012, 5.5e-300],
        [true, false, .null],
        [],
        ["a": ["b": [["c": "d", "e f": [[[]]]]]], "": [:]],
        .string(String(repeating: "0123456789 \"漢字\"\n", count: 131_072)),
    ]

    @Test(arguments: Browser.tried)
    func aValueSentToAPageComesBackUnchanged(_ browser: Browser) async throws {
        try await Self.drive(browser, try BridgeSite()) { page in
            for bridge in [Page.Bridge.wvjb, .message, .function] {
                for value in Self.values {
                    // An array would be the arguments of a function, and a message takes objects.
                    let answer = try await page.call("given", ["value": value], by: bridge)
                    #expect(answer == ["value": value], "\(bridge): \(value.description.prefix(100))")
                }
            }
        }
    }

    @Test(
        arguments: Browser.tried,
        [
            ("wvjb6", .wvjb), ("own6", .wvjb), ("wvjb4", .wvjb4), ("messages", .message), ("queue", .queue),
            ("inject", .function),
        ] as [(String, Page.Bridge)])
    func aPageSaysWhichBridgesItUses(_ browser: Browser, _ page: (name: String, bridge: Page.Bridge))
        async throws
    {
        try await Self.drive(browser, try BridgeSite(), page: "\(page.name).html") { found in
            #expect(await eventually { found.bridges.contains(page.bridge) })
        }
    }

    @Test(arguments: Browser.tried)
    func errorsInAPageReachTheNativeCaller(_ browser: Browser) async throws {
        try await Self.drive(browser, try BridgeSite()) { page in
            let missing = await #expect(throws: PageError.self) { try await page.call("nobody") }
            #expect(missing?.reason == .failed(code: 400))
            let thrown = await #expect(throws: PageError.self) { try await page.evaluate("nowhere.to.go") }
            #expect(thrown?.reason == .failed(code: 500))
            #expect(thrown?.message.contains("nowhere") == true)
            let late = await #expect(throws: PageError.self) {
                try await page.call("never", deadline: .milliseconds(200))
            }
            #expect(late?.reason == .deadline)
        }
    }

    @Test(arguments: Browser.tried)
    func aReloadFailsPendingCallsAndTheNewPageCanBeCalled(_ browser: Browser) async throws {
        let site = try BridgeSite()
        let pages = Pages.Following(site.gateway.pages)
        try await browser.open("\(site.address)/driven.html") {
            let first = try await pages.next()
            _ = try await first.call("share")
            let waiting = Task { try await first.call("never") }
            _ = try await first.evaluate("setTimeout(() => location.reload(), 10), 1")
            let error = await #expect(throws: PageError.self) { try await waiting.value }
            #expect(error?.reason == .closed)
            let second = try await pages.next()
            #expect(second !== first)
            #expect(try await second.call("add", [1, 1]) == 2)
            #expect(!first.isOpen)
        }
        await site.server.stop()
    }

    /// How much goes each way at a time, and how often the wire is cut meanwhile.
    private struct Traffic {
        let messages: Int
        /// Of them, in every ten milliseconds.
        let atOnce: Int
        let cuts: Int

        static let long = Traffic(messages: 100_000, atOnce: 40, cuts: 12)
        static let short = Traffic(messages: 5_000, atOnce: 50, cuts: 4)
    }

    /// What became of the numbers from 1 on.
    private struct Toll: Equatable, CustomStringConvertible {
        var lost = 0, doubled = 0, overtaken = 0

        var description: String { "\(lost) lost, \(doubled) doubled, \(overtaken) overtaken" }

        static let none = Toll()

        init() {}

        init(_ seen: [Int], of count: Int) {
            lost = Set(1...count).subtracting(seen).count
            doubled = seen.count - Set(seen).count
            overtaken = zip(seen, seen.dropFirst()).count { $0 > $1 }
        }
    }

    @Test(arguments: Browser.tried)
    func messagesAreNeitherLostNorDoubledWhenConnectionsBreak(_ browser: Browser) async throws {
        let traffic = Browser.isThorough && browser == .chromium ? Traffic.long : .short
        let count = traffic.messages
        let seen = Mutex<[Int]>([])
        let heard = Observed(0)
        struct Count: JSONHandler {
            let note: @Sendable (Int) -> Void
            func handle(_ input: Int) async throws -> Int {
                note(input)
                return input
            }
        }
        let site = try BridgeSite { gateway in
            // While other tests run a browser may take longer than usual to come back.
            gateway.pages.patience = .seconds(60)
            try gateway.register(at: "/count") {
                Count { number in
                    seen.withLock { $0.append(number) }
                    heard.change { $0 += 1 }
                }
            }
        }
        let relay = try Relay(to: site.server.address.port)
        defer { relay.stop() }
        try await Self.drive(browser, site, at: relay.port) { page in
            // Each cut in its time: when so much of the traffic is through, however fast that is.
            async let cutting: Void = {
                for cut in 1...traffic.cuts {
                    try await heard.wait { $0 >= cut * count * 3 / 4 / traffic.cuts }
                    // Those before it have broken the others.
                    try await relay.webSockets.wait { $0 >= cut }
                    relay.cut()
                    try await relay.cuts.wait { $0 >= cut }
                }
            }()
            // Both ways at once.
            async let answers = page.call(
                "count", ["count": .number(.init(count)), "atOnce": .number(.init(traffic.atOnce))],
                deadline: .seconds(120))
            for number in 1...count {
                try page.send("number", .number(.init(number)))
                if number.isMultiple(of: traffic.atOnce) { try await Task.sleep(for: .milliseconds(10)) }
            }
            let tolls = [
                Toll(try await answers.decode([Int].self), of: count),
                Toll(seen.withLock { $0 }, of: count),
                // This call comes behind all others.
                Toll(try await page.call("numbers").decode([Int].self), of: count),
            ]
            // A cut waits for a message, and all may have come in few.
            while relay.cuts.value < traffic.cuts { #expect(try await page.call("add", [1, 2]) == 3) }
            try await cutting
            #expect(tolls == [.none, .none, .none])
            print("\(browser.rawValue), \(count) messages each way, \(relay.cuts.value) cuts: \(tolls)")
        }
    }

    @Test(arguments: Browser.tried)
    func aPageWaitsLongerBeforeEachReconnect(_ browser: Browser) async throws {
        try await Self.drive(browser, try BridgeSite()) { page in
            _ = try await page.call("share")
            let began = ContinuousClock.now
            for _ in 1...6 {
                var cut: (any PageConnection)?
                #expect(
                    await eventually {
                        cut = page.connection
                        return cut != nil
                    })
                cut?.close()
                // The first reconnect is at once: a look for no connection may come too late.
                #expect(await eventually { page.connection !== cut })
            }
            // 0, 100, 200, 400 and 800 ms.
            #expect(began.duration(to: .now) > .milliseconds(1400))
            #expect(try await page.call("add", [1, 2]) == 3)
        }
    }

    @Test(arguments: Browser.tried)
    func aPageThatTheGatewayGaveUpGetsAnErrorForItsPendingCall(_ browser: Browser) async throws {
        let site = try BridgeSite()
        let pages = Pages.Following(site.gateway.pages)
        try await browser.open("\(site.address)/driven.html") {
            let page = try await pages.next()
            _ = try await page.call("share")
            _ = try await page.evaluate(
                "WebViewJavascriptBridge.callHandler('later', {ms: 60000}, answer => { window.ended = answer; }), 1"
            )
            page.giveUp()
            let again = try await pages.next()
            #expect(again.id == page.id)
            let message: JSON = "the gateway gave the page up: it was away or took no answers"
            // Callbacks are called in a task of their own.
            let ended = try await again.evaluate(
                "new Promise(done => { (function look() { window.ended ? done(window.ended) : setTimeout(look, 5); })(); })"
            )
            #expect(ended == ["code": 503, "message": message])
            #expect(try await again.call("add", [1, 2]) == 3)
        }
        await site.server.stop()
    }
}

extension Pages {
    /// The pages that come, one after the other.
    final class Following: Sendable {
        private let found = Observed<[Page]>([])
        private let taken = Mutex(0)
        private let task: Task<Void, Never>

        init(_ pages: Pages) {
            let found = found
            task = Task {
                for await change in pages {
                    if case .came(let page) = change { found.change { $0.append(page) } }
                }
            }
        }

        deinit { task.cancel() }

        func next() async throws -> Page {
            let place = taken.withLock { taken in
                taken += 1
                return taken - 1
            }
            return try await found.wait { $0.count > place }[place]
        }
    }
}
