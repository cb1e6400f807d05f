import Drawbridge
import Foundation
import TestSupport
import Testing

/// The inspector's panels of what is answered and of who is there, in real browsers.
@Suite("Panels of the inspector in browsers", .serialized, .timeLimit(.minutes(5)))
struct InspectorPanelTests {
    private typealias Site = InspectedBrowser

    private static let replies = """
        {
            "replies": {"pay": {"$cases": [
                {"$when": {"channel": "chat"}, "$reply": {"code": 6001}}, {"$reply": {"code": 0}}
            ]}}
        }
        """

    private struct Twice: JSONHandler {
        struct Input: Decodable, Sendable { var n: Int }

        func handle(_ input: Input) async throws -> [String: Int] { ["doubled": 2 * input.n] }
    }

    private struct Delivery: JSONHandler {
        struct Input: Decodable, Sendable {}

        let request: Request

        func handle(_ input: Input) async throws -> [String: String]? {
            let question = Question(
                "delivery", title: "Where to?",
                fields: ["street", Question.Field("town", label: "Town or village")])
            return try await request.present(question)?.decode([String: String].self)
        }
    }

    /// What the catalogue has of one name, and what somebody tries with it.
    private struct Trial {
        var name: String
        var count: String
        var last: String
        var input: String
        var answer: String
        var countAfter: String
    }

    @Test(arguments: Browser.tried) func aNameInTheCatalogueCanBeCalledFromTheInspector(_ browser: Browser)
        async throws
    {
        let site = try InspectedSite(Self.replies)
        try site.gateway.register(Twice.self, at: "/double")
        try await Site.inspect(browser, site) { inspected in
            let driven = inspected.driven
            try await inspected.inPage(
                """
                (async () => {
                    for (const n of [1, 2]) await call('double', { n });
                    await MyApp.pay({ channel: 'card' });
                })()
                """)
            try await driven.expect("document.querySelectorAll('.row.call').length", 3)
            try await driven.click("document.getElementById('tab-catalogue')")
            for (place, trial) in [
                Trial(
                    name: "double", count: "2 calls", last: #"{"n": 2}"#, input: #"{"n": 21}"#,
                    answer: "doubled: 42", countAfter: "3 calls"),
                Trial(
                    name: "pay", count: "1 call", last: #"{"channel": "card"}"#,
                    input: #"{"channel": "chat"}"#,
                    answer: "code: 6001", countAfter: "2 calls"),
            ].enumerated() {
                let card = """
                    [...document.querySelectorAll('.handler')]
                        .find(card => card.querySelector('.name').textContent === '\(trial.name)')
                    """
                func inside(_ selector: String) -> String { "(\(card))?.querySelector('\(selector)')" }
                try await driven.expect("\(inside(".count"))?.textContent", .string(trial.count))
                try await driven.click(inside("summary"))
                try await driven.expect("\(inside("textarea"))?.value", .string(trial.last))
                try await driven.click(inside("textarea"))
                try await driven.press(DrivenBrowser.Key.control, "a")
                try await driven.type(trial.input)
                try await driven.click(inside(".actions .primary"))
                try await driven.expect(
                    "\(inside(".trial > :not([class]) li"))?.textContent", .string(trial.answer))

                let call = try #require(site.gateway.journal.calls(named: trial.name).last)
                try await driven.expect(
                    "\(inside(".status"))?.textContent", .string("Call \(call.number): answered. Show it"))
                #expect(call.input == (try JSON(parsing: Array(trial.input.utf8))))
                try await driven.expect("\(inside(".count"))?.textContent", .string(trial.countAfter))
                try await driven.expect(
                    "document.querySelectorAll('.row.call').length", .number(.init(4 + place)))
            }
        }
    }

    @Test(arguments: Browser.tried) func aQuestionWithFieldsIsAnsweredByKeyboard(_ browser: Browser)
        async throws
    {
        let site = try InspectedSite(Self.replies)
        try site.gateway.register(Delivery.self, at: "/delivery")
        try await Site.inspect(browser, site) { inspected in
            let driven = inspected.driven
            try await inspected.inPage("(window.said = call('delivery', {}), 1)")
            let labels = "[...document.querySelectorAll('.question label')].map(label => label.textContent)"
            try await driven.expect(labels, ["street", "Town or village"])
            try await driven.expect("document.querySelector('.question form .primary').disabled", false)
            try await driven.click("document.querySelector('.question input')")
            try await driven.type("1 Quay")
            try await driven.press(DrivenBrowser.Key.tab)
            try await driven.type("Whitby")
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("document.getElementById('questions').hidden")
            #expect(try await inspected.inPage("said")["data"] == ["street": "1 Quay", "town": "Whitby"])

            try await inspected.inPage("(window.said = call('delivery', {}), 1)")
            try await driven.expect("\(Site.button("Cancel", in: ".question"))?.disabled", false)
            try await driven.click(Site.button("Cancel", in: ".question"))
            #expect(try await inspected.inPage("said.then(answer => answer.data ?? 'none')") == "none")
        }
    }

