import Drawbridge
import DrawbridgeServer
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// What native sees of pages that are several, are blocked, go to the background, and come back; in real browsers.
@Suite("The life of pages", .serialized, .timeLimit(.minutes(5))) struct LifecycleTests {
    /// Says which page calls, as far as the gateway knows.
    private struct Whose: JSONHandler {
        struct Input: Decodable { var name: String, n: Int }
        let request: Request

        func handle(_ input: Input) async throws -> JSON {
            let page = try #require(request.page)
            let name = page.url.split(separator: "name=").last ?? ""
            return ["name": .string(name.prefix(1) + ""), "n": .number(.init(input.n))]
        }
    }

    @Test(arguments: SpokenBridge.tried)
    func callsOfThreeTabsAtOnceDoNotMix(_ browser: Browser, _ bridge: SpokenBridge) async throws {
        let site = try BridgeSite { try $0.register(Whose.self, at: "/whose") }
        let pages = Pages.Following(site.gateway.pages)
        try await browser.open("\(site.address)/tab.html?bridge=\(bridge)&open=b,c&name=a") {
            let tabs = [try await pages.next(), try await pages.next(), try await pages.next()]
            #expect(Set(tabs.map(\.id)).count == 3)
            let names = try await tabs.concurrentMap { try await $0.evaluate("name").stringValue ?? "" }
            #expect(names.sorted() == ["a", "b", "c"])
            // All of them at once, both ways; two of them are in the background, where a call a second would
            // take longer than these tests may.
            let wrong = try await tabs.concurrentMap { try await $0.evaluate("askMany(300)") }
            #expect(wrong == [[], [], []])
            let answers = try await Array(zip(tabs, names)).concurrentMap { tab, name in
                try await (0..<100).concurrentMap { n in
                    try await tab.call("where", .number(.init(n)))
                        == ["at": .string(name), "data": .number(.init(n))]
                }
            }
            #expect(answers.flatMap { $0 }.filter { !$0 } == [])
            #expect(site.gateway.pages.all.count == 3)
            // An event for all comes to each, once.
            site.gateway.pages.emit("hello", ["to": "all"])
            let heard = try await tabs.concurrentMap { try await $0.evaluate("heard") }
            #expect(heard == Array(repeating: [["to": "all"]], count: 3))
        }
        await site.server.stop()
    }

    /// Tells a page that it may go back.
    private struct Return: JSONHandler {
        static let options = HandlerOptions(deadline: nil)
        let isWanted: Observed<Bool>

        func handle(_ input: Nothing) async throws -> Nothing {
            try await isWanted.wait { $0 }
            return Nothing()
        }
    }

    @Test(arguments: Browser.tried)
    func aCallToAPageInTheBackForwardCacheWaitsOrSaysThatThePageIsGone(_ browser: Browser) async throws {
        let isWanted = Observed(false)
        let site = try BridgeSite { try $0.register(at: "/return") { Return(isWanted: isWanted) } }
        let pages = Pages.Following(site.gateway.pages)
        try await browser.open("\(site.address)/driven.html") {
            let page = try await pages.next()
            _ = try await page.call("share")
            _ = try await page.evaluate("setTimeout(() => { location.href = 'told.html'; }, 10), 1")
            #expect(await eventually { page.presence != .here })
            async let called = Result { try await page.call("add", [1, 2]) }
            isWanted.change { $0 = true }
            let outcome = await called
            switch outcome {
            case .success(let sum):
                #expect(sum == 3)
                #expect(page.isOpen)
            case .failure(let error):
                #expect((error as? PageError)?.reason == .closed)
                #expect(try await pages.next().call("add", [1, 2]) == 3)
            }
            // Chromium and Firefox keep pages whose channel was closed in time.
            if browser == .chromium { #expect(throws: Never.self) { try outcome.get() } }
        }
        await site.server.stop()
    }

    @Test(arguments: Browser.tried, ["slow.html", "in-pieces/slow.html", "hidden/slow.html"])
    func callsBeforeThePageIsReadyWaitAndComeInOrder(_ browser: Browser, _ path: String) async throws {
        let site = try BridgeSite()
        let pages = Pages.Following(site.gateway.pages)
        try await browser.open("\(site.address)/\(path)") {
            let page = try await pages.next()
            for number in 1...10 { try page.send("number", .number(.init(number))) }
            #expect(try await page.call("all").decode([Int].self) == Array(1...10))
            #expect(await eventually { page.title == "A page that takes its time" })
        }
        await site.server.stop()
    }

    /// The browser writes the `Referer`, which has the id, when the request leaves.
    @Test(arguments: Browser.tried)
    func aPageThatGetsAnotherIDHasItsHandlers(_ browser: Browser) async throws {
        let site = try BridgeSite { gateway in
            try gateway.pages(id: "7") { try $0.register(BridgeSite.Echo.self, at: "/special") }
        }
        let pages = Pages.Following(site.gateway.pages)
        try await browser.open("\(site.address)/driven.html") {
            let page = try await pages.next()
            _ = try await page.call("share")
            let answers = try await page.evaluate(
                """
                const request = data => fetch('/special?_mobile_bridge=1&n=' + data).then(answer => answer.json())
                    .then(answer => answer.data ? answer.data.n : answer.code);
                const both = n => Promise.all(
                    [webkit.messageHandlers.special.postMessage(n).catch(error => error.code), request(n)]);
                (async () => {
                    history.pushState(null, '', '/driven.html?a=1&pageId=7');
                    const there = await both(1);
                    history.pushState(null, '', '/driven.html');
                    return [...there, ...await both(2)];
                })()
                """)
            #expect(answers == [1, "1", 400, 400])
        }
        await site.server.stop()
    }

    @Test(arguments: Browser.tried)
    func aPageThatGoesToAnotherAddressHasItsHandlersAtOnce(_ browser: Browser) async throws {
        let site = try BridgeSite { gateway in
            try gateway.pages(matching: "/special/*") {
                try $0.register(BridgeSite.Echo.self, at: "/special")
            }
        }
        let pages = Pages.Following(site.gateway.pages)
        try await browser.open("\(site.address)/driven.html") {
            let page = try await pages.next()
            _ = try await page.call("share")
            // By each bridge: a call there, and one that is made before the page has gone back, all in one task.
            let answers = try await page.evaluate(
                """
                const there = () => history.pushState(null, '', '/special/1');
                const back = () => history.pushState(null, '', '/driven.html');
                const now = data => {
                    try {
                        return callNative('special', data);
                    } catch (error) {
                        return error.code;
                    }
                };
                const request = data => fetch('/special?_mobile_bridge=1&n=' + data).then(answer => answer.json())
                    .then(answer => answer.data ? answer.data.n : answer.code);
                Promise.all([1, 2].flatMap(n => {
                    there();
                    const answers = [webkit.messageHandlers.special.postMessage(n), now(n), request(n)];
                    back();
                    return [...answers, webkit.messageHandlers.special.postMessage(n).catch(error => error.code), now(n),
                        request(n)];
                }))
                """)
            #expect(answers == [1, 1, "1", 400, 400, 400, 2, 2, "2", 400, 400, 400])
            #expect(await eventually { page.url.hasSuffix("/driven.html") })
        }
        await site.server.stop()
    }

    private struct Notes: JSONHandler {
        let notes: Observed<[String]>

        func handle(_ input: String) async throws -> String {
            notes.change { $0.append(input) }
            return input
        }
    }

    @Test(arguments: Browser.tried)
    func messagesBeforeASynchronousRequestArriveBeforeIt(_ browser: Browser) async throws {
        let notes = Observed<[String]>([])
        let site = try BridgeSite { gateway in try gateway.register(at: "/note") { Notes(notes: notes) } }
        let pages = Pages.Following(site.gateway.pages)
        try await browser.open("\(site.address)/driven.html") {
            let page = try await pages.next()
            _ = try await page.call("share")
            _ = try await page.evaluate(
                """
                const now = (url, body) => {
                    const xhr = new XMLHttpRequest();
                    xhr.open('POST', url, false);
                    xhr.send(body);
                };
                const { WebViewJavascriptBridge: bridge, MyApp } = window;
                bridge.callHandler('note', 'a');
                now('http://__jsbridge__', '{"action":"note","data":"b"}');
                MyApp.note('c');
                now('/note?_mobile_bridge=1', '"d"');
                bridge.callHandler('note', 'e');
                callNative('note', 'f');
                bridge.callHandler('note', 'g'), 1
                """)
            try await notes.wait { $0.count == 7 }
            #expect(notes.value == ["a", "b", "c", "d", "e", "f", "g"])
        }
        await site.server.stop()
    }

    /// A page in GBK that says so as late as browsers look for it.
    private struct GBK: Responder {
        func respond(to request: Request) async throws -> Response? {
            guard request.path == "/gbk.html" else { return nil }
            let head = "<!doctype html><html><head><link rel=icon href='data:,'><!--"
            let rest = "--><meta charset=gbk><script src=nested.js></script><script>"
            let padding = String(repeating: "x", count: 1000 - head.utf8.count - rest.utf8.count)
            let script = """
                const bridged = setUp('\u{0}');
                const early = callNative('echo', '\u{0}');
                bridged.then(bridge => bridge.registerHandler('early', (data, respond) =>
                    respond([document.characterSet, early, data === '\u{0}', document.title])));
                </script><title>\u{0}</title></head><body></body></html>
                """
            // 中文
            let bytes = (head + padding + rest + script).utf8.flatMap {
                $0 == 0 ? [0xD6, 0xD0, 0xCE, 0xC4] : [$0]
            }
            return Response(bytes: bytes, contentType: "text/html")
        }
    }

    @Test(arguments: Browser.tried)
    func textOfAPageInGBKIsTheSameOnBothSides(_ browser: Browser) async throws {
        let site = try BridgeSite(behind: [GBK()])
        let pages = Pages.Following(site.gateway.pages)
        try await browser.open("\(site.address)/gbk.html") {
            let page = try await pages.next()
            #expect(try await page.call("early", "中文") == ["GBK", "中文", true, "中文"])
            #expect(try await page.call("where") == ["at": "中文"])
            #expect(await eventually { page.title == "中文" })
        }
        await site.server.stop()
    }
}

extension Sequence where Self: Sendable, Element: Sendable {
    /// All at once, in their order.
    fileprivate func concurrentMap<Value: Sendable>(
        _ body: @escaping @Sendable (Element) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            for (place, element) in enumerated() { group.addTask { (place, try await body(element)) } }
            var values: [Int: Value] = [:]
            for try await (place, value) in group { values[place] = value }
            return values.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
