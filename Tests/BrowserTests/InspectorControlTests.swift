import Drawbridge
import Foundation
import TestSupport
import Testing

/// What a person does in the inspector apart from answering calls, in real browsers.
@Suite("Controls of the inspector in browsers", .serialized, .timeLimit(.minutes(5)))
struct InspectorControlTests {
    private typealias Site = InspectedBrowser

    private static let replies = """
        {
            "replies": {
                "getUser": "nobody",
                "delete": {"$ask": "Delete {{input.name}}?", "$choices": {"delete": true, "keep": false}}
            },
            "scenarios": {"user/in": {"getUser": "Ann"}, "user/out": {"getUser": "out"}, "offline": {"*": 0}},
            "events": {"greet": [{"emit": "greeting", "data": "you"}]}
        }
        """

    // MARK: Questions

    @Test(arguments: Browser.tried) func theButtonsOfAQuestionWorkOnlyAfterAMoment(_ browser: Browser)
        async throws
    {
        try await Site.inspect(browser, try InspectedSite(Self.replies)) { inspected in
            let driven = inspected.driven
            // Whoever clicks at what was there a moment ago decides nothing: when it comes the button takes no click.
            try await driven.evaluate(
                """
                (new MutationObserver(() => {
                    const button = document.querySelector('.question button');
                    if (!button || window.early) return;
                    window.early = { isOff: button.disabled, at: performance.now() };
                    button.click();
                    new MutationObserver(() => { window.late ??= performance.now() - early.at; })
                        .observe(button, { attributeFilter: ['disabled'] });
                }).observe(document.getElementById('questions'), { childList: true, subtree: true }), 1)
                """)
            try await inspected.inPage("(window.said = call('delete', { name: 'Low tide' }), 1)")
            try await driven.expect(
                "document.querySelector('.question blockquote')?.textContent", "Delete Low tide?")
            let asks =
                try await driven.evaluate("document.querySelector('.question .asks').textContent")
                .stringValue ?? ""
            #expect(asks.contains("/") && asks.contains("delete") && !asks.contains("Low tide"), "\(asks)")
            try await driven.expect("document.querySelector('.question button').disabled", false)
            #expect(try await driven.evaluate("early.isOff") == true)
            // A timer counts in whole milliseconds, of which it may lose one.
            #expect(try await driven.evaluate("late >= 498") == true)
            #expect(inspected.site.gateway.journal.calls().first?.state == .waiting)
            try await driven.expect("document.title", "1 to answer · Drawbridge")
            try await driven.expect("\(Site.row("delete"))?.textContent.includes('waits')")

            try await driven.click(Site.button("delete", in: ".question"))
            try await driven.expect("document.getElementById('questions').hidden")
            #expect(try await inspected.inPage("said")["data"] == true)
            try await driven.click(Site.row("delete"))
            try await driven.expect(
                "document.querySelector('.facts').textContent.includes('delete was chosen (inspector)')")
        }
    }

