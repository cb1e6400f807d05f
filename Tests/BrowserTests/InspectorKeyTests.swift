import Drawbridge
import Foundation
import TestSupport
import Testing

/// The inspector by keys alone, and as those meet it who see little or nothing, in real browsers.
@Suite("Keys of the inspector in browsers", .serialized, .timeLimit(.minutes(5))) struct InspectorKeyTests {
    private typealias Site = InspectedBrowser
    private typealias Key = DrivenBrowser.Key

    private static let replies = """
        {
            "replies": {
                "pay": {"code": 0}, "delete": {"$ask": "Sure?", "$choices": {"delete": 1, "keep": 0}}
            },
            "scenarios": {"user/in": {}, "offline": {}},
            "events": {"greet": [{"emit": "greeting"}]}
        }
        """

    @Test(arguments: Browser.tried) func everyKeyDoesWhatTheHelpSheetSays(_ browser: Browser)
        async throws
    {
        try await Site.inspect(browser, try InspectedSite(Self.replies)) { inspected in
            let driven = inspected.driven
            try await inspected.inPage(
                "(async () => { for (const n of [1, 2, 3]) await call('pay', { n }); await call('getVip'); })()"
            )
            try await driven.expect("document.querySelectorAll('.row.call').length", 4)
            let chosen = "document.querySelector('.row[aria-selected=true]')?.textContent"
            func chooses(_ text: String, by key: String) async throws {
                try await driven.press(key)
                try await driven.expect("\(chosen).includes(\(JSON.string(text)))")
            }
            try await chooses("getVip", by: "k")
            try await chooses("n: 3", by: "k")
            try await chooses("n: 2", by: "\u{E013}")
            try await chooses("n: 3", by: "j")
            try await chooses("getVip", by: "\u{E015}")
            try await chooses("getVip", by: "j")
            try await driven.press(Key.home)
            try await driven.expect(
                "document.querySelector('.row[aria-posinset=\"1\"]').ariaSelected", "true")
            try await chooses("getVip", by: Key.end)
            // A screen reader says which row it is.
            let list = "document.getElementById('list')"
            try await driven.expect(
                "document.activeElement === \(list) || document.activeElement === document.body")
            try await driven.expect(
                "document.getElementById(\(list).getAttribute('aria-activedescendant')).textContent.includes('getVip')"
            )
            #expect(try await driven.evaluate("\(list).getAttribute('role')") == "listbox")

            try await driven.press("k")
            for (key, focus) in [
                ("e", "document.activeElement.matches('.answer-editor textarea')"),
                ("r", "document.activeElement.labels?.[0]?.textContent === 'Input to send again'"),
                ("/", "document.activeElement.id === 'filter'"),
                ("?", "document.querySelector('dialog[open]')?.contains(document.activeElement)"),
            ] {
                try await driven.press(key)
                try await driven.expect(focus)
                // While somebody types, keys are letters.
                if ["e", "r", "/"].contains(key) {
                    try await driven.press("j")
                    try await driven.expect("document.activeElement.value.includes('j')")
                }
                try await driven.press(Key.escape)
                try await driven.expect("document.querySelector('dialog[open]')", .null)
                try await driven.evaluate("(document.getElementById('filter').value = '', 1)")
                try await driven.evaluate("(document.getElementById('list').focus(), 1)")
            }
            for (key, says) in [("c", "a curl line"), ("t", "a line that verifies it")] {
                try await driven.press(key)
                try await driven.expect(
                    "document.querySelector('.head .status').textContent", .string("Copied as \(says)."))
            }
            for (key, panel) in [("2", "pages"), ("3", "scenarios"), ("4", "catalogue"), ("1", "calls")] {
                try await driven.press(key)
                try await driven.expect("document.getElementById('panel-\(panel)').checkVisibility()")
            }
        }
    }

    /// What has the focus must be seen and have a name.
    private static let focused = """
        (() => {
            const e = document.activeElement;
            const style = getComputedStyle(e);
            const frame = getComputedStyle(document.getElementById('calls'), '::after');
            const isSeen = parseFloat(style.outlineWidth) >= 2 && style.outlineStyle !== 'none' && e.checkVisibility()
                || e.id === 'list' && parseFloat(frame.borderTopWidth) >= 2;
            const name = e.getAttribute('aria-label') || [...e.labels ?? []].map(l => l.textContent).join('')
                || (e.matches('input, select, textarea') ? '' : e.textContent);
            // A box is ticked by its label.
            const { width, height } = (e.type === 'checkbox' ? e.labels[0] : e).getBoundingClientRect();
            return [`${e.tagName} ${e.id} ${name}`.slice(0, 60), e === document.body, isSeen, name.trim() !== '',
                width >= 10 && height >= 13, e.innerHTML.slice(0, 100)];
        })()
        """

    @Test(arguments: Browser.tried) func tabReachesEveryControlVisiblyAndByName(_ browser: Browser)
        async throws
    {
        try await Site.inspect(browser, try InspectedSite(Self.replies)) { inspected in
            let driven = inspected.driven
            try await inspected.inPage("(MyApp.pay({ n: 1 }), call('delete'), call('getVip'))")
            try await driven.expect(
                "document.querySelectorAll('.question .actions button:not(:disabled)').length", 2)
            try await driven.expect("\(Site.row("getVip"))?.classList.contains('nobody')")
            for (view, key) in [("calls", "1"), ("pages", "2"), ("scenarios", "3"), ("catalogue", "4")] {
                try await driven.evaluate("(document.getElementById('list').focus(), 1)")
                try await driven.press(Key.end)
                try await driven.press(key)
                try await driven.evaluate(
                    "(document.querySelectorAll('#panel-\(view) details').forEach(d => { d.open = true; }), 1)"
                )
                try await Self.tab(driven, view)
            }
        }
    }

    /// Goes through all that Tab reaches, from the first to the last, and sees that nothing is left out.
    private static func tab(_ driven: DrivenBrowser, _ view: String) async throws {
        let all = """
            [...document.querySelectorAll(
                'button, input, select, textarea, summary, a[href], [tabindex="0"]')]
                .filter(e => e.checkVisibility() && e.tabIndex >= 0 && !e.disabled)
            """
        try await driven.evaluate("(window.missed = new Set(\(all)), \(all)[0].focus(), 1)")
        #expect(try await driven.evaluate("missed.size").numberValue?.intValue ?? 0 >= 7)
        // Some browsers reach boxes that scroll, too.
        for _ in 0..<60 {
            let control = try await driven.evaluate("(missed.delete(document.activeElement), \(focused))")
            #expect(control[1] == false, "\(driven.browser.rawValue), \(view): Tab has left the page")
            #expect(
                control[2] == true && control[3] == true && control[4] == true,
                "\(driven.browser.rawValue), \(view): \(control)")
            // After the last control come the browser's own.
            if try await driven.evaluate("missed.size") == 0 { break }
            try await driven.press(Key.tab)
        }
        #expect(try await driven.evaluate("[...missed].map(e => e.outerHTML)") == [], "\(view)")
    }
}
