import Drawbridge
import DrawbridgeHandlers
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// What the journal has of pages in real browsers.
@Suite("The journal of pages in browsers", .serialized, .timeLimit(.minutes(5))) struct JournalPageTests {
    private static let pages = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "examples/pages").path()

    /// What the page says by each of its ways, with the bridge that takes it and the method of a request.
    private static let doors = [
        ("a flagged request", "flag GET"), ("a flagged fetch of another host", "flag POST"),
        ("a synchronous request", "__jsbridge__ POST"), ("an iframe", "iframe -"),
        ("the pull queue", "queue -"), ("WebViewJavascriptBridge", "wvjb -"), ("a message", "message -"),
        ("an injected function", "function -"), ("a shortcut", "shortcut -"), ("a promise", "shortcut -"),
        ("an object of Android's", "android -"), ("Capacitor", "capacitor -"), ("Cordova", "cordova -"),
        ("DSBridge", "dsbridge -"), ("Flutter", "flutter -"), ("JSON in a prompt", "prompt -"),
        ("kerkee", "kerkee -"), ("KKJSBridge", "kkjsbridge -"),
        ("React Native", "reactnative -"), ("Tauri", "tauri -"), ("WeixinJSBridge", "object -"),
        ("WKWebViewJavascriptBridge", "wkwebviewjavascriptbridge -"),
    ].map { (said: "Hello by \($0)", bridge: $1) }

    /// The bridges from outside that the settings of the pages name for this one.
    private static func bridges() throws -> [BridgeScript] {
        let settings = try JSON(parsing: Array(Data(contentsOf: URL(filePath: pages + "/settings.json"))))
        let names = try #require(settings["pages"]?["/*"]?["bridge"]?.arrayValue)
        return try (settings["bridge"]?.arrayValue ?? []).compactMap { bridge in
            let name = try #require(bridge.stringValue ?? bridge["name"]?.stringValue)
            return names.contains(.string(name)) ? try .named(name, options: bridge["options"] ?? [:]) : nil
        }
    }

    /// Each bridge of the page that has them all is one record, in the page's order.
    @Test(arguments: Browser.tried) func aCallByEachBridgeOfAPageIsOneRecord(_ browser: Browser)
        async throws
    {
        let gateway = Gateway(
            passThrough: [.staticFiles(Self.pages)],
            pageRuntime: PageRuntime(
                schemes: ["mizhua"], functions: ["callNative", "fetchMessages"], shortcuts: ["MyApp"],
                bridges: try Self.bridges()),
            keepsJournal: true)
        for path in ["/echo", "/App/echo", "/Android/echo"] {
            try gateway.register(EchoHandler.self, at: path)
        }
        let server = try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false))
        let pages = Pages.Following(gateway.pages)
        let doors = Self.doors
        let page = try await browser.open("\(server.address)/everything.html") {
            let page = try await pages.next()
            _ = await eventually {
                gateway.journal.calls().count(where: { $0.state == .answered }) >= doors.count
            }
            return page.id
        }
        let answer = try await curl(
            "-H", "Authorization: Bearer \(gateway.testerToken.text)",
            "\(server.address)/__drawbridge__/calls")
        await server.stop()
        let calls = try #require(JSON(parsing: Array(answer.utf8))["data"]?["calls"]?.arrayValue)
        // One has the list of its arguments.
        func said(_ call: JSON) -> JSON {
            call["input"]?[0]?["message"] ?? call["input"]?["message"] ?? .null
        }
        let order = calls.map { said($0).stringValue ?? "\($0)" }
        #expect(order.sorted() == doors.map(\.said).sorted(), "\(browser.rawValue)")
        for (text, bridge) in doors {
            let call = calls.first { said($0) == .string(text) } ?? .null
            #expect(
                "\(call["bridge"]?.stringValue ?? "") \(call["method"]?.stringValue ?? "-")" == bridge,
                "\(browser.rawValue), \(text)")
            #expect(
                call["name"]?.stringValue?.hasSuffix("echo") == true && call["state"] == "answered", "\(call)"
            )
            #expect(call["output"] == call["input"], "\(call)")
            #expect(call["page"]?["path"] == "/everything.html", "\(call)")
            #expect(call["page"]?["id"]?.stringValue == page, "\(call)")
        }
        // Requests go by connections of their own and may overtake one another; wvjb waits for its script.
        let ordered = doors.filter { $0.bridge.hasSuffix("-") && $0.bridge != "wvjb -" }.map(\.said)
        #expect(order.filter(ordered.contains) == ordered, "\(browser.rawValue)")
    }

    /// Of requests to which a page cannot add its name, too: forms, links, pictures, scripts, frames, beacons.
    @Test(arguments: Browser.tried) func everyKindOfRequestIsOfItsPageAndSession(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        try folder.write(
            "cart.html",
            """
            <!doctype html><title>Cart</title><iframe name=target></iframe><script>
            const flag = '?_mobile_bridge=1';
            const add = (kind, members) => document.body.appendChild(Object.assign(document.createElement(kind), members));
            addEventListener('load', () => MyApp.first().then(() => {
                fetch('/fetch' + flag);
                add('form', { method: 'post', action: '/form' + flag, target: 'target' }).submit();
                add('img', { src: '/picture' + flag });
                add('script', { src: '/script' + flag });
                add('iframe', { src: '/frame' + flag });
                add('iframe', { src: 'https://__jsbridge__?action=iframe' });
                navigator.sendBeacon('/beacon' + flag, 'text');
                navigator.sendBeacon('http://__jsbridge__/beacon-2', new Blob(['{}']));
                addEventListener('pagehide', () => navigator.sendBeacon('/last' + flag, '1'));
                setTimeout(() => { location.href = '/link' + flag; }, 500);
            }));
            </script>
            """)
        let names = [
            "beacon", "beacon-2", "fetch", "first", "form", "frame", "iframe", "last", "link", "picture",
            "script",
        ]
        let mocks = names.flatMap { ["--reply", "\($0)=1"] }
        let site = try await ServedFolder(folder.path, more: ["--shortcuts", "MyApp"] + mocks)
        try await browser.open("\(site.address)/__drawbridge__/session/s1?to=/cart.html") {
            var calls: [JSON] = []
            _ = try await eventually {
                calls = try await site.ask("GET", "calls?session=s1&kind=call")["calls"]?.arrayValue ?? []
                return calls.count >= names.count
            }
            #expect(calls.compactMap { $0["name"]?.stringValue }.sorted() == names)
            let pages = Set(calls.map { $0["page"] ?? .null })
            #expect(pages.count == 1 && pages.first?["title"] == "Cart", "\(browser.rawValue): \(calls)")
            #expect(calls.first { $0["name"] == "beacon" }?["input"] == "text")
        }
        #expect(await site.program.stop() == 0)
    }

    /// What nobody catches in a page is often why a call never came.
    @Test(arguments: Browser.tried) func anUncaughtErrorOfAPageIsARecord(_ browser: Browser) async throws {
        let folder = try Folder()
        _ = try folder.write(
            "index.html",
            """
            <!doctype html><title>Faulty</title>
            <script>
            setTimeout(() => { nobodyKnows(); });
            Promise.reject(new Error('the promise is lost'));
            console.error('left alone');
            </script>
            """)
        let gateway = Gateway(passThrough: [.staticFiles(folder.path)], keepsJournal: true)
        let server = try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false))
        let records = try await browser.open("\(server.address)/") {
            var records: [JSON] = []
            while records.count < 2 {
                try await Task.sleep(for: .milliseconds(25))
                let answer = try await curl(
                    "-H", "Authorization: Bearer \(gateway.testerToken.text)",
                    "\(server.address)/__drawbridge__/calls?kind=page")
                records = (try JSON(parsing: Array(answer.utf8))["data"]?["calls"]?.arrayValue ?? [])
                    .filter { $0["name"] == "error" || $0["name"] == "rejection" }
            }
            return records
        }
        await server.stop()
        withExtendedLifetime(folder) {}
        func text(_ name: String, _ member: String) -> String {
            records.first { $0["name"]?.stringValue == name }?["input"]?[member].map { "\($0)" } ?? ""
        }
        #expect(records.count == 2, "\(records)")
        #expect(text("error", "message").contains("nobodyKnows"), "\(records)")
        #expect(text("error", "line") == "3" && text("error", "source").contains("http://"), "\(records)")
        #expect(text("rejection", "message").contains("the promise is lost"), "\(records)")
    }
}
