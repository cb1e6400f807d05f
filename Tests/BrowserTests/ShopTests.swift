import Drawbridge
import Foundation
import TestSupport
import Testing

/// The shop of `examples/shop` in real browsers, as a person has it who writes no Swift: a file answers all that the
/// page asks of its app.
@Suite("The shop", .serialized, .timeLimit(.minutes(3))) struct ShopTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../examples/shop").standardizedFileURL.path()

    /// The command that serves the shop, and a tester who sees and clicks what a person would.
    private struct Shop {
        let program: Program
        let address: String
        private let pages: String
        private let token: String

        init(_ arguments: String...) async throws {
            program = try .product("drawbridge", ["-p", "0", "--root", ShopTests.folder] + arguments)
            address = try await program.address()
            pages = "\(address)/__drawbridge__/pages"
            let line = try await program.line(with: "/__drawbridge__/pages")
            token = try String(#require(line.firstMatch(of: /Authorization: Bearer [0-9a-f]{32}/)).output)
        }

        /// The id of the page that came last, as soon as it is another than the one before.
        func page(after last: String? = nil) async throws -> String {
            while true {
                let list = try JSON(parsing: Array(try await curl("-H", token, pages).utf8))
                if let id = list["data"]?[0]?["id"]?.stringValue, id != last { return id }
                try await Task.sleep(for: .milliseconds(20))
            }
        }

        /// What a script in the page gives.
        @discardableResult
        func evaluate(_ script: String, in page: String) async throws -> JSON {
            let body = String(decoding: (["script": .string(script)] as JSON).bytes, as: UTF8.self)
            let text = try await curl("-H", token, "-d", body, "\(pages)/\(page)/evaluate")
            return try JSON(parsing: Array(text.utf8))["data"] ?? .null
        }

        func click(_ id: String, in page: String) async throws {
            try await evaluate("document.getElementById('\(id)').click(), 1", in: page)
        }

        /// Lets native do something by itself.
        func play(_ event: String) async throws {
            let text = try await curl("-X", "POST", "-H", token, "\(address)/__drawbridge__/events/\(event)")
            #expect(try JSON(parsing: Array(text.utf8))["code"] == 200)
        }

        /// Waits until an element's text begins so.
        func expect(_ id: String, begins text: String, in page: String) async throws {
            var shown: JSON = .null
            let end = now() + 60
            repeat {
                shown = try await evaluate("document.getElementById('\(id)').textContent", in: page)
                if shown.stringValue?.hasPrefix(text) == true { return }
                try await Task.sleep(for: .milliseconds(10))
            } while now() < end
            Issue.record("\(id) shows \(shown), and not \(text)\n\(program.output)")
        }
    }

    @Test(arguments: Browser.installed)
    func aFileAnswersAllThatTheShopAsksOfItsApp(_ browser: Browser) async throws {
        let shop = try await Shop("--choose", "share=post")
        try await browser.open("\(shop.address)/") {
            let page = try await shop.page()
            try await shop.expect("user", begins: "Not signed in", in: page)
            try await shop.click("login", in: page)
            try await shop.expect("user", begins: "Ann, 120 points", in: page)

            try await shop.click("payByChat", in: page)
            try await shop.expect("payment", begins: "You cancelled the payment.", in: page)
            try await shop.click("payByCard", in: page)
            try await shop.expect("payment", begins: "Paid: order PP-", in: page)
            // Native says it of its own accord.
            try await shop.expect("receipt", begins: "Receipt R-2041, €24", in: page)

            try await shop.expect("title", begins: "Low tide", in: page)
            try await shop.click("scan", in: page)
            try await shop.expect("title", begins: "Ferry at six", in: page)

            try await shop.play("deep%20link")
            try await shop.expect("title", begins: "Fog, then gulls", in: page)

            try await shop.click("share", in: page)
            try await shop.expect("shared", begins: "The app is not ready; try again.", in: page)
            try await shop.click("share", in: page)
            try await shop.expect("shared", begins: "Shared with everybody", in: page)
            try await shop.click("locate", in: page)
            try await shop.expect("place", begins: "Sent to Greenwich.", in: page)

            try await shop.evaluate("setTimeout(() => location.reload(), 10), 1", in: page)
            let again = try await shop.page(after: page)
            try await shop.expect("user", begins: "Ann, 120 points", in: again)
            try await shop.click("logout", in: again)
            try await shop.expect("user", begins: "Not signed in", in: again)
        }
        #expect(!shop.program.output.contains("warning"), "\(shop.program.output)")
        #expect(await shop.program.stop() == 0)
    }

    /// What the shop shows where its app is in another state.
    @Test(arguments: [
        ("offline", (user: "You are offline.", place: "You are offline.")),
        ("user/signed-in", (user: "Ann, 120 points", place: "Sent to Greenwich.")),
        ("location/denied", (user: "Not signed in", place: "The app may not say where you are.")),
    ])
    func aScenarioIsOnFromTheStart(_ scenario: String, _ shown: (user: String, place: String)) async throws {
        let shop = try await Shop("--scenario", scenario)
        try await Browser.chromium.open("\(shop.address)/") {
            let page = try await shop.page()
            // Then its buttons have their work too.
            try await shop.expect("user", begins: shown.user, in: page)
            try await shop.click("locate", in: page)
            try await shop.expect("place", begins: shown.place, in: page)
        }
        #expect(await shop.program.stop() == 0)
    }

    /// It is what an app has, so it knows nothing of what answers here.
    @Test func noScriptOfTheShopKnowsWhereItRuns() throws {
        for name in ["index.html", "shop.js"] {
            let text = try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
            #expect(!text.lowercased().contains("drawbridge"), "\(name)")
        }
    }
}
