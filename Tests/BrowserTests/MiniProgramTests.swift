import Drawbridge
import Foundation
import TestSupport
import Testing

/// The page of `examples/miniprogram` in real browsers: a file answers each name, whichever way the page calls it.
@Suite("The mini program", .serialized, .timeLimit(.minutes(5))) struct MiniProgramTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../examples/miniprogram").standardizedFileURL.path()

    @Test(arguments: Browser.tried)
    func aFileAnswersEachNameOfAMiniProgram(_ browser: Browser) async throws {
        let site = try await ServedFolder(
            Self.folder, "--choose", "showModal=ok", "--choose", "scanCode=table 7")
        try await DrivenBrowser.drive(browser) { driven in
            try await driven.open("\(site.address)/")
            let refused: Set = [
                "chooseImage", "getLocation", "getUserProfile", "makePhoneCall", "requestPayment",
                "showActionSheet",
            ]
            // Where nobody can be asked, the last choice is taken.
            let wx = try await driven.answers(by: "wx")
            #expect(wx.count == 34)
            let failed = Set(wx.filter { $0.kind == "bad" }.map(\.name))
            #expect(failed == refused.union(["getBrandWCPayRequest"]))
            let sent = Dictionary(uniqueKeysWithValues: wx.map { ($0.name, $0.text) })
            #expect(sent["showModal"] == #"{"confirm":true,"cancel":false}"#)
            #expect(sent["scanCode"]?.hasPrefix(#"{"result":"https://coffee.example/table/7""#) == true)
            #expect(sent["showToast"] == "{}")
            #expect(sent["getLocation"] == "getLocation:fail auth deny")

            let invoked = try await driven.answers(by: "invoke")
            #expect(invoked.map(\.name).sorted() == wx.map(\.name).sorted())
            for (name, kind, text) in invoked {
                let outcome = kind == "good" ? "ok" : refused.contains(name) ? "fail" : "cancel"
                #expect(text.contains(#""err_msg":"\#(name):\#(outcome)""#), "\(text)")
            }

            for (width, height) in [(1280, 800), (390, 844)] {
                try await driven.resize(width, height)
                try await driven.screenshot(
                    to: Evidence.folder.appending(path: "miniprogram-\(browser.rawValue)-\(width).png"))
                let isWithin = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
                #expect(try await driven.evaluate(isWithin) == true, "\(width)")
                #expect(try await driven.lowTargets() == [])
                #expect(try await driven.paleTexts() == [])
            }
        }
        #expect(!site.program.output.contains("warning"), "\(site.program.output)")
        #expect(await site.program.stop() == 0)
    }

    /// It is what an app has, so it knows nothing of what answers here.
    @Test func noScriptOfTheMiniProgramMentionsDrawbridge() throws {
        for name in ["index.html", "calls.js"] {
            let text = try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
            #expect(!text.lowercased().contains("drawbridge"), "\(name)")
        }
    }
}

extension DrivenBrowser {
    /// Presses each button of the page, and waits until all answers are there.
    fileprivate func answers(
        by way: String
    ) async throws -> [(name: String, kind: String, text: String)] {
        try await evaluate(
            """
            (document.getElementById('log').replaceChildren(), document.querySelector('[value=\(way)]').click(),
                document.querySelectorAll('.group button').forEach(e => e.click()), 1)
            """)
        try await expect("document.querySelectorAll('.waiting').length", 0)
        let rows = try await evaluate(
            """
            [...document.querySelectorAll('#log li')]
                .map(e => [e.firstChild.textContent, e.lastChild.className, e.lastChild.textContent])
            """)
        return try rows.decode([[String]].self).map { ($0[0], $0[1], $0[2]) }
    }
}
