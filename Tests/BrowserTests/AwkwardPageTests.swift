import Drawbridge
import Foundation
import TestSupport
import Testing

/// Pages as they are in the world: what others have reported of tools like this one, tried here.
@Suite("Pages with unusual code", .serialized, .timeLimit(.minutes(5))) struct AwkwardPageTests {
    private static let driven = Browser.tried
    /// Whether a page has its native half.
    private static let hasNative =
        "!!(window.webkit && webkit.messageHandlers && webkit.messageHandlers.JSBridge)"

    private static func folder(_ files: [String: String]) throws -> Folder {
        let folder = try Folder()
        for (name, text) in files { try folder.write(name, text) }
        return folder
    }

    private static func page(_ body: String) -> String {
        "<!doctype html><meta charset=utf-8><title>page</title>\(body)"
    }

    /// Reported of development servers whose address has a user's name and password.
    @Test(arguments: driven) func aPageWhoseAddressHasAPasswordHasItsBridges(_ browser: Browser) async throws
    {
        let folder = try Self.folder(["index.html": Self.page("")])
        let site = try await ServedFolder(folder.path, more: ["--bridge", "flutter", "--reply", "pay=17"])
        try await DrivenBrowser.drive(browser) { browser in
            try await browser.open(site.address.replacing("://", with: "://ann:hunter2@") + "/")
            try await browser.expect("flutter_inappwebview.callHandler('pay')", 17)
        }
        #expect(await site.program.stop() == 0)
        #expect(!site.program.output.contains("hunter2"))
    }

    // MARK: Service workers

    private static let registering = page(
        "<script>navigator.serviceWorker.register('/sw.js')</script>")
    private static let controlled = "!!navigator.serviceWorker.controller"

    /// To it, a navigation that it passes on is a request like any other.
    private static let passingWorker = """
        oninstall = () => skipWaiting();
        onactivate = event => event.waitUntil(clients.claim());
        onfetch = event => event.respondWith(fetch(event.request))
        """

    private static let cachingWorker = """
        oninstall = event => event.waitUntil(caches.open('v1').then(cache => cache.addAll(['/'])).then(skipWaiting()));
        onactivate = event => event.waitUntil(clients.claim());
        onfetch = event => event.respondWith(caches.match(event.request).then(found => found || fetch(event.request)));
        """

    /// Whether its worker passes on what it asks for, or answers from a cache.
    @Test(arguments: driven, [passingWorker, cachingWorker])
    func aPageBehindAServiceWorkerReachesNative(_ browser: Browser, _ worker: String) async throws {
        let folder = try Self.folder(["index.html": Self.registering, "sw.js": worker])
        let site = try await ServedFolder(folder.path)
        try await DrivenBrowser.drive(browser) { browser in
            try await browser.open("\(site.address)/")
            try await browser.expect(Self.controlled, true)
            for _ in 0..<2 {
                try await browser.open("\(site.address)/")
                try await browser.expect("\(Self.controlled) && \(Self.hasNative)", true)
            }
        }
        #expect(await site.program.stop() == 0)
    }

    /// What a worker has kept was served on this port without a gateway.
    @Test(arguments: driven, [true, false])
    func anOldServiceWorkerDoesNotKeepPagesFromNative(_ browser: Browser, isStillThere: Bool) async throws {
        let port = "\(try freePort())"
        let folder = try Self.folder(["index.html": Self.registering, "sw.js": Self.cachingWorker])
        let yesterday = try await ServedFolder(folder.path, "--plain", "/,/sw.js", "-p", port)
        try await DrivenBrowser.drive(browser) { browser in
            try await browser.open("\(yesterday.address)/")
            try await browser.expect(Self.controlled, true)
            #expect(try await browser.evaluate(Self.hasNative) == false)
            #expect(await yesterday.program.stop() == 0)
            let other = try Self.folder(["index.html": Self.page("today")])
            let today = try await ServedFolder(isStillThere ? folder.path : other.path, "-p", port)
            try await browser.open("\(today.address)/")
            // It loads itself anew as soon as the worker has gone, or has its lines.
            try await browser.expect(Self.hasNative, true)
            try await browser.open("\(today.address)/")
            try await browser.expect(Self.hasNative, true)
            if !isStillThere {
                try await browser.expect("document.body.textContent", "today")
                _ = try await today.program.line(with: "the service worker /sw.js no longer exists")
            }
            #expect(await today.program.stop() == 0)
        }
    }

    // MARK: Documents

    @Test(arguments: driven) func aPageThatRewritesItsDocumentStillCallsNative(_ browser: Browser)
        async throws
    {
        let anew = """
            <script>addEventListener('load', () => setTimeout(() => {
                document.open();
                document.write('<!doctype html><title>new</title><a id=a href="mizhua://share?x=1">share</a>'
                    + '<form id=f action="mizhua://form"><button id=s>send</button></form>');
                document.close();
            }))</script>
            """
        let folder = try Self.folder(["index.html": Self.page(anew)])
        let site = try await ServedFolder(
            folder.path, "--scheme", "mizhua", "--reply", "share=1", "--reply", "form=1")
        try await DrivenBrowser.drive(browser) { browser in
            try await browser.open("\(site.address)/")
            try await browser.expect("document.title", "new")
            for (element, name) in [("a", "share"), ("s", "form")] {
                try await browser.click("document.getElementById('\(element)')")
                _ = try await site.program.line(with: "reply \(name)")
            }
        }
        #expect(await site.program.stop() == 0)
    }

    /// The app's schemes alone are kept from the browser, which would ask the person about an app.
    @Test(arguments: driven) func aFormWithAJavaScriptActionStillRuns(_ browser: Browser) async throws {
        let form = """
            <form action="javascript:search()"><input name=q><button id=b>go</button></form>
            <script>seen = 'nothing'; function search() { seen = 'searched'; }
            addEventListener('securitypolicyviolation', event => { seen = event.violatedDirective; });</script>
            """
        let folder = try Self.folder(["index.html": Self.page(form)])
        let site = try await ServedFolder(folder.path)
        try await DrivenBrowser.drive(browser) { browser in
            try await browser.open("\(site.address)/")
            try await browser.click("document.getElementById('b')")
            try await browser.expect("seen", "searched")
        }
        #expect(await site.program.stop() == 0)
    }

    /// A page that a browser prepares calls nobody before somebody opens it, and everybody then.
    @Test func aPrerenderedPageCallsNativeOnlyOnceItIsOpened() async throws {
        let first = Self.page(
            """
            <script type=speculationrules>{"prerender": [{"urls": ["/next.html"]}]}</script><a id=a href=/next.html>next</a>
            """)
        let next = Self.page(
            """
            <script>seen = [callNative('track')];
            fetch('/getUser?_mobile_bridge=1').then(answer => answer.json()).then(({ data }) => seen.push(data));
            MyApp.getUser().then(value => seen.push(value));</script>
            """)
        let folder = try Self.folder(["index.html": first, "next.html": next])
        let site = try await ServedFolder(
            folder.path, "--shortcuts", "MyApp", "--inject", "callNative", "--reply", "getUser=\"Ann\"",
            "--reply", "track=1", "--log", "native,files")
        try await DrivenBrowser.drive(.chromium) { browser in
            try await browser.open("\(site.address)/")
            _ = try await site.program.line(with: "GET /next.html")
            #expect(!site.program.output.contains("reply track"))
            try await browser.click("document.getElementById('a')")
            try await browser.expect("seen", [1, "Ann", "Ann"])
        }
        #expect(await site.program.stop() == 0)
    }

    // MARK: Bridges

    /// The set-ups of 4.x and of 6.x in one page, as pages for several apps have them.
    @Test(arguments: driven, [true, false])
    func aPageThatAsksForTheBridgeInTwoWaysGetsItOnce(_ browser: Browser, eventFirst: Bool) async throws {
        let event = """
            document.addEventListener('WebViewJavascriptBridgeReady', () => run(WebViewJavascriptBridge), false);
            """
        let array = """
            window.WVJBCallbacks = [run];
            const frame = document.createElement('iframe');
            frame.src = 'https://__bridge_loaded__';
            document.documentElement.appendChild(frame);
            setTimeout(() => frame.remove(), 0);
            """
        let setUp = """
            <script>seen = [];
            function run(bridge) {
                seen.push('set up');
                bridge.callHandler('order', { item: 7 }, answer => seen.push(answer));
            }
            \(eventFirst ? event + array : array + event)
            addEventListener('load', () => setTimeout(() => seen.push('later'), 300));</script>
            """
        let folder = try Self.folder(["index.html": Self.page(setUp)])
        let site = try await ServedFolder(folder.path, "--reply", "order=\"ok\"")
        try await DrivenBrowser.drive(browser) { browser in
            try await browser.open("\(site.address)/")
            try await browser.expect("seen.includes('later')", true)
            try await browser.expect("seen.filter(text => text !== 'later')", ["set up", "ok"])
        }
        #expect(await site.program.stop() == 0)
    }

    private static let tapping = """
        <button id=b onclick="chat()">chat</button><script>seen = [];</script>
        """
    private static let chat = """
        function chat() { window.WebViewJavascriptBridge.callHandler('toChat', { id: 7 }, answer => seen.push(answer)); }
        """

    /// As apps of 4.x and of Android's JsBridge put it into every page.
    @Test(arguments: driven, [true, false])
    func aPageThatNeverAsksForTheBridgeGetsItToo(_ browser: Browser, isInline: Bool) async throws {
        // Native's calls do not wait for `init`, of which such a page knows nothing.
        let code =
            Self.chat
                + """

                addEventListener('load', () => setTimeout(() => {
                    WebViewJavascriptBridge.registerHandler('count', (data, respond) => respond(data + 1));
                window.hears = true;
                }, 300));
                """
        let script = isInline ? "<script>\(code)</script>" : "<script src=chat.js></script>"
        let folder = try Self.folder(["index.html": Self.page(Self.tapping + script), "chat.js": code])
        // Of what its files say the page itself knows nothing.
        let more = isInline ? [] : ["--bridge", "webviewjavascriptbridge"]
        let site = try await ServedFolder(folder.path, more: ["--reply", "toChat=\"hello\""] + more)
        try await DrivenBrowser.drive(browser) { browser in
            try await browser.open("\(site.address)/")
            try await browser.expect("typeof window.WebViewJavascriptBridge", "object")
            try await browser.click("document.getElementById('b')")
            try await browser.expect("seen", ["hello"])
            try await browser.expect("window.hears", true)
            let call = #"{"name": "count", "data": 1, "seconds": 5}"#
            #expect(try await site.ask("POST", "pages/latest/call", call) == 2)
        }
        #expect(await site.program.stop() == 0)
    }

    /// Any text, as an app's `postMessage` sends it; every other event is an object that names it.
    @Test(arguments: driven) func aPageOfReactNativeHearsTextAsItIs(_ browser: Browser) async throws {
        let hearing =
            "<script>heard = []; addEventListener('message', ({ data }) => heard.push(data));</script>"
        let folder = try Self.folder(["index.html": Self.page(hearing)])
        let site = try await ServedFolder(
            folder.path, "--bridge", "reactnative", "--reply", "message=\"hello\"")
        try await DrivenBrowser.drive(browser) { browser in
            try await browser.open("\(site.address)/")
            _ = try await browser.evaluate("window.ReactNativeWebView.postMessage('hi'), 1")
            try await browser.expect("heard", ["hello"])
            for data in [#""plain text""#, #"{"kind": "other"}"#, "false"] {
                try await site.ask("POST", "pages/latest/emit", #"{"event": "message", "data": \#(data)}"#)
            }
            try await site.ask("POST", "pages/latest/emit", #"{"event": "paid", "data": 1}"#)
            try await browser.expect(
                "heard.slice(1)",
                ["plain text", #"{"kind":"other"}"#, "false", #"{"type":"paid","data":1}"#])
        }
        #expect(await site.program.stop() == 0)
    }

    @Test(arguments: driven) func theLogNamesTheOptionThatGivesAPageItsMissingBridge(_ browser: Browser)
        async throws
    {
        let folder = try Self.folder([
            "index.html": Self.page(Self.tapping + "<script src=chat.js></script>"), "chat.js": Self.chat,
        ])
        let site = try await ServedFolder(folder.path)
        try await DrivenBrowser.drive(browser) { browser in
            try await browser.open("\(site.address)/")
            try await browser.click("document.getElementById('b')")
            _ = try await site.program.line(with: #"add "bridge": ["webviewjavascriptbridge"] to "#)
        }
        #expect(await site.program.stop() == 0)
    }

    // MARK: Answers

    @Test(arguments: driven) func anAnswerHasTheURLThatThePageAskedFor(_ browser: Browser) async throws {
        let asking = """
            <script>seen = {};
            const address = 'https://api.example/getUser?_mobile_bridge=1';
            const request = new XMLHttpRequest();
            request.open('GET', address);
            request.onload = () => { seen.request = request.responseURL; };
            request.send();
            fetch(address).then(({ url }) => { seen.fetch = url; });
            fetch('/getUser?_mobile_bridge=1').then(({ url }) => { seen.own = new URL(url).pathname; });</script>
            """
        let folder = try Self.folder(["index.html": Self.page(asking)])
        let site = try await ServedFolder(folder.path, "--reply", "getUser=1")
        let address: JSON = "https://api.example/getUser?_mobile_bridge=1"
        try await DrivenBrowser.drive(browser) { browser in
            try await browser.open("\(site.address)/")
            try await browser.expect(
                "Object.entries(seen).sort()",
                [["fetch", address], ["own", "/getUser"], ["request", address]])
        }
        #expect(await site.program.stop() == 0)
    }

    private static let calling = """
        <script>function call(name) {
            seen = [window[name]()];
            MyApp[name]().then(value => seen.push(value));
            webkit.messageHandlers[name].postMessage(1).then(value => seen.push(value));
        }</script>
        """

    @Test(arguments: driven) func handlersWithUnusualNamesAreMethodsOfThePagesObjects(_ browser: Browser)
        async throws
    {
        let names: [JSON] = ["get user", "a#b", "取得", "é", "100%", "a/b?c"]
        let replies = JSON.object(.init(names.map { ($0.stringValue ?? "", $0) }))
        let folder = try Self.folder(["index.html": Self.page(Self.calling)])
        let settings = try Folder()
        let file = try settings.write(
            "settings.json",
            "\(["shortcuts": ["MyApp"], "inject": ["*"], "message-handler": ["*=reply"], "replies": replies] as JSON)"
        )
        let site = try await ServedFolder(folder.path, "-c", file)
        try await DrivenBrowser.drive(browser) { browser in
            try await browser.open("\(site.address)/")
            for name in names {
                try await browser.evaluate("call(\(name))")
                try await browser.expect("seen", .array([name, name, name]))
            }
        }
        #expect(await site.program.stop() == 0)
    }

    // MARK: Events

    /// An event reaches the page, or the log says which page did not take it; whoever receives it can answer.
    @Test(arguments: driven) func anEventReachesThePageOrTheLogNamesThePageThatMissedIt(_ browser: Browser)
        async throws
    {
        let listening = """
            <script>seen = [];
            function setUp(run) {
                if (window.WebViewJavascriptBridge) return run(WebViewJavascriptBridge);
                window.WVJBCallbacks = [run];
                const frame = document.createElement('iframe');
                frame.src = 'https://__bridge_loaded__';
                document.documentElement.appendChild(frame);
                setTimeout(() => frame.remove(), 0);
            }
            setUp(bridge => {
                bridge.registerHandler('onPush', (data, respond) => {
                    seen.push(data);
                    respond({ taken: data });
                });
                window.isSetUp = true;
            });
            addEventListener('drawbridge:news', ({ detail }) => seen.push(detail));</script>
            """
        let folder = try Self.folder([
            "index.html": Self.page(listening), "other.html": Self.page("other"),
            "drawbridge.json": #"""
            {"replies": {"a": 1}, "events": {
                "push": [
                    {"call": "onPush", "data": 1}, {"emit": "news", "data": 2}, {"call": "onPush", "data": 3},
                    {"emit": "news", "data": 4}
                ],
                "nobody": [{"call": "onNothing"}, {"emit": "silence"}]
            }}
            """#,
        ])
        let site = try await ServedFolder(folder.path)
        try await DrivenBrowser.drive(browser) { browser in
            try await browser.open("\(site.address)/")
            let page = try await site.page()
            // Before it has its handler, a call waits for that, and an event does not.
            try await browser.expect("window.isSetUp === true")
            try await site.play("push")
            try await browser.expect("seen", [1, 2, 3, 4])
            // What it answered is in the journal, though nobody waited for it.
            #expect(
                try await eventually {
                    try await site.ask("GET", "calls?kind=push&name=onPush")["calls"]?[0]?["output"] == [
                        "taken": 1
                    ]
                })
            let unheard = try await site.said("POST", "events/nobody")
            #expect(unheard["code"] == 409)
            #expect(unheard["data"]?.arrayValue?.map { $0["name"] } == ["onNothing", "silence"])
            #expect(unheard["data"]?[0]?["page"]?["id"]?.stringValue == page)
            _ = try await site.program.line(with: "onNothing failed in page \(page.prefix(8)) at /")
            // The page was left: the back button may find it again, or it is gone.
            try await browser.open("\(site.address)/other.html")
            let gone = try await site.said("POST", "events/push")
            #expect(gone["code"] == 409, "\(gone)")
        }
        #expect(await site.program.stop() == 0)
    }
}