    @Test(arguments: Browser.tried) func thePanelShowsWhetherAPageIsVisibleOrClosed(_ browser: Browser)
        async throws
    {
        try await Site.inspect(browser, try InspectedSite(Self.replies)) { inspected in
            let driven = inspected.driven
            // With its first call a page is there.
            try await inspected.inPage("MyApp.pay()")
            try await driven.click("document.getElementById('tab-pages')")
            let badge = "document.querySelector('.open-page .badge')?.textContent"
            try await driven.expect("\(badge) !== undefined")
            // A window of a browser without a screen is never covered: the page is told so by hand.
            func becomes(_ state: String) async throws {
                try await inspected.inPage(
                    """
                    (() => {
                        Object.defineProperty(
                            document, 'hidden', { configurable: true, get: () => \(state == "hidden") });
                        document.dispatchEvent(new Event('visibilitychange'));
                        return 1;
                    })()
                    """)
            }
            try await driven.press("l")
            for (state, shown, row) in [
                ("hidden", "hidden", "Member centre is hidden"),
                ("shown", "here", "Member centre is shown again"),
            ] {
                try await becomes(state)
                try await driven.expect(badge, .string(shown))
                try await driven.expect("\(Site.row(row))?.classList.contains('life')")
            }
            try await inspected.closePage()
            try await driven.expect(badge, "gone")
            try await driven.expect("document.querySelectorAll('.pages .open-page.gone').length", 1)
            try await driven.expect(
                "document.querySelector('#panel-pages .rest > summary').textContent", "1 page closed")
            #expect(
                try await driven.evaluate("document.querySelector('#panel-pages .none').checkVisibility()")
                    == true)
            try await driven.expect("\(Site.row("Member centre left"))?.classList.contains('life')")
        }
    }

    /// Whether a browser keeps a page for Back is its own affair; the panel shows what it did.
    @Test(arguments: Browser.tried) func thePanelShowsWhetherALeftPageIsKeptForTheBackButton(
        _ browser: Browser
    )
        async throws
    {
        try await Site.inspect(browser, try InspectedSite(Self.replies)) { inspected in
            let driven = inspected.driven
            try await inspected.inPage("MyApp.pay()")
            try await driven.click("document.getElementById('tab-pages')")
            let badge = "document.querySelector('.open-page .badge')?.textContent"
            try await driven.expect(badge, "here")
            try await driven.press("l")
            try await inspected.inPage("(setTimeout(() => { location.href = '/?second'; }), 1)")
            try await driven.expect("['kept for the back button', 'gone'].includes(\(badge))")
            guard try await driven.evaluate(badge) == "kept for the back button" else { return }
            try await driven.expect("\(Site.row("is kept for the back button"))?.classList.contains('life')")
            try await inspected.inPage("(setTimeout(() => { history.back(); }), 1)")
            try await driven.expect(badge, "here")
            try await driven.expect("\(Site.row("Member centre is back"))?.classList.contains('life')")
        }
    }

    @Test(arguments: Browser.tried) func callsAreGroupedByPageLoad(_ browser: Browser) async throws {
        try await Site.inspect(browser, try InspectedSite(Self.replies)) { inspected in
            let driven = inspected.driven
            try await inspected.inPage("MyApp.pay({ channel: 'card' })")
            try await inspected.reloadPage()
            try await inspected.inPage("MyApp.pay({ channel: 'chat' })")
            let order = """
                [...document.querySelectorAll('.row.came, .row.call')].map(row => row.matches('.came')
                    ? 'came ' + row.querySelector('.what').textContent : 'call ' + row.querySelector('.name').textContent)
                """
            try await driven.expect(
                order, ["came Member centre /", "call pay", "came Member centre /", "call pay"])
            // It looks like what separates, and not like one more call.
            #expect(
                try await driven.evaluate(
                    """
                    (() => {
                        const line = selector => {
                            const { backgroundColor, boxShadow } = getComputedStyle(document.querySelector(selector));
                            return backgroundColor + boxShadow;
                        };
                        return line('.row.came') !== line('.row.call:not([aria-selected=true])');
                    })()
                    """) == true)
        }
    }
}
