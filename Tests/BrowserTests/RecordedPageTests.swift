import Drawbridge
import Foundation
import TestSupport
import Testing

/// A page that gets from a recording what it got when that was made, as a person sees it and as tests check it.
@Suite("Recordings in browsers", .serialized, .timeLimit(.minutes(5))) struct RecordedPageTests {
    private static let shop = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../examples/shop").standardizedFileURL.path()

    /// What came of a visit.
    private struct Visit: Equatable {
        /// What the page showed, one after the other.
        var shown: [String] = []
        /// What page and app said to each other, as the page itself wrote it down.
        var said: [String] = []
        /// The journal's calls: name, input, state, code and output.
        var calls: [JSON] = []
        /// The status of each check.
        var verdicts: [Int?] = []
    }

    /// What a test of the shop would verify, and what is wrong about it.
    private static let checks: [(body: String, status: Int)] = [
        (#"{"name": "getUser", "count": 4}"#, 200),
        (#"{"name": "login", "equals": {"by": "phone"}, "count": 1, "state": "answered"}"#, 200),
        (
            #"{"name": "pay", "equals": {"orderNo": "PP-17", "item": 11, "price": 24, "channel": "card"}, "count": 1}"#,
            200
        ),
        (#"{"name": "pay", "when": {"channel": "chat"}, "count": 1}"#, 200),
        (#"{"name": "share", "state": "error", "count": 1}"#, 200),
        (#"{"name": "share", "when": {"title": "Low tide"}, "count": 2}"#, 200),
        (
            #"{"order": ["getUser", "login", "getUser", "pay", "pay", "share", "requestLocation", "logout"]}"#,
            200
        ),
        (#"{"unanswered": 0}"#, 200),
        (#"{"name": "pay", "when": {"channel": "cash"}}"#, 417), (#"{"name": "login", "count": 2}"#, 417),
    ]

    @Test(arguments: Browser.tried) func aRecordingAloneAnswersTheSameClicksAlike(_ browser: Browser)
        async throws
    {
        let shop = try await ServedFolder(Self.shop, "--choose", "pay=pay", "--choose", "share=post")
        let first = try await Self.visit(browser, shop)
        #expect(
            first.shown == [
                "Not signed in", "Ann, 120 points", "You cancelled the payment.", "Paid: order PP-17",
                "The app is not ready; try again.", "Shared with everybody", "Sent to Greenwich.",
                "Not signed in", "Not signed in",
            ])
        #expect(first.verdicts == Self.checks.map(\.status))
        let recording = try await curl("-H", shop.token, "\(shop.address)/__drawbridge__/record")
        #expect(await shop.program.stop() == 0)

        // The page without the file that its app was, and nobody who is asked.
        let folder = try Folder()
        for name in ["index.html", "shop.css", "shop.js"] {
            try folder.write("shop/\(name)", String(contentsOfFile: "\(Self.shop)/\(name)", encoding: .utf8))
        }
        let file = try folder.write("recorded.json", recording)
        let replayed = try await ServedFolder(
            "\(folder.path)/shop", "--replies", file, "--unanswered", "fail")
        let again = try await Self.visit(browser, replayed)
        #expect(again == first)
        let by = try await replayed.ask("GET", "calls")["calls"]?.arrayValue?.map { $0["by"]?.stringValue }
        #expect(by == Array(repeating: "reply", count: first.calls.count))
        // Nothing had no answer, which would be a code of its own.
        #expect(await replayed.program.stop() == 0, "\(replayed.program.output)")
    }

    /// Five bridges and a scheme, none of which a browser has: what a page makes of their answers, one after the other.
    private static let bridges = """
        <!doctype html><title>Bridges</title><link rel="icon" href="data:,"><script>
        told = [];
        const tell = value => told.push(JSON.stringify(value === undefined ? 'nothing' : value));
        const failed = error => 'failed: ' + (error && error.message || error);
        (async () => {
            const { ask, refuse } = webkit.messageHandlers;
            tell(Object.keys(webkit.messageHandlers));
            tell(await ask.postMessage({ n: 1 }));
            tell(await ask.postMessage({ n: 2 }));
            tell(await refuse.postMessage({}).catch(failed));
            tell(_dsbridge.call('pay', '{"data": 1}'));
            tell(_dsbridge.call('pay', '{"data": 2}'));
            tell(await flutter_inappwebview.callHandler('getUser', { id: 7 }));
            tell(await flutter_inappwebview.callHandler('refuse').catch(failed));
            tell(callNative('getUser', { id: 8 }));
            tell(getToken());
            tell(await MyApp.share({ title: 'Low tide' }));
            tell(await MyApp.refuse().catch(failed));
            const frame = Object.assign(document.createElement('iframe'), { src: 'mizhua://app?action=home' });
            document.documentElement.append(frame);
            tell(await fetch('mizhua://getUser').then(answer => answer.text()));
        })().catch(error => tell(failed(error)));
        </script>
        """

    @Test(arguments: Browser.tried) func aRecordingGivesPagesTheBridgesByWhichItsCallsCame(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        try folder.write("page/index.html", Self.bridges)
        let mocks = """
            {"replies": {
                "ask": {"$cases": [{"$when": {"n": 1}, "$reply": "one"}, {"$reply": {"more": true}}]},
                "refuse": {"$error": {"code": 403, "message": "not now"}}, "pay": {"$sequence": [1, "two"]},
                "getUser": {"nick": "Ann"}, "getToken": "t17", "share": {"with": "all"}, "home": true
            }}
            """
        let given = try await ServedFolder(
            "\(folder.path)/page", "--replies", folder.write("mocks.json", mocks), "--bridge", "dsbridge",
            "--bridge", "flutter", "--message-handler", "JSBridge,ask=reply,refuse=reply", "--scheme",
            "mizhua",
            "--command-item", "action", "--inject", "callNative,getToken", "--shortcuts", "MyApp")
        let first = try await Self.outcomes(browser, given)
        #expect(!first.contains { $0.contains("is not") }, "\(first)")
        try folder.write(
            "page/drawbridge.json",
            try await curl("-H", given.token, "\(given.address)/__drawbridge__/record"))
        #expect(await given.program.stop() == 0)
        let replayed = try await ServedFolder("\(folder.path)/page", "--unanswered", "fail")
        #expect(try await Self.outcomes(browser, replayed) == first)
        #expect(await replayed.program.stop() == 0, "\(replayed.program.output)")
    }

    /// What the page has told, and the call that its frame made.
    private static func outcomes(_ browser: Browser, _ site: ServedFolder) async throws -> [String] {
        try await DrivenBrowser.drive(browser) { driven in
            try await driven.open("\(site.address)/")
            try await driven.expect("told.length", 13)
            let told = try await driven.evaluate("told").decode([String].self)
            _ = try await site.ask("POST", "calls/verify", #"{"name": "home", "count": 1, "seconds": 5}"#)
            return told
        }
    }

    /// A person in the shop, and a test that looks at it behind.
    private static func visit(_ browser: Browser, _ shop: ServedFolder) async throws -> Visit {
        var visit = try await DrivenBrowser.drive(browser) { driven in
            var visit = Visit()
            func shows(_ id: String, _ text: String) async throws {
                let content = "document.getElementById('\(id)').textContent"
                try await driven.expect(content, .string(text))
                visit.shown.append(try await driven.evaluate(content).stringValue ?? "")
            }
            func click(_ id: String) async throws {
                try await driven.click("document.getElementById('\(id)')")
            }

            try await driven.open("\(shop.address)/")
            try await shows("user", "Not signed in")
            // It numbers its orders by the clock, and a recording answers what was asked and nothing else. The clock is the
            // page's: Firefox runs what drives it in the page's process.
            try await driven.evaluate(
                """
                document.head.append(
                    Object.assign(document.createElement('script'), { textContent: 'Date.now = () => 17;' }))
                """)
            try await click("login")
            try await shows("user", "Ann, 120 points")
            try await click("payByChat")
            try await shows("payment", "You cancelled the payment.")
            try await click("payByCard")
            try await shows("payment", "Paid: order PP-17")
            try await click("share")
            try await shows("shared", "The app is not ready; try again.")
            try await click("share")
            try await shows("shared", "Shared with everybody")
            try await click("locate")
            try await shows("place", "Sent to Greenwich.")
            try await click("logout")
            try await shows("user", "Not signed in")
            // What native does of its own accord is in no recording: the receipt of a payment here.
            let said = try await driven.evaluate(
                """
                [...document.querySelectorAll('#log li')].reverse().map(line => `${line.className} ${line.textContent}`)
                    .filter(text => !text.startsWith('app on'))
                """)
            visit.said = try said.decode([String].self)
            try await driven.reload()
            try await shows("user", "Not signed in")
            return visit
        }
        let calls = try await shop.ask("GET", "calls?secrets=1")["calls"]?.arrayValue ?? []
        visit.calls = calls.map { call in
            .array(["name", "input", "state", "code", "output"].map { call[$0] ?? .null })
        }
        for check in checks { visit.verdicts.append(try await shop.verify(check.body)) }
        return visit
    }
}
