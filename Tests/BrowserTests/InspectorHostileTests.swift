import Drawbridge
import Foundation
import TestSupport
import Testing

/// Texts of pages that try to become more than text, in the inspector in real browsers.
@Suite("Hostile texts in the inspector in browsers", .serialized, .timeLimit(.minutes(5)))
struct InspectorHostileTests {
    private typealias Site = InspectedBrowser

    /// Each is a name, a title, an input, an error, and a question.
    private static let texts: [JSON] = [
        #"<img src=x onerror="top.hacked=1">"#,
        "</script><script>top.hacked=1</script>",
        "</bdi></div><svg onload=top.hacked=1>",
        "javascript:top.hacked=1//https://example.com/",
        #"" onmouseover="top.hacked=1" style="position:fixed;inset:0" x=""#,
        "{{constructor.constructor('top.hacked=1')()}}${top.hacked=1}",
        "__proto__", "constructor", "hasOwnProperty",
        "pay\u{202E}gnp.exe\u{2066}\u{2069}\u{200B}\u{FEFF}",
        "\u{1B}[31mred\u{7}\u{0}\u{85}\r\nevent: gone\ndata: 1\n\n",
        .string(String(repeating: "wide", count: 500)),
        .string(String(repeating: "e\u{301}\u{302}\u{303}\u{304}", count: 60)),
    ]

    private static let replies = """
        {
            "replies": {"ask": {
                "$ask": "{{input.text}}",
                "$choices": {"<img src=x onerror=top.hacked=1>": 1, "javascript:top.hacked=1": 2}
            }},
            "scenarios": {"<img src=x onerror=top.hacked=1>/</b>": {}, "__proto__": {}},
            "events": {"<img src=x onerror=top.hacked=1>": []}
        }
        """

    /// What the page of the gateway does with these texts, and with some that no text of JSON may hold.
    private static let deeds = """
        (async () => {
            const texts = \(JSON.array(texts));
            const big = '<b>'.repeat(350_000);
            for (const text of [...texts, 'half \\ud800 of one', big]) {
                document.title = text.slice(0, 10_000);
                const name = text.slice(0, 300);
                // Some of these names nobody can have, and some never come up again.
                try { MyApp[name]({ text, [name]: [text] }).catch(() => 0); } catch { }
                try { await call(encodeURIComponent(name), { text }); } catch { }
                fail(text);
            }
            // A browser has six connections, on which these wait.
            for (const text of texts.slice(0, 4)) call('ask', { text });
            const deep = JSON.parse('['.repeat(300) + ']'.repeat(300));
            await call('deep', { deep, many: Array.from({ length: 5000 }, (_, i) => ({ i })) });
            await call('long', 'y'.repeat(1 << 20));
            return 1;
        })()
        """

    /// Sees scripts that run where they should not, and what the policy has to hold back.
    private static let watch = """
        (window.violations = [], addEventListener('securitypolicyviolation', event => {
            violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
        }), 1)
        """

    /// What is wider than its place, and what leads to anything but a page.
    private static let faults = """
        [document.documentElement, document.body, ...document.querySelectorAll(
            '#app, header, main, #calls, #side, #side > :not([hidden]), #questions, #tools, .card, .facts, .question')]
            .filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1)
            .map(e => `${e.id || e.className || e.tagName} ${e.scrollWidth} > ${e.clientWidth}`)
            .concat([...document.querySelectorAll('body :is([href], [src], [action])')]
                .map(e => e.href ?? e.src ?? e.action).filter(url => !/^https?:/.test(url)))
        """

    @Test(arguments: Browser.tried) func textFromPagesIsShownAsTextAndStaysInItsElement(_ browser: Browser)
        async throws
    {
        let site = try InspectedSite(Self.replies)
        try await Site.inspect(browser, site) { inspected in
            let driven = inspected.driven
            try await driven.evaluate(Self.watch)
            try await inspected.inPage(Self.deeds)
            try await driven.expect("\(Site.row("long")) !== undefined")
            #expect(site.gateway.journal.calls().count >= Self.texts.count + 6)
            #expect(try await driven.evaluate("document.querySelectorAll('.question').length") == 4)
            for width in [1280, 390] {
                try await driven.resize(width, 800)
                try await Self.lookAtAll(driven, width)
            }
            #expect(
                try await driven.evaluate("[typeof hacked, Object.prototype.hacked ?? 0]") == [
                    "undefined", 0,
                ])
            #expect(try await driven.evaluate("violations") == [])
            // What is not seen is written out.
            #expect(try await driven.evaluate("document.body.textContent.includes('\\u202e')") == false)
        }
    }

    /// Opens each record and each panel.
    private static func lookAtAll(_ driven: DrivenBrowser, _ width: Int) async throws {
        try await driven.evaluate("(document.getElementById('tab-calls').click(), 1)")
        let count =
            try await driven.evaluate(
                "(document.body.classList.remove('open'), Number(document.querySelector('.row').getAttribute('aria-setsize')))"
            ).numberValue?.intValue ?? 0
        #expect(count > 3 * texts.count)
        try await driven.evaluate("(document.getElementById('list').focus(), 1)")
        try await driven.press(DrivenBrowser.Key.home)
        for place in 0..<count {
            // Names of these rows would be long to type, and the list scrolls by itself.
            try await driven.press(DrivenBrowser.Key.enter)
            let seen = try await driven.evaluate(
                "new Promise(done => requestAnimationFrame(() => setTimeout(() => done(\(faults)))))")
            #expect(seen == [], "at \(width), record \(place)")
            try await driven.press(DrivenBrowser.Key.escape)
            try await driven.press("j")
        }
        for panel in ["pages", "scenarios", "catalogue"] {
            try await driven.evaluate("(document.getElementById('tab-\(panel)').click(), 1)")
            let seen = try await driven.evaluate(
                "new Promise(done => setTimeout(() => done(\(faults)), 300))")
            #expect(seen == [], "at \(width), \(panel)")
        }
    }
}
