import Drawbridge
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// Pages in real browsers whose calls are answered by replies alone.
@Suite("Replies to pages in browsers", .serialized, .timeLimit(.minutes(3))) struct RepliedPageTests {
    private static let pages = [
        "wvjb6", "inject", "shortcuts", "messages", "flag", "jsbridge", "queue", "wvjb5", "wvjb4", "own6",
    ]

    /// What handlers answer in the pages of `BridgeTests`, replies answer here, and no handler is left there.
    @Test(arguments: Browser.installed, pages)
    func repliesAnswerAtEveryBridgeAsHandlersDo(_ browser: Browser, _ page: String) async throws {
        try await BridgeSite.expectNoFailure("\(page).html", in: browser) { gateway in
            for name in ["/echo", "/fail", "/nothing"] { #expect(gateway.unregister(name)) }
            try gateway.mock(
                #"""
                {"echo": {"$reply": "{{input}}"}, "fail": {"$error": {"code": 418, "message": "no tea"}},
                 "nothing": null}
                """#)
        }
    }

    /// A reply that is saved while the page is open stands at its shortcuts, without a reload, and goes with the save
    /// that takes it away.
    @Test(arguments: Browser.installed) func aSavedReplyIsAtThePagesShortcutsAtOnce(_ browser: Browser)
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
            try site.gateway.mock(
                #"{"fresh": {"nick": "Ann"}, "mine": 1, "echo": {"$missing": true}, "a/*": 1}"#)
            #expect(try await kinds() == ["function", "undefined", "function", "function"])
            #expect(try await page.evaluate("MyApp.fresh()") == ["nick": "Ann"])
            #expect(try await page.evaluate("MyApp.mine()") == "the page")
            try site.gateway.mock()
            #expect(try await kinds() == ["undefined", "function", "function", "function"])
            #expect(try await page.evaluate("MyApp.echo('again')") == "again")
        }
        await site.server.stop()
    }

    /// What a page hears where nobody answers: nothing, and where it stands still, nothing at once.
    @Test(arguments: Browser.installed) func silenceIsSilence(_ browser: Browser) async throws {
        let site = try BridgeSite()
        try site.gateway.mock(#"{"silent": {"$silence": true}}"#)
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
