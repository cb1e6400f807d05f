import Drawbridge
import DrawbridgeServer
import HTTPTypes
import TestSupport
import Testing

/// What only a real browser shows of lives and order: a page that sleeps, and calls by all bridges in one task.
@Suite("Lives of pages and the order of their calls", .serialized, .timeLimit(.minutes(5)))
struct PageLifeTests {
    /// Keeps the numbers that it is called with, in whatever form its bridge gives them.
    private struct Note: JSONHandler {
        let notes: Observed<[Int]>

        func handle(_ input: JSON) async throws -> JSON {
            let number = input["n"] ?? input
            let found = number.numberValue?.intValue ?? number.stringValue.flatMap { Int($0) } ?? -1
            notes.change { $0.append(found) }
            return .number(.init(found))
        }
    }

    /// A page that stays until it is let go back.
    private struct Stay: Responder {
        let goesBack: Observed<Bool>

        func respond(to request: Request) async throws -> Response? {
            switch request.path {
            case "/stay.html":
                Response(
                    text: "<!doctype html><title>Elsewhere</title><link rel='icon' href='data:,'>"
                        + "<script>fetch('/back').then(() => history.back())</script>",
                    contentType: "text/html")
            case "/back":
                await { () -> Response in
                    _ = try? await goesBack.wait { $0 }
                    return Response(text: "now")
                }()
            default: nil
            }
        }
    }

    /// Chromium keeps a page with a channel for its back button.
    ///
    /// With `scripts/test --all` it is away for as long as it
    /// takes to be given up.
    @Test(
        .enabled(if: Browser.chromium.isTried),
        arguments: [
            "callNative('note', 2)",
            // Bridges 1 and 2, whose messages go before them in a request of their own.
            "callOfItsOwn('/note?_mobile_bridge=1&n=2')",
        ])
    func aPageThatWasGivenUpGoesOnWithASynchronousCall(_ call: String) async throws {
        let notes = Observed<[Int]>([])
        let goesBack = Observed(false)
        let site = try BridgeSite(behind: [Stay(goesBack: goesBack)]) { gateway in
            try gateway.register(at: "/note") { Note(notes: notes) }
        }
        let pages = Pages.Following(site.gateway.pages)
        try await Browser.chromium.open("\(site.address)/driven.html") {
            let page = try await pages.next()
            for _ in 1...2 { _ = try await page.call("share") }
            _ = try await page.evaluate(
                """
                const callOfItsOwn = url => {
                    const request = new XMLHttpRequest();
                    request.open('GET', url, false);
                    request.send();
                    return JSON.parse(request.responseText).data;
                };
                addEventListener('pageshow', event => {
                    window.outcomes = [event.persisted];
                    const add = value => outcomes.push(value);
                    const { WebViewJavascriptBridge: bridge, webkit } = window;
                    try {
                        add(\(call));
                    } catch (error) {
                        add(String(error));
                    }
                    webkit.messageHandlers.echo.postMessage('later').then(add, error => add(String(error)));
                    bridge.callHandler('note', 3, add);
                });
                WebViewJavascriptBridge.callHandler('note', 1);
                setTimeout(() => { location.href = 'stay.html'; }, 10), 1
                """)
            #expect(await eventually { page.presence == .frozen })
            if Browser.isThorough, call.hasPrefix("callNative") {
                for _ in 1...60 where page.isOpen { try await Task.sleep(for: .seconds(1)) }
            } else {
                page.giveUp()
            }
            #expect(!page.isOpen)
            goesBack.change { $0 = true }
            let again = try await pages.next()
            #expect(again.id == page.id)
            try await notes.wait { $0.count >= 3 }
            let outcomes = try await again.evaluate(
                """
                new Promise(done => {
                    (function look() { outcomes.length < 4 ? setTimeout(look, 5) : done(outcomes); })();
                })
                """)
            #expect(outcomes == [true, 2, "later", 3])
            #expect(try await again.call("add", [1, 2]) == 3)
            #expect(notes.value == [1, 2, 3])
        }
        await site.server.stop()
    }

    private static let threeBridges = """
        bridge.callHandler('note', 1);
        MyApp.note(2);
        bridge.callHandler('note', 3);
        message(4);
        bridge.callHandler('note', 5);
        """

    private static let allBridges = """
        frame('mizhua://note?n=6');
        MyApp.note(7);
        bridge.callHandler('note', 8);
        frame('https://__jsbridge__?action=note&data=9');
        bridge.callHandler('note', 10);
        callOC(11);
        message(12);
        link('mizhua://note?n=13');
        bridge.callHandler('note', 14);
        for (const n of [15, 16, 17]) frame('mizhua://note?n=' + n);
        fetch('/note?_mobile_bridge=1&n=18');
        """

    /// It has no header, so what was said before it goes first, also where that takes longer.
    private static let beacon = "navigator.sendBeacon('/note?_mobile_bridge=1&n=6');"
    private static let large = "bridge.callHandler('echo', 'x'.repeat(4e6));"

