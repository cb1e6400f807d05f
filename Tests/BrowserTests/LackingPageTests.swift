import Drawbridge
import Foundation
import TestSupport
import Testing

/// Pages whose app's bridges are not there: what they look for is given to them while the command serves.
@Suite("Pages that lack their bridges", .serialized, .timeLimit(.minutes(5))) struct LackingPageTests {
    /// Eleven things of apps.
    private static let uses = [
        "webkit.messageHandlers.tracker.postMessage({})", "webkit.messageHandlers.wallet.postMessage({})",
        "Android.pay('{}')", "_dsbridge.call('pay', '{}')", "flutter_inappwebview.callHandler('pay')",
        "window.ReactNativeWebView.postMessage('{\"type\": \"pay\"}')", "KKJSBridge.call('App', 'pay', {})",
        "setUp(bridge => bridge.callHandler('pay', {}, () => {}))",
        "WeixinJSBridge.invoke('pay', {}, () => {})",
        "callNative('pay', {})", "frame('mizhua://pay')",
    ]

    /// Errors are reported as those of a page are, each in a task of its own; `live` counts what did not fail.
    private static let page = """
        <!doctype html><title>Eleven</title><link rel="icon" href="data:,"><script>
        live = 0;
        function frame(url) {
            document.documentElement.append(Object.assign(document.createElement('iframe'), { src: url }));
        }
        function setUp(callback) {
            window.WKWVJBCallbacks = [callback];
            webkit.messageHandlers.iOS_Native_InjectJavascript.postMessage(null);
        }
        const use = work => { try { work(); live += 1; } catch (error) { setTimeout(() => { throw error; }); } };
        \(uses.map { "use(() => \($0));" }.joined(separator: "\n"))
        </script>
        """

    private static let mocks = """
        {
            // What the app answers.
            "replies": {"pay": 0, "App/pay": 1, "Android/pay": 1, "tracker": 2, "wallet": 3}
        }

        """

    private static func expectAll(in folder: Folder) throws {
        let text = try folder.read("drawbridge.json")
        #expect(text.contains("// What the app answers.\n"))
        let file = try JSON(parsing: JSON.blankingComments(in: Array(text.utf8)))
        #expect(file["message-handler"] == ["JSBridge", "tracker", "wallet"], "\(text)")
        #expect(file["inject"] == ["callNative"] && file["scheme"] == ["mizhua"], "\(text)")
        #expect(file["bridge"]?.arrayValue?.count == 7, "\(text)")
    }

    @Test(arguments: Browser.tried) func allAreGivenByTwoClicksEachWithoutARestart(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        try folder.write("index.html", Self.page)
        try folder.write("drawbridge.json", Self.mocks)
        try await InspectedBrowser.inspect(browser, folder) { driven, inPage in
            let red = "document.querySelectorAll('.row.notice.nobody:not(.past)')"
            let all = Self.uses.count
            try await driven.expect("\(red).length", .number(.init(all)))
            for left in (0..<all).reversed() {
                try await driven.click("\(red)[0]")
                try await driven.click(InspectedBrowser.button("Give it to pages"))
                try await driven.expect("\(red).length", .number(.init(left)))
            }
            // Taken back, it is missing again.
            try await driven.click(InspectedBrowser.button("Undo"))
            try await driven.expect("\(red).length", 1)
            try await driven.click(InspectedBrowser.button("Give it to pages"))
            try await driven.expect("\(red).length", 0)
            let pale = "document.querySelector('.row.notice.past .answer').textContent"
            try await driven.expect(pale, "given since; reload the page")
            try Self.expectAll(in: folder)

            try await driven.click(InspectedBrowser.button("Reload the page"))
            #expect(try await eventually { try await inPage("live") == .number(.init(all)) })
            let answered = "document.querySelectorAll('.row.call.answered').length"
            try await driven.click("document.getElementById('newer')")
            try await driven.expect(answered, .number(.init(all)))
        }
    }

    /// A bridge without the page's own half of it answers nothing.
    @Test(arguments: Browser.tried) func whatAPageLacksOfItsOwnStaysRedUntilItIsThere(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        let icon = "<link rel=icon href=data:,>"
        let use = "<script>setTimeout(() => dsBridge.call('pay', {}));</script>"
        try folder.write("index.html", "<!doctype html><title>Half</title>\(icon)\(use)")
        try folder.write("drawbridge.json", Self.mocks)
        try await InspectedBrowser.inspect(browser, folder) { driven, inPage in
            let row = "document.querySelector('.row.notice.nobody')"
            try await driven.expect("\(row)?.textContent.includes('pages do not have it')")
            try await driven.click(row)
            let needs = "document.querySelector('.card .bad').textContent"
            try await driven.expect("\(needs).includes('dsbridge.js')")
            try await driven.click(InspectedBrowser.button("Give it to pages"))
            let words = "dsBridge is defined by the page's own dsbridge.js, which is not loaded"
            try await driven.expect("\(row).textContent.includes(\(JSON.string(words)))")
            try await driven.expect("document.title", "1 to answer · Drawbridge")
            try await driven.click(InspectedBrowser.button("Reload the page"))
            try await driven.expect("document.querySelectorAll('.row.page.problem').length", 2)
            try await driven.expect("\(row).textContent.includes(\(JSON.string(words)))")
            try await driven.expect("document.title", "1 to answer · Drawbridge")
            // With its own half the page is whole.
            let own = """
                <script>
                window.dsBridge = { call: (name, data) => _dsbridge.call(name, JSON.stringify({ data })) };
                </script>
                """
            try folder.write("index.html", "<!doctype html><title>Whole</title>\(icon)\(own)\(use)")
            _ = try await inPage("setTimeout(() => location.reload()) && null")
            try await driven.expect("\(InspectedBrowser.row("pay"))?.classList.contains('answered') === true")
            try await driven.expect("document.title", "Drawbridge")
            try await driven.expect("document.querySelectorAll('.row.notice.past').length", 1)
        }
    }

    @Test(arguments: Browser.tried) func saveMissingGivesAllAtOnce(_ browser: Browser) async throws {
        let folder = try Folder()
        try folder.write("index.html", Self.page)
        try folder.write("drawbridge.json", Self.mocks)
        let site = try await ServedFolder(folder.path, "--save")
        try await DrivenBrowser.drive(browser) { driven in
            func records(_ kind: String) async throws -> [JSON] {
                var all: [JSON] = []
                _ = try await eventually {
                    all = try await site.ask("GET", "calls?kind=\(kind)")["calls"]?.arrayValue ?? []
                    return all.count >= Self.uses.count
                }
                return all
            }
            try await driven.open("\(site.address)/")
            #expect(try await records("notice").allSatisfy { $0["given"] == false })
            let saved = try await site.ask("POST", "calls/missing")
            #expect(saved["given"]?.arrayValue?.count == Self.uses.count, "\(saved)")
            #expect(try await records("notice").allSatisfy { $0["given"] == true })
            try await driven.reload()
            try await driven.expect("live", .number(.init(Self.uses.count)))
            #expect(try await records("call").allSatisfy { $0["by"] == "reply" })
            try Self.expectAll(in: folder)
        }
        #expect(await site.program.stop() == 0)
    }
}
