import Drawbridge
import Foundation
import TestSupport
import Testing

/// What the inspector looks like on a desktop and on a phone, in light and dark, in real browsers.
///
/// The pictures are in `.build/screenshots`.
@Suite("The look of the inspector in browsers", .serialized, .timeLimit(.minutes(5)))
struct InspectorLookTests {
    private typealias Site = InspectedBrowser

    private static let replies = """
        {
            "replies": {
                "pay": {"$cases": [
                    {"$when": {"channel": "chat"}, "$reply": {"code": 6001}}, {"code": 0, "data": {"orderNo": "PP-17"}}
                ]},
                "share": {"$error": {"code": 1001, "message": "The app is not ready; try again."}},
                "delete": {"$ask": "Delete this picture?", "$choices": {"delete": 1, "keep": 0}}
            },
            "scenarios": {"user/in": {}, "user/out": {}, "offline": {}},
            "events": {"greet": [{"emit": "greeting"}]}
        }
        """

    @Test(arguments: Browser.tried, [false, true]) func theInspectorFitsEveryScreenAndIsReadable(
        _ browser: Browser, isDark: Bool
    ) async throws {
        try await Site.inspect(browser, try InspectedSite(Self.replies), isDark: isDark) { inspected in
            let driven = inspected.driven
            #expect(
                try await driven.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
                    == .bool(isDark))
            try await inspected.inPage(
                """
                (async () => {
                    fail('red');
                    await call('pay', { channel: 'card', price: 12800, title: 'Low tide', no: null, yes: true });
                    await call('share', { title: 'Low tide' });
                    await call('getVip', { level: 3 });
                    call('delete');
                    return 1;
                })()
                """)
            try await driven.expect(
                "document.querySelectorAll('.question .actions button:not(:disabled)').length", 2)
            for (screen, width, height) in [("desktop", 1280, 800), ("phone", 390, 844)] {
                try await driven.resize(width, height)
                let place = "\(browser.rawValue)-\(isDark ? "dark" : "light")-\(screen)"
                for row in ["pay", "share", "getVip", "red", "Member centre"] {
                    // On a phone the details lie over the list.
                    try await driven.press(DrivenBrowser.Key.escape)
                    try await driven.expect("\(Site.row(row)) !== undefined")
                    if row == "pay" { try await Self.look(at: driven, "list", place) }
                    try await driven.click(Site.row(row))
                    try await Self.look(at: driven, row, place)
                }
                for panel in ["pages", "scenarios", "catalogue"] {
                    try await driven.click("document.getElementById('tab-\(panel)')")
                    try await driven.expect("document.getElementById('panel-\(panel)').checkVisibility()")
                    try await Self.look(at: driven, panel, place)
                }
            }
        }
    }

    /// Keeps a picture, and sees that all texts can be read, nothing is wider than the screen, and a thumb hits.
    private static func look(at driven: DrivenBrowser, _ view: String, _ place: String) async throws {
        let name = "inspector-\(place)-\(view.replacing(" ", with: "-")).png"
        try await driven.screenshot(to: Evidence.folder.appending(path: name))
        #expect(try await driven.paleTexts() == [], "\(name)")
        let wide = """
            [...document.querySelectorAll('html, body, header, #list, #side, #questions, .card')]
                .filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map(e => e.id || e.className)
            """
        #expect(try await driven.evaluate(wide) == [], "\(name)")
        // WCAG 2.2, 2.5.8.
        let low = """
            [...document.querySelectorAll('button, summary, select, input:not([type=checkbox])')]
                .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 24).map(e => e.outerHTML)
            """
        if place.hasSuffix("phone") { #expect(try await driven.evaluate(low) == [], "\(name)") }
    }
}