    @Test(arguments: Browser.tried) func aQuestionThatWasAnsweredElsewhereDisappears(_ browser: Browser)
        async throws
    {
        let site = try InspectedSite(Self.replies)
        try await Site.inspect(browser, site) { inspected in
            let driven = inspected.driven
            try await inspected.inPage("(window.said = call('delete', { name: 'Low tide' }), 1)")
            try await driven.expect("document.querySelectorAll('.question').length", 1)
            let question = try await site.ask("GET", "questions")[0]
            let number = try #require(question?["number"])
            try await site.ask("POST", "questions/\(number)", #"{"choice": "keep"}"#)
            try await driven.expect("document.querySelectorAll('.question').length", 0)
            try await driven.expect("document.title", "Drawbridge")
            #expect(try await inspected.inPage("said")["data"] == false)
        }
    }

    // MARK: Panels

    @Test(arguments: Browser.tried) func resetUndoesSwitchedScenariosAndPlayedEvents(
        _ browser: Browser
    ) async throws {
        let site = try InspectedSite(Self.replies)
        try await Site.inspect(browser, site) { inspected in
            let driven = inspected.driven
            #expect(try await inspected.inPage("MyApp.getUser()") == "nobody")
            try await driven.click("document.getElementById('tab-scenarios')")
            let on =
                "[...document.querySelectorAll('.switch[aria-checked=true]')].map(b => b.textContent).join()"
            try await driven.expect("document.querySelectorAll('.switch').length", 3)
            for (name, said) in [("in", "Ann"), ("out", "out")] {
                try await driven.click(Site.button(name, in: "#panel-scenarios"))
                // Of a group one is on at a time.
                try await driven.expect(on, .string(name))
                #expect(try await inspected.inPage("MyApp.getUser()") == .string(said))
            }
            // By keys.
            try await driven.press(" ")
            try await driven.expect(on, "")
            #expect(try await inspected.inPage("MyApp.getUser()") == "nobody")

            try await driven.click(Site.button("greet", in: "#panel-scenarios"))
            try await inspected.untilPage(hears: #"heard "you""#)

            // What a test sets is shown, and reset takes it back here too.
            try await site.ask("PUT", "replies?name=getUser", #""Eve""#)
            try await driven.click(Site.button("offline", in: "#panel-scenarios"))
            try await driven.expect(on, "offline")
            try await driven.expect(
                "document.getElementById('panel-scenarios').textContent.includes('\"Eve')")
            try await site.ask("POST", "reset")
            try await driven.expect(on, "")
            try await driven.expect(
                "document.getElementById('panel-scenarios').textContent.includes('\"Eve')", false)
        }
    }

    /// A frame that came last is not meant, and no page of another session can be picked.
    @Test(arguments: Browser.tried) func anEventGoesToAPageOfTheSession(_ browser: Browser) async throws {
        try await Site.inspect(browser, try InspectedSite(Self.replies)) { inspected in
            let driven = inspected.driven
            func addFrame(_ source: String) async throws {
                try await inspected.inPage(
                    """
                    new Promise(done => {
                        const frame = document.createElement('iframe');
                        frame.src = '\(source)';
                        frame.onload = () => done(frame.contentWindow.MyApp.getUser());
                        document.body.append(frame);
                    })
                    """)
            }
            try await driven.click("document.getElementById('tab-scenarios')")
            try await inspected.inPage("MyApp.getUser()")
            try await addFrame("/?frame")
            let picked = "document.querySelectorAll('#panel-scenarios option').length"
            try await driven.expect(picked, 3)
            try await driven.click(Site.button("greet", in: "#panel-scenarios"))
            try await inspected.untilPage(hears: #"heard "you""#)
            #expect(
                try await inspected.inPage("frames[0].document.getElementById('heard').textContent")
                    == "nothing")
            try await addFrame("/__drawbridge__/session/ann?to=/")
            try await driven.expect("document.querySelectorAll('#panel-pages .open-page').length", 3)
            try await driven.expect(picked, 3)
        }
    }

    @Test(arguments: Browser.tried) func theInspectorCallsAPageAndSendsItAnEvent(_ browser: Browser)
        async throws
    {
        try await Site.inspect(browser, try InspectedSite(Self.replies)) { inspected in
            let driven = inspected.driven
            try await inspected.inPage("MyApp.getUser()")
            try await driven.press("2")
            try await driven.expect(
                "document.querySelector('.open-page h3')?.textContent.startsWith('Member centre')")
            let card = "document.querySelector('.open-page')"
            try await driven.click("\(card).querySelector('summary')")
            try await driven.click("\(card).querySelector('.deed input')")
            try await driven.type("share")
            try await driven.press(DrivenBrowser.Key.tab)
            try await driven.type(#"{"a": [1]}"#)
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("\(card).querySelector('.status.good') !== null")
            try await driven.expect("\(card).textContent.includes('shared')")

            try await driven.click("[...document.querySelectorAll('.deeds > details > summary')][1]")
            try await driven.click("[...document.querySelectorAll('.deed')][1].querySelector('input')")
            try await driven.type("greeting")
            try await driven.click(Site.button("Emit"))
            try await driven.expect(
                "[...document.querySelectorAll('.deed')][1].querySelector('.status.good') !== null")
            try await inspected.untilPage(hears: "heard null")
            try await driven.press(DrivenBrowser.Key.escape)
            try await driven.expect("\(Site.row("share"))?.classList.contains('push')")

            // One that goes is shown as gone.
            try await inspected.inPage("(setTimeout(() => { location = '/elsewhere'; }), 1)")
            try await driven.expect(
                "[...document.querySelectorAll('.open-page .badge')].some(badge => badge.textContent === 'here')",
                false)
        }
    }

    // MARK: The list

    @Test(arguments: Browser.tried) func theFilterIsKeptInTheURL(_ browser: Browser) async throws {
        let site = try InspectedSite(Self.replies)
        try await Site.inspect(browser, site, query: "?filter=by%3Anobody") { inspected in
            let driven = inspected.driven
            try await inspected.inPage(
                "Promise.all([MyApp.getUser(), call('getVip', { level: 3 }), call('other')])")
            try await driven.expect("document.querySelectorAll('.row').length", 2)
            #expect(try await driven.evaluate("location.search") == "?filter=by%3Anobody")
            try await driven.press("/")
            try await driven.expect("document.activeElement.id", "filter")
            // What was there is chosen, so typing replaces it; and keys of the list are letters here.
            try await driven.type("name:get* -level")
            try await driven.expect("document.querySelectorAll('.row').length", 1)
            try await driven.expect("document.querySelector('.row').textContent.includes('getUser')")
            try await driven.expect("new URLSearchParams(location.search).get('filter')", "name:get* -level")
            try await driven.expect("document.getElementById('found').textContent.startsWith('1 record of ')")
            try await driven.reload()
            try await driven.expect("document.querySelectorAll('.row').length", 1)
            #expect(
                try await driven.evaluate("document.getElementById('filter').value") == "name:get* -level")

            // What passed is behind its toggle, and in the address too.
            try await driven.press("/")
            try await driven.type(" ")
            try await driven.press(DrivenBrowser.Key.escape)
            try await driven.press("p")
            try await driven.expect("\(Site.row("GET")) !== undefined")
            try await driven.expect("new URLSearchParams(location.search).get('passed')", "shown")

            // What every page lives through is behind another, off at first, and its own address.
            let life = "document.querySelectorAll('.row.life').length"
            try await inspected.reloadPage()
            #expect(try await driven.evaluate(life) == 0)
            try await driven.press("l")
            try await driven.expect("\(life) > 0")
            try await driven.reload()
            try await driven.expect("\(life) > 0")
            try await driven.press("l")
            try await driven.expect(life, 0)
            try await driven.press("/")
            try await driven.type("kind:page")
            try await driven.expect("\(life) > 0")
        }
    }

    @Test(arguments: Browser.tried) func aFilterWithAnUnknownWordSaysWhichThereAre(_ browser: Browser)
        async throws
    {
        try await Site.inspect(browser, try InspectedSite(Self.replies)) { inspected in
            let driven = inspected.driven
            try await inspected.inPage("call('getUser', { orderNo: 17 })")
            try await driven.expect("document.querySelectorAll('.row.call').length", 1)
            for (words, said) in [
                ("nmae:pay", "Nothing matches: the filter has no key nmae:, only name: state: kind:"),
                ("-x state:eror", "Nothing matches: state cannot be eror, only waiting, answered, error,"),
                ("name:pay", "Nothing matches the filter."), ("orderNo:17", "1 record of "),
            ] {
                try await driven.press("/")
                try await driven.type(words)
                try await driven.expect(
                    "document.getElementById('found').textContent.startsWith(\(JSON.string(said)))")
                try await driven.press(DrivenBrowser.Key.escape)
            }
        }
    }

    @Test(arguments: Browser.tried) func eachFilterWordSelectsWhatTheHelpSheetSays(_ browser: Browser)
        async throws
    {
        let site = try InspectedSite(Self.replies)
        try await Site.inspect(browser, site) { inspected in
            let driven = inspected.driven
            try await inspected.inPage(
                "(async () => { await MyApp.getUser({ n: 1, m: 'x' }); await call('getVip', { n: 2, m: [1, 2] }); fail('red'); })()"
            )
            try await driven.expect("\(Site.row("red")) !== undefined")
            // As a program does it, without a page.
            _ = try await site.ask("POST", "calls?session=ann", #"{"name": "other"}"#)
            for (words, shown) in [
                ("name:getUser", "getUser"), ("name:get*", "getUser getVip"),
                ("state:error -page", "getVip other"), ("by:nobody", "getVip other"), ("by:mock", "getUser"),
                ("code:200", "getUser"), ("page:/ kind:call", "getUser getVip"),
                ("page:member name:get -user", "getVip"), ("session:ann", "other"),
                ("bridge:shortcut", "getUser"), ("n:2", "getVip"), (#""{n: 2, m: [1, 2]}""#, "getVip"),
                (#"m: "x""#, "getUser"),
            ] {
                try await driven.evaluate(
                    """
                    (filter => {
                        filter.value = \(JSON.string(words));
                        filter.dispatchEvent(new Event('input'));
                        return 1;
                    })(document.getElementById('filter'))
                    """)
                let names =
                    "[...document.querySelectorAll('.row .name')].map(name => name.textContent).join(' ')"
                try await driven.expect("\(JSON.string(words)) && \(names)", .string(shown))
            }
        }
    }

    @Test(arguments: Browser.tried) func theListFollowsNewCallsUntilTheReaderScrollsUp(_ browser: Browser)
        async throws
    {
        try await Site.inspect(browser, try InspectedSite(Self.replies)) { inspected in
            let driven = inspected.driven
            let isAtEnd = """
                (row => row?.ariaPosInSet === row?.ariaSetSize && row?.getBoundingClientRect().bottom < innerHeight + 2
                    && Number(row?.ariaSetSize))(document.querySelector('.row:last-child'))
                """
            try await inspected.inPage(
                "(async () => { for (let n = 0; n < 60; n += 1) await call('getUser', { n }); })()")
            try await driven.expect(isAtEnd, 60)
            // What takes room above while the list learns that it was scrolled, which it does by itself.
            try await driven.evaluate(
                """
                (list => {
                    document.getElementById('tools').style.height = '200px';
                    list.getBoundingClientRect();
                    list.dispatchEvent(new Event('scroll'));
                    return 1;
                })(document.getElementById('list'))
                """)
            try await driven.expect(isAtEnd, 60)
            // A question takes room above the list.
            try await inspected.inPage("(call('delete', { name: 'Low tide' }), call('getUser', { n: 60 }))")
            try await driven.expect("document.querySelectorAll('.question').length", 1)
            try await driven.expect(isAtEnd, 62)

            try await driven.evaluate("(document.getElementById('list').scrollTop = 0, 1)")
            try await driven.expect("document.querySelector('.row').ariaPosInSet", "1")
            try await inspected.inPage("call('getUser', { n: 61 })")
            try await driven.expect("document.getElementById('newer').textContent", "1 new")
            #expect(try await driven.evaluate("document.getElementById('list').scrollTop") == 0)
            try await driven.click("document.getElementById('newer')")
            try await driven.expect(isAtEnd, 63)
            try await driven.expect("document.getElementById('newer').hidden")
        }
    }

    @Test(arguments: Browser.tried) func theClearedListShowsNewCalls(_ browser: Browser) async throws {
        let site = try InspectedSite(Self.replies)
        try await Site.inspect(browser, site) { inspected in
            let driven = inspected.driven
            try await inspected.inPage("MyApp.getUser()")
            try await driven.expect("\(Site.row("getUser")) !== undefined")
            try await driven.click(Site.button("More"))
            try await driven.click(Site.button("Clear the list", in: ".menu"))
            try await driven.expect("document.querySelectorAll('.row').length", 0)
            try await driven.expect("document.getElementById('empty').hidden", false)
            #expect(site.gateway.journal.calls().isEmpty)
            try await inspected.inPage("MyApp.getUser()")
            try await driven.expect("document.querySelectorAll('.row').length", 1)
        }
    }
}
