import Drawbridge
import Foundation
import ProgramSupport
import TestSupport
import Testing

/// The link that lets a device in, opened in a real browser on another machine.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled("only the superuser makes network namespaces, with iproute2", Elsewhere.canBeMade))
struct LinkTests {
    @Test func aPageWorksInABrowserElsewhereThatOpenedTheLink() async throws {
        let elsewhere = try await Elsewhere()
        let folder = try Folder()
        try folder.write(
            "index.html",
            """
            <!doctype html><meta charset="utf-8"><title>The Shop</title><h1>The Shop</h1><p id="said"></p>
            <script>
            function connect(ready) {
                if (window.WebViewJavascriptBridge) return ready(WebViewJavascriptBridge);
                window.WVJBCallbacks = [ready];
                var frame = document.createElement("iframe");
                frame.src = "https://__bridge_loaded__";
                document.documentElement.appendChild(frame);
            }
            connect(function (bridge) {
                bridge.callHandler("/echo", {from: "a phone"}, function (answer) {
                    fetch("/echo?_mobile_bridge=1&from=another%20bridge").then(function (response) {
                        return response.json();
                    }).then(function (envelope) {
                        document.getElementById("said").textContent =
                            JSON.stringify([answer, envelope.data]);
                    }).catch(function (error) {
                        document.getElementById("said").textContent = String(error);
                    });
                });
            });
            </script>
            """)
        let drawbridge = try Program.product(
            "drawbridge", ["-p", "0", "--host", elsewhere.here, "--root", folder.path])
        let link = try await String(drawbridge.line(with: "  link  ").trimmingPrefix("  link      "))
        let browser = try await Chromium(width: 400, height: 500, prefix: elsewhere.prefix)

        // Without the link: a page for people, and nothing else.
        let own = String(link.prefix { $0 != "#" }.dropLast("__drawbridge__/enter".count))
        try await browser.open(own)
        #expect(try await browser.evaluate("document.title") == "This device is not connected yet")
        #expect(try await browser.evaluate("document.scripts.length") == 0)
        try await browser.screenshot("link-closed")

        // A link that has expired says so, and the ticket is not in the address.
        try await browser.open("\(link.prefix { $0 != "#" })#\(String(repeating: "0", count: 32))")
        try await browser.evaluate(
            Self.until("document.getElementById('say').textContent.includes('Ask for a new one')"))
        #expect(try await browser.evaluate("location.hash") == "")
        try await browser.screenshot("link-old")

        try await browser.open("data:text/html,between")
        // The page goes on by itself, and a question that is open then is lost.
        try? await browser.open(link)
        while (try? await browser.evaluate("document.title")) != "The Shop" {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await browser.evaluate("location.href") == .string(own))
        try await browser.evaluate(Self.until("document.getElementById('said').textContent !== ''"))
        let said = try await browser.evaluate("document.getElementById('said').textContent")
        // By two bridges: the second request says that a message went before.
        #expect(said == #"[{"from":"a phone"},{"from":"another bridge"}]"#)
        // No script sees the cookie.
        #expect(try await browser.evaluate("document.cookie") == "")
        try await browser.screenshot("link-let-in")
        let line = try await drawbridge.line(with: "has access now")
        #expect(line.contains(elsewhere.there) && line.contains("Chrome"))

        // The cookie alone runs nothing: a link to a handler.
        try await browser.open("\(own)echo?_mobile_bridge=1&a=1")
        #expect(
            try await browser.evaluate("document.body.textContent").stringValue?.contains("page token")
                == true)
    }

    private static func until(_ condition: String) -> String {
        """
        new Promise(done => {
            const look = () => { try { if (\(condition)) return done(); } catch {} setTimeout(look, 20); };
            look();
        })
        """
    }
}
