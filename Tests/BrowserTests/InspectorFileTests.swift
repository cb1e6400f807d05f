import Drawbridge
import Foundation
import TestSupport
import Testing

/// What is saved from the inspector of the command, in real browsers.
@Suite("Saving from the inspector in browsers", .serialized, .timeLimit(.minutes(5)))
struct InspectorFileTests {
    /// From "nothing happens" to "answered, saved, live", without a restart.
    @Test(arguments: Browser.tried) func whatIsTypedBesideARedCallIsSavedAndLive(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        try folder.write("index.html", InspectedSite.page)
        let written = """
            {
                // What the app answers.
                "replies": {
                    "pay": {"code": 0}
                }
            }

            """
        try folder.write("drawbridge.json", written)
        try await InspectedBrowser.inspect(browser, folder) { driven, inPage in
            let call = "call('getVip', { level: 3 })"
            #expect(try await inPage(call)["code"] == 400)
            try await driven.expect("document.querySelector('.row.nobody') !== null")
            try await driven.press("k")
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("document.activeElement.matches('.card.nobody textarea')")
            try await driven.type(#"{"nick": "Ann"}"#)
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect(
                "document.querySelector('.answer-editor .status').textContent.includes('/drawbridge.json, line 4.')"
            )
            #expect(
                try folder.read("drawbridge.json")
                    == written.replacing(
                        #"        "pay""#, with: "        \"getVip\": {\"nick\": \"Ann\"},\n        \"pay\""))
            #expect(try await inPage(call)["data"] == ["nick": "Ann"])
            try await driven.expect("document.querySelectorAll('.row.call.answered').length", 1)
            // What is left to do is red, and this is done.
            try await driven.expect("document.querySelectorAll('.row.nobody.past').length", 1)
        }
    }

    /// The same by the mouse, in a file that has no reply yet, with a page that calls as it loads.
    @Test(arguments: Browser.tried) func whatIsClickedIsSavedAndThePageLoadsIt(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        try folder.write(
            "index.html",
            InspectedSite.page
                + "<script>MyApp.pay(); window.told = call('getVip').then(answer => answer.data ?? answer.code);</script>"
        )
        try folder.write("drawbridge.json", "{}\n")
        let options = ["--shortcuts", "MyApp", "--reply", "pay=0"]
        try await InspectedBrowser.inspect(browser, folder, options) { driven, inPage in
            try await driven.expect("document.getElementById('tab-pages').textContent", "Pages 1")
            #expect(try await inPage("told") == 400)
            try await driven.click("document.querySelector('.row.nobody')")
            try await driven.click("document.querySelector('.card.nobody textarea')")
            try await driven.type(#"{"nick": "Ann"}"#)
            try await driven.click(InspectedBrowser.button("Save in drawbridge.json"))
            try await driven.click(InspectedBrowser.button("Reload the page"))
            try await driven.expect("\(InspectedBrowser.row("getVip")).classList.contains('answered')")
            #expect(try await inPage("told") == ["nick": "Ann"])
            let replies = try JSON(parsing: Array(folder.read("drawbridge.json").utf8))
            #expect(replies == ["replies": ["getVip": ["nick": "Ann"]]])
        }
    }

    /// What is saved counts, whatever was set for a while before; what is typed by halves is there again.
    @Test(arguments: Browser.tried) func aSaveTakesThePlaceOfWhatWasSetAndNoTypingIsLost(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        try folder.write("index.html", InspectedSite.page)
        try folder.write("drawbridge.json", "{\"replies\": {\"pay\": 0}}\n")
        try await InspectedBrowser.inspect(browser, folder) { driven, inPage in
            #expect(try await inPage("call('pay')")["data"] == 0)
            #expect(try await inPage("call('getVip')")["code"] == 400)
            try await driven.expect("document.querySelector('.row.nobody') !== null")
            let status = "document.querySelector('.answer-editor .status').textContent"
            let text = "document.querySelector('.answer-editor textarea')?.value"

            try await driven.press("n")
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("document.activeElement.matches('.card.nobody textarea')")
            try await driven.type(#"{"nick": "#)
            try await driven.click(InspectedBrowser.row("pay"))
            try await driven.press("e")
            try await driven.expect(text, "0")
            try await driven.press(DrivenBrowser.Key.control, "a")
            try await driven.type("1")
            try await driven.click(InspectedBrowser.button("Until Drawbridge stops"))
            try await driven.expect("\(status).includes('Until Drawbridge stops')")
            #expect(try await inPage("call('pay')")["data"] == 1)
            try await driven.click("document.querySelector('.answer-editor textarea')")
            try await driven.press(DrivenBrowser.Key.control, "a")
            try await driven.type("2")
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("\(status).startsWith('Saved in ')")
            #expect(try await inPage("call('pay')")["data"] == 2)
            #expect(try folder.read("drawbridge.json") == "{\"replies\": {\"pay\": 2}}\n")

            try await driven.click(InspectedBrowser.row("getVip"))
            try await driven.expect(text, #"{"nick": "#)
            try await driven.click("document.querySelector('.answer-editor textarea')")
            try await driven.press(DrivenBrowser.Key.end)
            try await driven.type(#""Ann"}"#)
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("\(status).startsWith('Saved in ')")
            #expect(try await inPage("call('getVip')")["data"] == ["nick": "Ann"])
        }
    }

    /// What stands in the file is more than what one call has shown of it: cases, templates, other scenarios.
    @Test(arguments: Browser.tried) func aReplyIsShownAsItIsWrittenAndSavedInItsPlaceAlone(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        try folder.write("index.html", InspectedSite.page)
        let written = """
            {
                "replies": {
                    "pay": {
                        "$cases": [
                            {"$when": {"level": 3}, "$reply": {"code": 0, "orderNo": "{{input.orderNo}}"}},
                            {"code": 6001}
                        ]
                    },
                    "user": {"nick": "nobody"}
                },
                "scenarios": {"signed-in": {"user": {"nick": "Ann"}}}
            }

            """
        try folder.write("drawbridge.json", written)
        let large = "{\"text\": \"\(String(repeating: "x", count: 70_000))\"}"
        try await InspectedBrowser.inspect(browser, folder, ["--scenario", "signed-in"]) { driven, inPage in
            /// Calls, and opens the editor of the answer.
            func answers(_ name: String, _ input: String) async throws {
                _ = try await inPage("call('\(name)', \(input)).then(() => 1)")
                try await driven.expect(
                    "[...document.querySelectorAll('.row .name')].at(-1)?.textContent ?? null", .string(name))
                try await driven.evaluate("(document.getElementById('list').focus(), 1)")
                try await driven.press(DrivenBrowser.Key.end)
                try await driven.press("e")
                try await driven.expect("document.activeElement.matches('.answer-editor textarea')")
            }
            let text = "document.querySelector('.answer-editor textarea').value"
            let status = "document.querySelector('.answer-editor .status').textContent"

            try await answers("pay", "{ level: 3, orderNo: 7 }")
            try await driven.expect("\(text).includes('$cases') && \(text).includes('{{input.orderNo}}')")
            try await driven.expect(
                "document.querySelector('.answer-editor').textContent.includes('/drawbridge.json, line 3')")
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("\(status).startsWith('It is written so already.')")
            #expect(try folder.read("drawbridge.json") == written)

            try await answers("user", "null")
            try await driven.expect("\(text)", #"{"nick": "Ann"}"#)
            try await driven.expect(
                "document.querySelector('.answer-editor').textContent.includes('and comes before what is saved')"
            )
            try await driven.type(#"{"nick": "Carl"}"#)
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("\(status).includes('user (signed-in) still comes before it')")
            #expect(
                try folder.read("drawbridge.json")
                    == written.replacing(#"{"nick": "nobody"}"#, with: #"{"nick": "Carl"}"#))

            // Of what is long a part is kept, which is no answer and no input.
            try await answers("echo", large)
            try await driven.expect("\(text)", "")
            try await driven.press(DrivenBrowser.Key.escape)
            try await driven.press("r")
            try await driven.expect("document.activeElement.labels?.[0]?.textContent", "Input to send again")
            try await driven.expect("document.activeElement.value", "")
        }
    }
}
