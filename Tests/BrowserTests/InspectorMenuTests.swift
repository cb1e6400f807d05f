import Drawbridge
import Foundation
import TestSupport
import Testing

/// What the inspector's menu takes along and writes down, in real browsers.
@Suite("The menu of the inspector in browsers", .serialized, .timeLimit(.minutes(5)))
struct InspectorMenuTests {
    private typealias Site = InspectedBrowser

    /// A handler whose answers are others each time.
    private struct Draw: JSONHandler {
        struct Input: Decodable, Sendable { var from: Int }

        func handle(_ input: Input) async throws -> [String: Int] {
            ["from": input.from, "drawn": Int.random(in: 0..<1_000_000)]
        }
    }

    /// What the page asks, and what it is answered.
    private static let visit = """
        (async () => {
            const heard = [];
            for (const from of [1, 2, 1, 1]) heard.push(await call('draw', { from }));
            heard.push(await MyApp.pay({ channel: 'card' }));
            return heard;
        })()
        """

    /// A session by hand becomes a file of mocks, and that answers without the handler that made it.
    @Test(arguments: Browser.tried) func recordedCallsCanBeDownloadedAsMocksThatAnswerTheSame(
        _ browser: Browser
    )
        async throws
    {
        let site = try InspectedSite(#"{"replies": {"pay": {"code": 0}}}"#)
        try site.gateway.register(Draw.self, at: "/draw")
        let (heard, mocks) = try await Site.inspect(browser, site) { inspected in
            let driven = inspected.driven
            let heard = try await inspected.inPage(Self.visit)
            #expect(heard[0]?["data"]?["drawn"] != heard[2]?["data"]?["drawn"])
            try await driven.click(Site.button("More"))
            try await driven.click(Site.button("Download as mocks", in: ".menu"))
            return (heard, try await driven.download("drawbridge.json"))
        }
        let again = try await Site.inspect(browser, try InspectedSite(mocks)) { inspected in
            try await inspected.inPage(Self.visit)
        }
        #expect(again == heard, "\(mocks)")
    }

    @Test(arguments: Browser.tried) func unansweredCallsAreWrittenIntoTheFile(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        try folder.write("index.html", InspectedSite.page)
        try folder.write(
            "drawbridge.json", "{\n    \"replies\": {\n        \"pay\": {\"code\": 0}\n    }\n}\n")
        try await Site.inspect(browser, folder) { driven, inPage in
            _ = try await inPage(
                """
                (async () => {
                    await call('getVip', { level: 3 });
                    await call('vibrate', { ms: 30, password: 'hush' });
                    await call('getVip', { level: 4 });
                    return call('pay');
                })()
                """)
            let words = "document.getElementById('stopped').textContent"
            for (names, says) in [
                (
                    "In the list: getVip, vibrate.",
                    "has 2 names more: getVip, vibrate. Replace each {} with what your app answers."
                ), ("what pages looked for but did not find?", "There are no new names."),
            ] {
                try await driven.click(Site.button("More"))
                try await driven.click(Site.button("Add what nobody answered …", in: ".menu"))
                try await driven.expect(
                    "document.getElementById('confirm-words')?.textContent.endsWith(\(JSON.string(names)))"
                )
                try await driven.click(Site.button("Add", in: "#confirm"))
                try await driven.expect("\(words).includes(\(JSON.string(says)))")
                #expect(
                    try folder.read("drawbridge.json") == """
                        {
                            "replies": {
                                "pay": {"code": 0},
                                // called with {"level":3}, {"level":4}
                                "getVip": {},
                                // called with {"ms":30,"password":"[removed]"}
                                "vibrate": {}
                            }
                        }

                        """)
            }
            #expect(try await inPage("call('getVip')")["data"] == [:])
        }
    }
}
