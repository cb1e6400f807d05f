import Drawbridge
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// Questions that native shows over the page whose call asks, in real browsers, answered by real clicks and keys.
@Suite("Questions over the page", .serialized, .timeLimit(.minutes(5))) struct AskingPageTests {
    private static let ok: JSON = ["result": "ok"]
    private static let cancel: JSON = ["result": "cancel"]

    private static let colour = #"""
        colour={"$ask": "Which?", "$choices": {"red": 1, "green": 2, "blue": 3, "black": 4, "white": 5}}
        """#

    /// The command that serves the pages, with the handlers that ask.
    private static func serve(_ arguments: String...) async throws -> ServedFolder {
        try await ServedFolder(AskingKind.pages, more: ["--built-ins", "--reply", colour] + arguments)
    }

    // MARK: Shown and answered

    @Test(arguments: Browser.tried)
    func whatNativeAsksIsShownOverThePageAndAClickAnswersTheCall(_ browser: Browser) async throws {
        let site = try await Self.serve("--ask", "page")
        try await DrivenBrowser.drive(browser) { driven in
            // It has no channel until it is asked.
            try await driven.open("\(site.address)/")
            try await driven.click(id: "ask")
            try await driven.expect("\(DrivenBrowser.asked("dialog p"))?.textContent", "Delete Order 7?")
            try await driven.answer("ok")
            try await driven.expect("said", [Self.ok])
            try await driven.expectNothingAsked()

            try await driven.open("\(site.address)/ways.html")
            let ways: [(way: String, text: String?, choice: String, said: JSON)] = [
                ("fetch", nil, "ok", Self.ok), ("host", nil, "cancel", Self.cancel),
                ("bridge", nil, "ok", Self.ok), ("login", "Ann", "ok", "Ann"),
                ("login", "Ann", "cancel", 401), ("sheet", nil, "black", 4),
            ]
            for (place, (way, text, choice, said)) in ways.enumerated() {
                try await driven.click(id: way)
                if let text {
                    try await driven.click(DrivenBrowser.asked("input"))
                    try await driven.type(text)
                }
                try await driven.answer(choice)
                try await driven.expect("said[\(place)]", said)
                try await driven.expectNothingAsked()
            }
            // A notice goes by itself, and holds up nobody.
            try await driven.click(id: "toast")
            try await driven.expect("\(DrivenBrowser.asked("output"))?.textContent", "Saved")
            try await driven.expect("said.length", .number(.init(ways.count + 1)))
            try await driven.expectNothingAsked()
        }
        #expect(await site.program.stop() == 0)
    }

    @Test(arguments: Browser.tried)
    func aQuestionIsShownOverPagesOfEveryKindAndTheyGoOnAfterwards(_ browser: Browser) async throws {
        let server = try AskingKind.serve()
        try await DrivenBrowser.drive(browser) { driven in
            for kind in AskingKind.allCases {
                try await driven.open("\(server.address)/\(kind.rawValue)/")
                let page = kind == .frame ? "frames[0]" : "window"
                let text: JSON = kind == .chinese ? "Delete 订单?" : "Delete Order 7?"
                var isAsked = kind == .back
                if isAsked { isAsked = try await Self.leaveAndReturn(driven, server) }
                for (place, choice) in ["ok", "cancel"].enumerated() {
                    if kind == .frame {
                        try await driven.evaluate("void frames[0].ask()")
                    } else if !isAsked {
                        try await driven.click(id: "ask")
                    }
                    isAsked = false
                    try await driven.expect("\(DrivenBrowser.asked("dialog p"))?.textContent", text)
                    try await driven.answer(choice)
                    try await driven.expect("\(page).said[\(place)]", ["result": .string(choice)])
                    try await driven.expectNothingAsked()
                }
            }
        }
        await server.stop()
    }

    /// Leaves the page while it asks, and comes back.
    ///
    /// - Returns: whether the browser has kept it with its request, and so the question.
    private static func leaveAndReturn(_ driven: DrivenBrowser, _ server: GatewayServer) async throws -> Bool
    {
        try await driven.click(id: "ask")
        try await driven.expect("\(DrivenBrowser.asked("dialog"))?.matches(':modal')", true)
        try await driven.evaluate("window.isSame = true")
        try await driven.open("\(server.address)/ways.html")
        try await driven.expectNothingAsked()
        try await driven.evaluate("void setTimeout(() => history.back(), 10)")
        try await driven.expect("[location.pathname, document.readyState]", ["/back/", "complete"])
        let isKept = try await driven.evaluate("window.isSame === true") == true
        guard isKept, driven.browser != .webKit else {
            // WebKit keeps the page, and ends its requests.
            try await driven.expectNothingAsked()
            try await driven.evaluate("void said.splice(0)")
            return false
        }
        return true
    }

    /// With `--ask auto`, as it is without the option.
    @Test(.enabled(if: Browser.chromium.isTried))
    func thePageOfAPersonIsAskedWithoutAnyOption() async throws {
        let site = try await Self.serve()
        try await DrivenBrowser.drive(.chromium, isPerson: true) { driven in
            try await driven.open("\(site.address)/")
            #expect(try await driven.evaluate("navigator.webdriver") == false)
            try await driven.click(id: "ask")
            try await driven.answer("ok")
            try await driven.expect("said", [Self.ok])
        }
        #expect(await site.program.stop() == 0)
    }

    // MARK: The page beneath

    @Test(arguments: Browser.tried)
    func thePageBeneathHearsAndSeesNothingOfTheQuestion(_ browser: Browser) async throws {
        let server = try AskingKind.serve()
        let seen = """
            [document.body.children.length, document.querySelectorAll('body *').length, window.length,
             document.querySelectorAll('iframe').length]
            """
        try await DrivenBrowser.drive(browser) { driven in
            try await driven.open("\(server.address)/plain/")
            // Its own channel, so that its scripts are there.
            try await driven.click(id: "ask")
            try await driven.answer("ok")
            try await driven.expect("said.length", 1)
            try await driven.evaluate(
                """
                void (() => {
                    window.heard = [];
                    const types = ('message click dblclick auxclick mousedown mouseup pointerdown pointerup keydown keyup '
                        + 'keypress input change focus blur focusin focusout submit close cancel toggle').split(' ');
                    for (const type of types) {
                        addEventListener(type, () => heard.push('window ' + type), true);
                        document.addEventListener(type, () => heard.push('document ' + type));
                        document.body.addEventListener(type, () => heard.push('body ' + type));
                    }
                })()
                """)
            let ways: [(String, @Sendable (DrivenBrowser) async throws -> Void)] = [
                ("ok", { try await $0.answer("ok") }),
                ("ok", { try await $0.press(DrivenBrowser.Key.enter) }),
                (
                    "cancel",
                    {
                        try await $0.press(DrivenBrowser.Key.escape)
                        try await $0.press(DrivenBrowser.Key.tab)
                        try await $0.press(DrivenBrowser.Key.enter)
                    }
                ),
                (
                    "ok",
                    {
                        // Round its ends, and back.
                        for _ in 1...4 { try await $0.press(DrivenBrowser.Key.tab) }
                        try await $0.press(DrivenBrowser.Key.shift, DrivenBrowser.Key.tab)
                        try await $0.press(DrivenBrowser.Key.tab)
                        try await $0.press(DrivenBrowser.Key.enter)
                    }
                ),
            ]
            for (place, (choice, way)) in ways.enumerated() {
                let before = try await driven.evaluate(seen)
                try await driven.click(id: "ask")
                try await driven.expect("\(DrivenBrowser.asked("button:enabled"))?.matches(':focus')", true)
                try await driven.evaluate("void (heard.length = 0)")
                let during = try await driven.evaluate(seen)
                #expect(during == before && during[2] == 0 && during[3] == 0)
                try await way(driven)
                try await driven.expect("said[\(place + 1)]", ["result": .string(choice)])
                try await driven.expectNothingAsked()
                let after = try await driven.evaluate("[heard, document.activeElement.id]")
                #expect(after == [[], "ask"], "\(browser.rawValue), way \(place)")
            }
        }
        await server.stop()
    }

    // MARK: Withdrawn

    /// The questions that wait, as a program sees them.
    private static func waiting(_ site: ServedFolder, _ count: Int, _ more: String = "") async throws
        -> [JSON]
    {
        var found: [JSON] = []
        let isRight = try await eventually {
            found = try await site.ask("GET", "questions\(more)").arrayValue ?? []
            return found.count == count
        }
        #expect(isRight, "\(found.count) questions wait, and not \(count)\n\(site.program.output)")
        return found
    }

    private static func answer(
        _ question: JSON, _ choice: String, _ site: ServedFolder, _ more: String = ""
    ) async throws {
        let number = try #require(question["number"]?.numberValue?.intValue)
        try await site.ask("POST", "questions/\(number)\(more)", #"{"choice": "\#(choice)"}"#)
    }

    @Test(arguments: Browser.tried)
    func aQuestionGoesWithItsAnswerFromElsewhereWithItsPageAndWithTheGateway(_ browser: Browser) async throws
    {
        let port = try freePort()
        let site = try await Self.serve("--ask", "page", "-p", "\(port)")
        let isShown = "\(DrivenBrowser.asked("dialog"))?.matches(':modal')"
        try await DrivenBrowser.drive(browser) { driven in
            // A program answers it.
            try await driven.open("\(site.address)/")
            try await driven.click(id: "ask")
            try await driven.expect(isShown, true)
            for question in try await Self.waiting(site, 1) { try await Self.answer(question, "ok", site) }
            try await driven.expectNothingAsked()
            try await driven.expect("said", [Self.ok])
            // Its page is loaded again, and closed.
            let first = try await driven.window()
            try await driven.openWindow("\(site.address)/")
            for leave in [{ try await driven.reload() }, { try await driven.closeWindow() }] {
                try await driven.click(id: "ask")
                try await driven.expect(isShown, true)
                try await leave()
                _ = try await Self.waiting(site, 0)
            }
            try await driven.go(to: first)
            // As many as a page may ask at once, by requests and by its channel: the newest is in front.
            try await driven.open("\(site.address)/")
            if browser != .chromium {
                // There a WebSocket is one of the six connections, so this page has its channel before.
                try await driven.click(id: "ask")
                try await driven.answer("ok")
                try await driven.expect("said.length", 1)
                try await driven.evaluate("void said.splice(0)")
            }
            try await driven.evaluate("void Array.from({ length: 20 }, (_, n) => ask('&n=' + n))")
            for place in 0..<20 {
                try await driven.answer(place % 2 == 0 ? "ok" : "cancel")
                try await driven.expect("said.length", .number(.init(place + 1)))
            }
            try await driven.expectNothingAsked()
            try await driven.expect("said.filter(({ result }) => result === 'ok').length", 10)
            try await driven.open("\(site.address)/ways.html")
            try await driven.evaluate(
                """
                void withBridge(bridge => Array.from({ length: 20 }, () => (
                    bridge.callHandler('alert', {}, ({ result }) => said.push(result)))))
                """)
            try await driven.expect(
                "document.querySelector('drawbridge-app')?.shadowRoot.querySelectorAll('dialog').length", 20)
            for place in 0..<20 {
                try await driven.answer("ok")
                try await driven.expect("said.length", .number(.init(place + 1)))
            }
            try await driven.expectNothingAsked()
            // The gateway goes without a word, and comes again.
            try await driven.open("\(site.address)/")
            try await driven.click(id: "ask")
            try await driven.expect(isShown, true)
            kill(site.program.child.processIdentifier, SIGKILL)
            _ = await site.program.child.exitCode()
            let again = try await Self.serve("--ask", "page", "-p", "\(port)")
            try await driven.expectNothingAsked()
            try await driven.expect("said", ["failed"])
            try await driven.click(id: "ask")
            try await driven.answer("ok")
            try await driven.expect("said", ["failed", Self.ok])
            #expect(await again.program.stop() == 0)
        }
    }

    // MARK: Not shown

    /// A program is asked, as before, and the log says why the page is not.
    @Test(arguments: Browser.tried)
    func whatMayNotBeShownIsAskedElsewhereAndTheLogSaysWhy(_ browser: Browser) async throws {
        let site = try await Self.serve("--ask", "page")
        try await DrivenBrowser.drive(browser) { driven in
            try await driven.open("\(site.address)/ways.html")
            let reasons = [
                ("openURL", "openURL is not asked over the page: openURL may act outside of the page"),
                ("makeACall", "makeACall may act outside of the page"),
                ("sync", "it waits in a synchronous call"),
            ]
            for (place, (way, reason)) in reasons.enumerated() {
                _ = try await Self.waiting(site, 0)
                try await driven.evaluate(
                    "void setTimeout(() => document.getElementById('\(way)').click(), 10)")
                for question in try await Self.waiting(site, 1) {
                    try await Self.answer(question, "cancel", site)
                }
                try await driven.expect("said[\(place)]", Self.cancel)
                _ = try await site.program.line(with: reason)
            }
            // A frame in a sandbox may not call at all.
            try await driven.click(id: "sandbox")
            try await driven.expect("said[\(reasons.count)]", "refused")
            #expect(try await driven.evaluate("drawn") == 0)
        }
        #expect(await site.program.stop() == 0)
    }

    /// No test waits for a click that nobody makes.
    @Test(arguments: Browser.tried)
    func aDrivenPageWhoseTestDoesNotWantItIsCancelledAtOnce(_ browser: Browser) async throws {
        try await DrivenBrowser.drive(browser) { driven in
            for (arguments, path, reason) in [
                ([], "/ways.html", "its browser is driven by a program; --ask page"),
                (["--ask", "off"], "/ways.html", "--ask off"),
                ([], "/__drawbridge__/session/ann?to=/ways.html", "; --ask page"),
            ] {
                let site = try await ServedFolder(AskingKind.pages, more: ["--built-ins"] + arguments)
                try await driven.open(site.address + path)
                for (place, way) in ["fetch", "bridge", "host"].enumerated() {
                    try await driven.click(id: way)
                    try await driven.expect("said[\(place)]", Self.cancel)
                }
                #expect(try await driven.evaluate("drawn") == 0)
                _ = try await site.program.line(with: "alert is not asked over the page: ")
                _ = try await site.program.line(with: reason)
                try await driven.open("about:blank")
                #expect(await site.program.stop() == 0)
            }
        }
    }

    // MARK: Side by side

    private static let side = """
        <!doctype html><title>A test</title><link rel="icon" href="data:,">
        <script>
        const who = new URLSearchParams(location.search).get('who');
        const said = [];
        const ask = n => fetch('/choose?_mobile_bridge=1', {
            method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ who, n }),
        }).then(answer => answer.json()).then(({ data }) => said.push(data));
        </script>
        """

    @Test(.enabled(if: Browser.chromium.isTried))
    func questionsOfSessionsSideBySideNeverMix() async throws {
        let (sides, rounds) = Browser.isThorough ? (16, 10) : (6, 4)
        let folder = try Folder()
        try folder.write("index.html", Self.side)
        let choices = ["click", "program"].map {
            #""\#($0)": {"$reply": "{{input.who}} {{input.n}} \#($0)"}"#
        }
        let reply =
            #"choose={"$ask": "{{input.who}} {{input.n}}", "$choices": {\#(choices.joined(separator: ", "))}}"#
        let site = try await ServedFolder(folder.path, "--ask", "page", "--reply", reply)
        try await ContextBrowser.drive { browser in
            var pages: [(who: String, page: ContextBrowser.Page)] = []
            for number in 1...sides {
                let who = "test-\(number)"
                let to = "\(site.address)/__drawbridge__/session/\(who)?to=/%3Fwho%3D\(who)"
                pages.append((who, try await browser.open(to)))
            }
            for (who, page) in pages { try await browser.expect("who", .string(who), in: page) }
            for round in 0..<rounds {
                for (_, page) in pages { try await browser.evaluate("void ask(\(round))", in: page) }
                for (place, (who, page)) in pages.enumerated() {
                    let text = "\(DrivenBrowser.asked("dialog p"))?.textContent"
                    try await browser.expect(text, .string("\(who) \(round)"), in: page)
                    if (place + round).isMultiple(of: 2) {
                        try await browser.click(
                            DrivenBrowser.asked("button:enabled[value=click]"), in: page)
                    } else {
                        let found = try await Self.waiting(site, 1, "?session=\(who)")
                        for question in found {
                            try await Self.answer(question, "program", site, "?session=\(who)")
                        }
                    }
                }
            }
            for (place, (who, page)) in pages.enumerated() {
                let right = (0..<rounds).map { round in
                    "\(who) \(round) \((place + round).isMultiple(of: 2) ? "click" : "program")"
                }
                try await browser.expect("said", .array(right.map(JSON.string)), in: page)
                try await browser.expect("document.querySelector('drawbridge-app') === null", true, in: page)
            }
        }
        #expect(await site.program.stop() == 0)
    }
}
