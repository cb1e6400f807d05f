import Drawbridge
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// Pages in real browsers whose calls are answered by replies alone.
@Suite("Mocks for pages in browsers", .serialized, .timeLimit(.minutes(8))) struct RepliedPageTests {
    private static let pages = [
        "wvjb6", "inject", "shortcuts", "messages", "flag", "jsbridge", "queue", "wvjb5", "wvjb4", "own6",
    ]

    /// What handlers answer in the pages of `BridgeTests`, replies answer here, and no handler is left there.
    @Test(arguments: Browser.tried)
    func mocksAnswerByEveryBridgeAsHandlersDo(_ browser: Browser) async throws {
        try await BridgeSite.expectNoFailure(Self.pages.map { "\($0).html" }, in: browser) { gateway in
            for name in ["/echo", "/fail", "/nothing"] { #expect(gateway.unregister(name)) }
            try gateway.mock([
                "echo": ["$reply": "{{input}}"], "fail": ["$error": ["code": 418, "message": "no tea"]],
                "nothing": .null,
            ])
        }
    }

    /// A mock that is saved while the page is open is among its shortcuts, without a reload, and goes with the save
    /// that takes it away.
    @Test(arguments: Browser.tried) func aSavedMockIsAtOnceAMethodOfThePagesShortcutObject(_ browser: Browser)
        async throws
    {
        let site = try BridgeSite()
        let pages = Pages.Following(site.gateway.pages)
        try await browser.open("\(site.address)/driven.html") {
            let page = try await pages.next()
            func kinds() async throws -> JSON {
                try await page.evaluate(
                    "['fresh', 'echo', 'mine', 'toString'].map(name => typeof MyApp[name])")
            }
            _ = try await page.evaluate("MyApp.mine = () => 'the page'; 0")
            #expect(try await kinds() == ["undefined", "function", "function", "function"])
            try site.gateway.mock(["fresh": ["nick": "Ann"], "mine": 1, "echo": ["$missing": true], "a/*": 1])
            #expect(try await kinds() == ["function", "undefined", "function", "function"])
            #expect(try await page.evaluate("MyApp.fresh()") == ["nick": "Ann"])
            #expect(try await page.evaluate("MyApp.mine()") == "the page")
            try site.gateway.mock()
            #expect(try await kinds() == ["undefined", "function", "function", "function"])
            #expect(try await page.evaluate("MyApp.echo('again')") == "again")
        }
        await site.server.stop()
    }

    /// As above, at the objects of other bridges: below `messageHandlers`, and as global functions.
    ///
    /// Names that settings give to every page go where a reply says that they are missing, and come again.
    @Test(arguments: Browser.tried) func aSavedMockIsAtOnceAMessageHandlerAndAGlobalFunction(
        _ browser: Browser
    )
        async throws
    {
        let site = try BridgeSite(
            runtime: PageRuntime(
                messageHandlers: ["JSBridge", "given", "*"], replyHandlers: ["*"],
                functions: ["callNative", "*"]))
        let pages = Pages.Following(site.gateway.pages)
        try await browser.open("\(site.address)/driven.html") {
            let page = try await pages.next()
            func kinds() async throws -> JSON {
                try await page.evaluate(
                    """
                    ['JSBridge', 'given', 'fresh'].map(name => typeof webkit.messageHandlers[name])
                        .concat(['fresh', 'callNative', 'alert'].map(name => typeof window[name]))
                    """)
            }
            // An element with this id is a name of the window's, and hides no function.
            _ = try await page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p id=fresh>'), 0")
            let before: JSON = ["object", "object", "undefined", "object", "function", "function"]
            #expect(try await kinds() == before)
            try site.gateway.mock([
                "fresh": ["nick": "Ann"], "alert": 1, "given": ["$missing": true],
                "JSBridge": ["$missing": true],
            ])
            #expect(
                try await kinds() == ["object", "undefined", "object", "function", "function", "function"])
            #expect(
                try await page.evaluate("webkit.messageHandlers.fresh.postMessage({})") == ["nick": "Ann"])
            #expect(try await page.evaluate("fresh()") == ["nick": "Ann"])
            #expect(try await page.evaluate("callNative('fresh', {})") == ["nick": "Ann"])
            // The browser's own stays.
            #expect(try await page.evaluate("/native code/.test(alert)") == true)
            // What the page has made fast stays, and holds up no other object.
            _ = try await page.evaluate("Object.freeze(webkit.messageHandlers), 0")
            try site.gateway.mock()
            #expect(try await kinds() == ["object", "undefined", "object", "object", "function", "function"])
        }
        await site.server.stop()
    }

    /// A name that a page reads of native's objects in vain stays undefined; log, console and tester hear of it once.
    @Test(arguments: Browser.tried) func readingAMissingNativeNameIsReported(_ browser: Browser) async throws
    {
        let folder = try Folder()
        try folder.write(
            "drawbridge.json", #"{"replies": {"scanQRCode": 1, "gone": {"$missing": true}}}"#)
        try folder.write("index.html", "<script>MyApp.scanQRCode()</script>")
        let site = try await ServedFolder(folder.path, "--shortcuts", "MyApp")
        try await browser.open("\(site.address)/") {
            let page = try await site.page()
            let read = """
                window.heard = []; console.warn = (...said) => heard.push(said.join(' '));
                for (const name of ['scanCode', 'scanCode', 'gone', 'then', '_own', 'scanQRCode']) MyApp[name];
                [typeof MyApp.scanCode, 'scanCode' in MyApp, typeof webkit.messageHandlers.scanQRCode,
                 typeof webkit.messageHandlers.other, Object.keys(webkit.messageHandlers).join()]
                """
            #expect(
                try await site.evaluate(read, in: page)
                    == ["undefined", false, "undefined", "undefined", "JSBridge"])
            for part in [
                "looked for MyApp.scanCode, which does not exist: no handler at /scanCode; the nearest registered path is /scanQRCode",
                #"messageHandlers.scanQRCode. To give it: "message-handler": ["scanQRCode"]"#,
                #"messageHandlers.other. To give it: "message-handler": ["scanQRCode", "other"], and a mock "other""#,
            ] { _ = try await site.program.line(with: part) }
            let said = site.program.output.split(separator: "\n").filter { $0.contains("looked for") }
            #expect(said.count == 3, "\(said)")
            let heard = try await site.evaluate(
                "heard.filter(line => /looked for/.test(line)).length", in: page)
            #expect(heard == 3)
            let list = try await curl("-H", site.token, "\(site.address)/__drawbridge__/pages")
            #expect(
                list.contains(
                    #""missed":["MyApp.scanCode","MyApp.gone","webkit.messageHandlers.scanQRCode","#
                ))
        }
        #expect(await site.program.stop() == 0)
        // The folder goes with its last use.
        withExtendedLifetime(folder) {}
    }

    /// What a page receives where nobody answers: nothing; where it is blocked, nothing at once.
    @Test(arguments: Browser.tried) func aSilentMockNeverAnswersByAnyBridge(_ browser: Browser) async throws {
        let site = try BridgeSite()
        try site.gateway.mock(["silent": ["$silence": true]])
        let pages = Pages.Following(site.gateway.pages)
        try await browser.open("\(site.address)/driven.html") {
            let page = try await pages.next()
            _ = try await page.evaluate("window.heard = []; MyApp.silent({}, end => { heard.push(end); }); 0")
            #expect(try await page.evaluate("callNative('silent', 1)") == .null)
            #expect(try await page.evaluate("MyApp.echo('later')") == "later")
            #expect(try await page.evaluate("heard") == [])
        }
        await site.server.stop()
    }
}
