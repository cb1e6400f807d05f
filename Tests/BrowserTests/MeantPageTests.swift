import Drawbridge
import Foundation
import TestSupport
import Testing

/// A page with frames, popups and advertisements, in real browsers: which of them gets what native does.
@Suite("The target page of an event, in browsers", .serialized, .timeLimit(.minutes(5))) struct MeantPageTests
{
    /// Where the documents are, seen from the first.
    private static let windows = ["window", "frames[0]", "other", "other.frames[0]"]

    /// A document that is a page of the gateway's from its first call on.
    private static func document(_ body: String) -> String {
        """
        <!doctype html><meta charset=utf-8><title>A page</title>
        <script>
        const heard = [];
        const begin = () => MyApp.hello();
        const onPush = () => heard.push('push');
        addEventListener('drawbridge:news', () => heard.push('news'));
        \(body)
        </script>
        """
    }

    private static func folder() throws -> Folder {
        let folder = try Folder()
        let settings = #"""
            {"shortcuts": "MyApp",
             "replies": {"hello": "hello", "pay": {"$reply": 1, "$then": [{"call": "onPaid"}]}},
             "events": {"push": [{"call": "onPush"}], "news": [{"emit": "news"}], "shown": [{"call": "onShown"}],
                        "closed": [{"emit": "closed"}], "nobody": [{"call": "onNobody"}]}}
            """#
        for (name, text) in [
            ("drawbridge.json", settings),
            (
                "index.html",
                document("function onPaid() { heard.push('paid'); }") + "<iframe src=ad.html></iframe>"
            ),
            ("ad.html", document("window.onShown = () => heard.push('shown');")),
            ("popup.html", document("") + "<iframe src=inner.html></iframe>"),
            ("inner.html", document("addEventListener('drawbridge:closed', () => heard.push('closed'));")),
        ] { try folder.write(name, text) }
        return folder
    }

    private static func orders(of things: [String]) -> [[String]] {
        guard things.count > 1 else { return [things] }
        return things.flatMap { first in
            orders(of: things.filter { $0 != first }).map { [first] + $0 }
        }
    }

    @Test(arguments: Browser.tried) func theTargetPageDoesNotDependOnTheOrderOfConnecting(
        _ browser: Browser
    ) async throws {
        let folder = try Self.folder()
        let site = try await ServedFolder(folder.path)
        let heard =
            "JSON.stringify([\(Self.windows.joined(separator: ", "))].map(one => one.eval('heard.splice(0)')))"
        try await DrivenBrowser.drive(browser) { driven in
            for order in Self.orders(of: Self.windows) {
                try await driven.open("\(site.address)/")
                try await driven.evaluate(
                    """
                    new Promise(done => {
                        window.other = open('/popup.html', 'other', 'popup,width=300,height=200');
                        (function look() {
                            other.frames[0]?.eval('typeof begin') === 'function' ? done(1) : setTimeout(look, 5);
                        })();
                    })
                    """)
                // The popup of the last order may still say that it leaves.
                for window in order {
                    #expect(try await driven.evaluate("\(window).eval('begin()')") == "hello")
                }
                for (event, meant) in [("push", 0), ("news", 0), ("shown", 1), ("closed", 3)] {
                    try await site.play(event)
                    let expected = Self.windows.indices.map { $0 == meant ? "[\"\(event)\"]" : "[]" }
                    #expect(
                        try await driven.evaluate(heard).stringValue
                            == "[\(expected.joined(separator: ","))]",
                        "\(event) in the order \(order)")
                }
                let missed = try await site.said("POST", "events/nobody")
                #expect(missed["code"] == 409)
                #expect(missed["data"]?[0]?["page"]?["frame"] == false)
                #expect(missed["data"]?[0]?["page"]?["opened"] == false)
                // A program calls in place of a page.
                try await site.ask("POST", "calls", #"{"name": "pay"}"#)
                try await driven.expect(heard, .string(#"[["paid"],[],[],[]]"#))
                #expect(try await site.said("POST", "events/push?page=/popup.html")["code"] == 200)
                #expect(try await driven.evaluate(heard).stringValue == #"[[],[],["push"],[]]"#)
                // What an advertisement calls is its own.
                try await driven.evaluate("(frames[0].onPaid = () => frames[0].eval('heard').push('own'), 1)")
                try await driven.evaluate("frames[0].eval('MyApp.pay()')")
                try await driven.expect(heard, .string(#"[[],["own"],[],[]]"#))
                try await driven.evaluate("(other.close(), 1)")
            }
        }
        #expect(await site.program.stop() == 0)
    }

    /// An advertisement with the usual wrapper asks for the bridge as the page does, and comes last.
    @Test(arguments: Browser.tried) func anAdvertisementInAFrameIsNotTakenForThePage(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        let wrapper = """
            <!doctype html><meta charset=utf-8><title>A page</title>
            <script>
            var heard = [];
            function withBridge(work) {
                if (window.WebViewJavascriptBridge) return work(WebViewJavascriptBridge);
                if (window.WVJBCallbacks) return WVJBCallbacks.push(work);
                window.WVJBCallbacks = [work];
                const frame = document.createElement('iframe');
                frame.style.display = 'none';
                frame.src = 'https://__bridge_loaded__';
                document.documentElement.appendChild(frame);
                setTimeout(() => frame.remove(), 0);
            }
            </script>
            """
        let registering = """
            <script>withBridge(bridge => {
                for (const name of ['onPush', 'onPaid']) {
                    bridge.registerHandler(name, (data, done) => { heard.push(name); done(name); });
                }
                window.isReady = true;
            });</script>
            """
        try folder.write("drawbridge.json", #"{"replies": {}, "events": {"push": [{"call": "onPush"}]}}"#)
        try folder.write("index.html", wrapper + registering + "<iframe src=ad.html></iframe>")
        try folder.write(
            "ad.html", wrapper + "<script>withBridge(() => { window.isReady = true; });</script>")
        let site = try await ServedFolder(folder.path)
        try await DrivenBrowser.drive(browser) { driven in
            try await driven.open("\(site.address)/")
            try await driven.expect(
                "window.isReady && document.querySelector('iframe[src^=ad]').contentWindow.isReady")
            let ad = "document.querySelector('iframe[src^=ad]').contentWindow"
            for _ in 1...2 {
                let page = try await site.page()
                try await driven.evaluate("(\(ad).location.reload(), 1)")
                _ = try await site.page(after: page)
                let said = try await site.said("POST", "pages/latest/call", #"{"name": "onPaid"}"#)
                #expect(said["data"] == "onPaid", "\(said)")
                try await site.play("push")
                try await driven.expect("heard.splice(0)", ["onPaid", "onPush"])
            }
            // Of several tabs, the one that is seen.
            try await driven.evaluate(
                """
                (() => {
                    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
                    document.dispatchEvent(new Event('visibilitychange'));
                    return 1;
                })()
                """)
            _ = try await eventually { try await site.ask("GET", "pages/%2F")["hidden"] == true }
            #expect(try await site.ask("GET", "pages/latest")["frame"] == true)
        }
        #expect(await site.program.stop() == 0)
    }
}
