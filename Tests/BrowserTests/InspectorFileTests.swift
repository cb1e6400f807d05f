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
        let site = try await ServedFolder(folder.path)
        let line = try await site.program.line(with: "http://i-")
        let link = try String(#require(line.firstMatch(of: /http:\/\/i-\S+/)).output)
        try await DrivenBrowser.drive(browser) { driven in
            try await driven.open("\(site.address)/")
            let page = try await driven.window()
            let inspector = try await driven.openWindow(link)
            try await driven.expect("document.getElementById('connection').textContent", "live")
            func call() async throws -> JSON {
                try await driven.go(to: page)
                let answer = try await driven.evaluate("call('getVip', { level: 3 })")
                try await driven.go(to: inspector)
                return answer
            }
            #expect(try await call()["code"] == 400)
            try await driven.expect("document.querySelector('.row.nobody') !== null")
            try await driven.press("k")
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("document.activeElement.matches('.card.nobody textarea')")
            try await driven.type(#"{"nick": "Ann"}"#)
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect(
                "document.querySelector('.answer-editor .status').textContent.startsWith('Saved in drawbridge.json, line 4.')"
            )
            #expect(
                try folder.read("drawbridge.json")
                    == written.replacing(
                        #"        "pay""#, with: "        \"getVip\": {\"nick\": \"Ann\"},\n        \"pay\""))
            #expect(try await call()["data"] == ["nick": "Ann"])
            try await driven.expect("document.querySelectorAll('.row.call.answered').length", 1)
        }
        #expect(await site.program.stop() == 0)
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
        let site = try await ServedFolder(folder.path, "--scenario", "signed-in")
        let line = try await site.program.line(with: "http://i-")
        let link = try String(#require(line.firstMatch(of: /http:\/\/i-\S+/)).output)
        try await DrivenBrowser.drive(browser) { driven in
            try await driven.open("\(site.address)/")
            let page = try await driven.window()
            let inspector = try await driven.openWindow(link)
            try await driven.expect("document.getElementById('connection').textContent", "live")
            /// Calls, and opens the editor of the answer.
            func answers(_ name: String, _ input: String) async throws {
                try await driven.go(to: page)
                _ = try await driven.evaluate("call('\(name)', \(input)).then(() => 1)")
                try await driven.go(to: inspector)
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
                "document.querySelector('.answer-editor').textContent.includes('in drawbridge.json, line 3')")
            try await driven.press(DrivenBrowser.Key.enter)
            try await driven.expect("\(status).startsWith('It is written so already.')")
            #expect(try folder.read("drawbridge.json") == written)

            try await answers("user", "null")
            try await driven.expect("\(text)", #"{"nick": "Ann"}"#)
            try await driven.expect(
                "document.querySelector('.answer-editor').textContent.includes('comes before what is saved')")
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
        #expect(await site.program.stop() == 0)
    }
}