    @Test(
        arguments: Browser.tried,
        [(threeBridges, 5), (threeBridges + allBridges, 18), (large + threeBridges + beacon, 6)])
    func callsBeginInTheirOrderWhicheverBridgeTheyUse(
        _ browser: Browser, _ calls: (script: String, count: Int)
    ) async throws {
        let notes = Observed<[Int]>([])
        let site = try BridgeSite { gateway in try gateway.register(at: "/note") { Note(notes: notes) } }
        let pages = Pages.Following(site.gateway.pages)
        try await browser.open("\(site.address)/driven.html") {
            let page = try await pages.next()
            _ = try await page.call("share")
            _ = try await page.evaluate(
                """
                const { WebViewJavascriptBridge: bridge, MyApp, webkit } = window;
                const message = n => webkit.messageHandlers.JSBridge.postMessage(
                    { action: 'note', data: { n }, callbackId: '' });
                const frame = url => {
                    const frame = document.createElement('iframe');
                    frame.src = url;
                    document.body.append(frame);
                };
                const link = url => {
                    const link = document.createElement('a');
                    link.href = url;
                    document.body.append(link);
                    link.click();
                };
                let queue = [];
                window.fetchMessageQueue = () => {
                    const text = JSON.stringify(queue);
                    queue = [];
                    return text;
                };
                const signal = document.createElement('iframe');
                document.body.append(signal);
                const callOC = n => {
                    queue.push({ funcName: 'note', prama: { n } });
                    signal.src = 'mizhua://fetch_message';
                };
                \(calls.script) 1
                """)
            try await notes.wait { $0.count >= calls.count }
            #expect(notes.value == Array(1...calls.count))
        }
        await site.server.stop()
    }

    /// Pages of WebViewJavascriptBridge 4, 5 and 6 that count their errors and what they log.
    private struct OldPages: Responder {
        func respond(to request: Request) async throws -> Response? {
            let ask: String
            switch request.path {
            case "/old4.html":
                ask = "addEventListener('WebViewJavascriptBridgeReady', event => ready(event.bridge))"
            case "/old5.html": ask = "WVJBCallbacks = [ready]; frame('wvjbscheme://__BRIDGE_LOADED__')"
            case "/old6.html": ask = "WVJBCallbacks = [ready]; frame('https://__bridge_loaded__')"
            default: return nil
            }
            let script = """
                const errors = [], logs = [];
                onerror = message => { errors.push(String(message)); };
                const { log } = console;
                console.log = (...texts) => { logs.push(String(texts[0])); log.apply(console, texts); };
                const frame = src => document.documentElement.append(
                    Object.assign(document.createElement('iframe'), { src }));
                function ready(bridge) {
                    if (bridge.init) bridge.init(() => { throw new Error('unnamed threw'); });
                    bridge.registerHandler('throws', () => { throw new Error('on purpose'); });
                    bridge.registerHandler('answersAndThrows', (data, respond) => { respond(data); throw 1; });
                    bridge.registerHandler('respondsToNobody', (data, respond) => respond(data));
                    bridge.registerHandler('echo', (data, respond) => respond(data));
                }
                document.\(ask);
                """.replacing("document.WVJB", with: "WVJB")
            return Response(
                text: "<!doctype html><link rel='icon' href='data:,'><script>\(script)</script>",
                contentType: "text/html")
        }
    }

    @Test(arguments: Browser.tried, 4...6)
    func anExceptionInAPagesHandlerEndsTheCallAtOnce(_ browser: Browser, _ version: Int) async throws {
        let site = try BridgeSite(behind: [OldPages()])
        let pages = Pages.Following(site.gateway.pages)
        try await browser.open("\(site.address)/old\(version).html") {
            let page = try await pages.next()
            #expect(try await page.call("echo", "a") == "a")
            let thrown = await #expect(throws: PageError.self) {
                try await page.call("throws", deadline: nil)
            }
            #expect(thrown?.reason == .failed(code: 500))
            #expect(thrown?.message == "on purpose")
            #expect(try await page.call("answersAndThrows", "first", deadline: nil) == "first")
            let missing = await #expect(throws: PageError.self) {
                try await page.call("nope", by: version == 4 ? .wvjb4 : .wvjb, deadline: nil)
            }
            #expect(missing?.reason == .failed(code: 400))
            // It has something to answer by, as in the originals.
            try page.send("respondsToNobody")
            #expect(try await page.call("echo", "b") == "b")
            let caught = try await page.evaluate(
                "logs.filter(text => text === 'WebViewJavascriptBridge: WARNING: javascript handler threw.').length"
            )
            #expect(caught == (version == 6 ? 0 : 2))
            let errors = try await page.evaluate(
                "new Promise(done => setTimeout(() => done(errors.length), 50))")
            #expect(errors == (version == 6 ? 2 : 0))
        }
        await site.server.stop()
    }
}
