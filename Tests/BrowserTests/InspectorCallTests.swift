import Drawbridge
import Foundation
import TestSupport
import Testing

/// Calls in the inspector in real browsers: seen, answered, sent again, copied.
@Suite("Calls in the inspector in browsers", .serialized, .timeLimit(.minutes(5))) struct InspectorCallTests {
    private typealias Site = InspectedBrowser

    private static let replies = """
        {
            "replies": {"pay": {"$cases": [
                {"$when": {"channel": "chat"}, "$reply": {"code": 1}}, {"$reply": {"code": 0, "order": "R-1"}}
            ]}}
        }
        """

    @Test(arguments: Browser.tried) func theRowOfACallShowsItsInputItsAnswerAndWhatAnswered(
        _ browser: Browser
    )
        async throws
    {
        try await Site.inspect(browser, try InspectedSite(Self.replies)) { inspected in
            let driven = inspected.driven
            #expect(try await inspected.inPage("MyApp.pay({ channel: 'card', price: 12800 })")["code"] == 0)
            let row = Site.row("pay")
            try await driven.expect("\(row)?.classList.contains('answered')")
            let words = try await driven.evaluate("\(row).textContent").stringValue ?? ""
            for word in [#"channel: "card""#, "price: 12800", #"order: "R-1""#] {
                #expect(words.contains(word), "\(words)")
            }
            #expect(!words.contains("nobody"))

            try await driven.click(row)
            try await driven.expect("document.querySelector('.title h2').textContent", "pay")
            let detail =
                try await driven.evaluate("document.getElementById('panel-calls').innerText")
                .stringValue ?? ""
            for word in ["Member centre", "answered", "chat", "R-1", "12800"] {
                #expect(detail.contains(word), "no \(word) in \(detail)")
            }
        }
    }

    /// From a red row to an answer, with hands on the keys alone.
    @Test(arguments: Browser.tried) func anUnansweredCallIsMockedWithTheKeyboardAlone(_ browser: Browser)
        async throws
    {
        let site = try InspectedSite()
        try await Site.inspect(browser, site) { inspected in
            let driven = inspected.driven
            #expect(try await inspected.inPage("call('getVip', { level: 3 })")["code"] == 400)
            try await driven.expect("\(Site.row("getVip"))?.classList.contains('nobody')")
            try await driven.press("k")
            try await driven.expect(
                "document.querySelector('.row[aria-selected=true]')?.textContent.includes('getVip')")
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("document.activeElement.matches('.card.nobody textarea')")
            // While it is not JSON, it says so; Enter mends it, and takes it then.
            try await driven.type("{'nick': ")
            try await driven.expect(
                "document.querySelector('.said.wrong')?.textContent.includes('double quotes')")
            try await driven.type("'Ann'}")
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("document.activeElement.value", #"{"nick": "Ann"}"#)
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect(
                "document.querySelector('.answer-editor .status').textContent.includes('Until Drawbridge stops')"
            )
            #expect(
                try await site.ask("GET", "calls?name=getVip").description.contains("nobody"),
                "the journal says who answered then")
            // The next Enter calls again, and shows what came of it.
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("document.querySelector('.title .badge').textContent", "answered")
            let answer = try await inspected.inPage("call('getVip', { level: 3 })")
            #expect(answer["code"] == 200 && answer["data"] == ["nick": "Ann"], "\(answer)")
            try await driven.expect("document.querySelectorAll('.row.answered').length", 2)
        }
    }

    @Test(arguments: Browser.tried) func anUnansweredCallIsMockedWithTheMouse(_ browser: Browser)
        async throws
    {
        let site = try InspectedSite()
        try await Site.inspect(browser, site) { inspected in
            let driven = inspected.driven
            try await inspected.inPage("call('getVip', { level: 3 })")
            try await driven.expect("\(Site.row("getVip"))?.classList.contains('nobody')")
            try await driven.click(Site.row("getVip"))
            try await driven.expect("document.querySelector('.card.nobody textarea') !== null")
            try await driven.click("document.querySelector('.card.nobody textarea')")
            try await driven.type(#"{"nick": "Ann"}"#)
            // No file can be written here, so none is offered.
            #expect(
                try await driven.evaluate(
                    "[...document.querySelectorAll('.answer-editor .actions button')].map(b => b.textContent)"
                )
                    == ["Until Drawbridge stops", "Once", "3 s late", "Fail once", "Hold once"])
            try await driven.click(Site.button("Until Drawbridge stops"))
            try await driven.expect("document.querySelector('.answer-editor .status.good') !== null")
            #expect(try await inspected.inPage("call('getVip')")["data"] == ["nick": "Ann"])

            let replies: [(String, JSON)] = [
                // What was set until Drawbridge stops answers later calls.
                ("Once", ["$sequence": [["nick": "Ann"], ["nick": "Ann"]]]),
                ("3 s late", ["$delay": 3000, "$reply": ["nick": "Ann"]]),
            ]
            for (button, reply) in replies {
                try await driven.click(Site.button(button))
                try await driven.expect("document.querySelector('.answer-editor .status.good') !== null")
                #expect(try await site.ask("GET", "replies") == ["getVip": reply])
            }
            try await driven.click(Site.button("Fail once"))
            try await driven.expect(
                "document.querySelector('.answer-editor .status').textContent.includes('fails with code 500')"
            )
            let failed = try await inspected.inPage("call('getVip')")
            #expect(failed["code"] == 500 && failed["message"] == "The app failed.", "\(failed)")
            #expect(try await inspected.inPage("call('getVip')")["data"] == ["nick": "Ann"])
            // Again the same: it fails again.
            try await driven.click(Site.button("Fail once"))
            try await driven.expect(
                "document.querySelector('.answer-editor .status').textContent.includes('fails with code 500')"
            )
            #expect(try await inspected.inPage("call('getVip')")["code"] == 500)
            // What was typed is still there.
            try await driven.click(Site.button("Until Drawbridge stops"))
            try await driven.expect(
                "document.querySelector('.answer-editor .status').textContent.includes('Until Drawbridge stops')"
            )
            #expect(try await inspected.inPage("call('getVip')")["data"] == ["nick": "Ann"])
            try await driven.click(Site.button("Take back"))
            try await driven.expect(
                "document.querySelector('.answer-editor .status').textContent.includes('as before')")
            #expect(try await inspected.inPage("call('getVip')")["code"] == 400)
        }
    }

    @Test(arguments: Browser.tried) func aCallIsSentAgainWithAnotherInput(_ browser: Browser) async throws {
        try await Site.inspect(browser, try InspectedSite(Self.replies)) { inspected in
            let driven = inspected.driven
            try await inspected.inPage("call('pay', { channel: 'card' })")
            try await driven.expect("\(Site.row("pay"))?.classList.contains('answered')")
            try await driven.press("k")
            try await driven.press("r")
            try await driven.expect("document.activeElement.value", #"{"channel": "card"}"#)
            try await driven.press(DrivenBrowser.Key.control, "a")
            // A number that no number of JavaScript is goes out as it was typed.
            try await driven.type(#"{"channel": "chat", "id": 12345678901234567890}"#)
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("document.querySelectorAll('.row.call.answered').length", 2)
            let last = try #require(inspected.site.gateway.journal.calls(named: "pay").last)
            #expect(
                last.input == ["channel": "chat", "id": .number(.init(12_345_678_901_234_567_890 as UInt64))])
            #expect(last.output == ["code": 1])
            let first = try #require(inspected.site.gateway.journal.calls(named: "pay").first)
            try await driven.expect(
                "document.querySelector('.facts button').textContent", .string("call \(first.number)"))
        }
    }

    @Test(arguments: Browser.tried) func aCallIsCopiedAsCurl(_ browser: Browser) async throws {
        try await Site.inspect(browser, try InspectedSite(Self.replies)) { inspected in
            let driven = inspected.driven
            try await inspected.inPage(#"call('pay', { channel: 'card', word: "it's" })"#)
            try await driven.expect("\(Site.row("pay"))?.classList.contains('answered')")
            try await driven.press("k")
            try await driven.press("c")
            try await driven.expect(
                "document.querySelector('.head .status').textContent", "Copied as a curl line.")
            // What is pasted is what was copied.
            try await driven.press("/")
            try await driven.press(DrivenBrowser.Key.control, "v")
            try await driven.expect("document.getElementById('filter').value.startsWith('curl ')")
            let line = try await driven.evaluate("document.getElementById('filter').value").stringValue ?? ""
            let program = try Program("sh", ["-c", line])
            let answer = await program.wholeOutput()
            #expect(answer.contains(#""R-1""#), "\(line) says \(answer)")
        }
    }

    /// What the other buttons of the editor make of an answer, as the page receives it.
    @Test(arguments: Browser.tried) func anAnswerCanBeGivenOnceOrDelayed(_ browser: Browser) async throws {
        let site = try InspectedSite()
        try await Site.inspect(browser, site) { inspected in
            let driven = inspected.driven
            try await inspected.inPage("call('getVip')")
            try await driven.expect("\(Site.row("getVip"))?.classList.contains('nobody')")
            try await driven.click(Site.row("getVip"))
            try await driven.click("document.querySelector('.card.nobody textarea')")
            try await driven.type(#"{"nick": "Ann"}"#)
            let status = "document.querySelector('.answer-editor .status').textContent"

            try await driven.click(Site.button("Once"))
            try await driven.expect("\(status).includes('The next call of getVip gets this')")
            let twice = try await inspected.inPage(
                "call('getVip').then(async first => [first, await call('getVip')])")
            #expect(twice[0]?["data"] == ["nick": "Ann"] && twice[1]?["code"] == 400, "\(twice)")

            try await driven.click(Site.button("3 s late"))
            try await driven.expect("\(status).includes('after 3 seconds')")
            #expect(try await inspected.inPage("call('getVip')")["data"] == ["nick": "Ann"])
            // A call that is held gets what was given while it waited.
            try await driven.click(Site.button("Hold once"))
            try await driven.expect("\(status).includes('waits at the top')")
            try await inspected.inPage("(window.held = call('getVip')) && 0")
            try await driven.expect(
                "document.querySelector('#questions').textContent.includes('getVip is held')")
            try await driven.click(Site.button("Until Drawbridge stops"))
            try await driven.expect("\(status).includes('Until Drawbridge stops')")
            try await driven.expect("!\(Site.button("go on")).disabled")
            try await driven.expect("document.querySelector('#questions .primary').textContent", "go on")
            try await driven.click(Site.button("go on"))
            #expect(try await inspected.inPage("held")["data"] == ["nick": "Ann"])
            let calls = try await site.ask("GET", "calls?name=getVip")["calls"]?.arrayValue ?? []
            let took = calls.map { $0["milliseconds"]?.numberValue?.doubleValue ?? -1 }
            #expect(took.count == 5 && took[3] >= 3000 && took[..<3].allSatisfy { $0 < 3000 })
        }
    }

    @Test(arguments: Browser.tried) func aCallIsCopiedForAShellAndForATest(_ browser: Browser) async throws {
        let site = try InspectedSite(Self.replies)
        try await Site.inspect(browser, site) { inspected in
            let driven = inspected.driven
            try await inspected.inPage(#"call('pay', { channel: 'card', word: "it's" })"#)
            try await driven.expect("\(Site.row("pay"))?.classList.contains('answered')")
            try await driven.click(Site.row("pay"))
            let number = try #require(site.gateway.journal.calls(named: "pay").last).number
            let line = try await curl(
                "-H", "Authorization: Bearer \(site.gateway.testerToken.text)",
                "\(site.address)__drawbridge__/calls/\(number)/curl")
            #expect(line.contains("/pay"), "\(line)")
            for (button, wanted, words) in [
                ("Copy as curl", line, "a curl line"),
                (
                    "Copy as verify",
                    #"await native.verify("pay", undefined, { equals: { "channel": "card", "word": "it's" } });"#
                        + "\n", "a line that verifies it"
                ),
            ] {
                try await driven.click(Site.button(button))
                try await driven.expect(
                    "document.querySelector('.head .status').textContent", .string("Copied as \(words)."))
                // What is pasted is what was copied.
                try await driven.press("r")
                try await driven.expect(
                    "document.activeElement.labels?.[0]?.textContent", "Input to send again")
                try await driven.press(DrivenBrowser.Key.control, "a")
                try await driven.press(DrivenBrowser.Key.control, "v")
                try await driven.expect("document.activeElement.value", .string(wanted))
            }
        }
    }
}
