import Drawbridge
import Foundation
import TestSupport
import Testing

/// What a file gives to pages in real browsers, and whose session they are in.
@Suite("Sessions of pages in browsers", .serialized, .timeLimit(.minutes(5))) struct SessionPageTests {
    /// Writes a folder with a page that says what it finds, and the file of its app.
    private static func folder() throws -> Folder {
        let folder = try Folder()
        try folder.write(
            "index.html",
            """
            <!doctype html><title>A page</title><p id="globals"></p><p id="user"></p><p id="heard">nothing</p>
            <script>
            document.getElementById("globals").textContent = JSON.stringify([appInfo, typeof location.reload]);
            addEventListener("drawbridge:greeting", event => {
                document.getElementById("heard").textContent = "heard " + event.detail;
            });
            if (location.search !== "?mute") {
                MyApp.getUser().then(user => { document.getElementById("user").textContent = user.nick; });
            }
            </script>
            """)
        try folder.write(
            "drawbridge.json",
            """
            {
                "shortcuts": "MyApp",
                "replies": {"getUser": {"nick": "nobody"}},
                "scenarios": {"in": {"getUser": {"nick": "Ann"}}},
                "globals": {"appInfo": {"version": "3.2"}, "location": 1},
                "cookies": {"sid": "s1"},
                "events": {"$load": [{"emit": "greeting", "data": "you"}]}
            }
            """)
        return folder
    }

    private static func put(_ site: ServedFolder, _ target: String, _ body: String) async throws {
        let text = try await curl(
            "-X", "PUT", "-H", site.token, "-d", body, "\(site.address)/__drawbridge__/\(target)")
        #expect(try JSON(parsing: Array(text.utf8))["code"] == 200, "\(text)")
    }

    @Test(arguments: Browser.tried) func aPageStaysInTheSessionOfItsLinkOverReloads(_ browser: Browser)
        async throws
    {
        let folder = try Self.folder()
        let site = try await ServedFolder(folder.path)
        try await Self.put(site, "scenario?session=ann", #"{"scenario": "in"}"#)
        try await browser.open("\(site.address)/__drawbridge__/session/ann?to=/") {
            let page = try await site.page()
            try await site.expect("user", begins: "Ann", in: page)
            try await Self.put(site, "replies?name=getUser&session=ann", #"{"nick": "Eve"}"#)
            try await Self.put(site, "replies?name=getUser&session=bob", #"{"nick": "Bob"}"#)
            try await site.evaluate("setTimeout(() => location.reload(), 10), 1", in: page)
            let again = try await site.page(after: page)
            try await site.expect("user", begins: "Eve", in: again)
            // A request of the page's own, and one that blocks it.
            let own = try await site.evaluate(
                "fetch('/getUser?_mobile_bridge=1').then(answer => answer.json())", in: again)
            #expect(own["data"] == ["nick": "Eve"])
            try await site.evaluate(
                "setTimeout(() => { location = '/__drawbridge__/session/default?to=/'; }, 10), 1", in: again)
            let usual = try await site.page(after: again)
            try await site.expect("user", begins: "nobody", in: usual)
        }
        #expect(await site.program.stop() == 0)
    }

    @Test(arguments: Browser.tried) func aPageFindsTheGlobalsAndCookiesOfItsApp(_ browser: Browser)
        async throws
    {
        let folder = try Self.folder()
        let site = try await ServedFolder(folder.path)
        // It uses no bridge, and is greeted all the same.
        try await browser.open("\(site.address)/?mute") {
            let page = try await site.page()
            try await site.expect("heard", begins: "heard you", in: page)
            try await site.expect("globals", begins: #"[{"version":"3.2"},"function"]"#, in: page)
            #expect(try await site.evaluate("document.cookie", in: page) == "sid=s1")
        }
        #expect(await site.program.stop() == 0)
    }
}
