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
        let shop = try await ServedFolder(Self.shop, "--choose", "share=post")
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
