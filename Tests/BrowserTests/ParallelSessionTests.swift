import Drawbridge
import Foundation
import TestSupport
import Testing

/// Tests that run side by side, each in a session of its own, with a page in a context of the browser's.
@Suite(
    "Sessions side by side in browsers", .enabled(if: Browser.chromium.isTried), .serialized,
    .timeLimit(.minutes(5)))
struct ParallelSessionTests {
    /// A page that asks for its user at the very start, and again and again while it works; it counts what it asks for.
    private static let page = """
        <!doctype html><title>A user</title><link rel="icon" href="data:,"><p id="user"></p>
        <script>
        const who = new URLSearchParams(location.search).get('who');
        const heard = new Set();
        let made = Number(sessionStorage.made ?? 0);
        let isAtWork = false;
        let work;
        async function ask() {
            const input = { who, n: made };
            sessionStorage.made = made += 1;
            // By its channel, and by requests with its cookie.
            const user = input.n % 2 ? await MyApp.getUser(input)
                : (await (await fetch('/getUser?_mobile_bridge=1', {
                    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(input),
                })).json()).data;
            heard.add(user.nick);
            document.getElementById('user').textContent = user.nick;
        }
        const start = ask();
        function goToWork() {
            isAtWork = true;
            work = (async () => {
                while (isAtWork) {
                    await ask();
                    await new Promise(done => { setTimeout(done, 50); });
                }
            })();
        }
        async function rest() {
            isAtWork = false;
            await Promise.all([start, work]);
            return [made, [...heard]];
        }
        </script>
        """

    /// One of the tests that run side by side.
    private struct Side {
        let name: String
        let page: ContextBrowser.Page
        /// The user that its session is told now.
        var user: String
        /// How many calls its page had made, and where the journal ended, when it was looked at last.
        var made = 0
        var next = 1
    }

    /// In some rounds a quarter of the tests end and begin anew while the pages of all others go on.
    @Test func sessionsInSeparateBrowserContextsNeverMix() async throws {
        let count = Browser.isThorough ? 16 : 8
        let folder = try Folder()
        try folder.write("index.html", Self.page)
        let site = try await ServedFolder(
            folder.path, "--shortcuts", "MyApp", "--reply", #"getUser={"nick":"nobody"}"#)
        try await ContextBrowser.drive { browser in
            var sides: [Side] = []
            for number in 1...count {
                let name = "test-\(number)"
                try await Self.say("\(name) at first", to: name, at: site)
                let page = try await browser.open(Self.link(to: name, at: site))
                sides.append(Side(name: name, page: page, user: "\(name) at first"))
            }
            for side in sides { try await browser.expect(Self.shown, .string(side.user), in: side.page) }

            for round in 0..<4 {
                let ending = sides.indices.filter { $0 % 4 == round }
                let others = sides.indices.filter { $0 % 4 != round }
                for side in others { try await browser.evaluate("goToWork()", in: sides[side].page) }
                for side in ending {
                    try await Self.check(&sides[side], browser, site)
                    try await Self.beginAnew(&sides[side], round, browser, site)
                }
                // They did go on: each has made some calls since.
                for side in others.map({ sides[$0] }) {
                    let before = try await browser.evaluate("made", in: side.page).numberValue?.intValue ?? 0
                    try await browser.expect("made >= \(before + 3)", true, in: side.page)
                }
                for side in sides.indices { try await Self.check(&sides[side], browser, site) }
            }

            // All that was ever called, also by those who have forgotten it: no page's calls are in two sessions.
            let all = try await site.ask("GET", "calls?session=*&limit=10000")["calls"]?.arrayValue ?? []
            #expect(all.count == sides.reduce(0) { $0 + $1.made })
            let sessions = Dictionary(grouping: all) { $0["page"]?["id"]?.stringValue ?? "" }
                .mapValues { Set($0.map { $0["session"]?.stringValue }) }
            // Each page was loaded twice.
            #expect(
                sessions.count == 2 * count && sessions.values.allSatisfy { $0.count == 1 }, "\(sessions)")
        }
        #expect(await site.program.stop() == 0)
    }

    private static let shown = "document.getElementById('user').textContent"

    private static func link(to session: String, at site: ServedFolder) -> String {
        "\(site.address)/__drawbridge__/session/\(session)?to=/%3Fwho%3D\(session)"
    }

    private static func say(_ user: String, to session: String, at site: ServedFolder) async throws {
        try await site.ask("PUT", "replies?name=getUser&session=\(session)", #"{"nick":"\#(user)"}"#)
    }

    /// Compares what a page made and heard since the last time with what the journal of its session has.
    private static func check(_ side: inout Side, _ browser: ContextBrowser, _ site: ServedFolder)
        async throws
    {
        let seen = try await browser.evaluate("rest()", in: side.page)
        let made = try #require(seen[0]?.numberValue?.intValue)
        #expect(seen[1] == [.string(side.user)], "\(side.name)")
        let found = try await site.ask("GET", "calls?session=\(side.name)&since=\(side.next)&limit=10000")
        let calls = try #require(found["calls"]?.arrayValue)
        #expect(
            calls.compactMap { $0["input"]?["n"]?.numberValue?.intValue } == Array(side.made..<made),
            "\(side.name)")
        for call in calls {
            let isRight =
                call["session"]?.stringValue == side.name && call["input"]?["who"]?.stringValue == side.name
                && call["output"] == ["nick": .string(side.user)] && call["state"] == "answered"
            #expect(isRight, "\(side.name): \(call)")
        }
        side.made = made
        side.next = try #require(found["next"]?.numberValue?.intValue)
    }

    /// What the end of a test does, and the beginning of the next: all that it set is taken back, and its calls are
    /// forgotten.
    private static func beginAnew(
        _ side: inout Side, _ round: Int, _ browser: ContextBrowser, _ site: ServedFolder
    ) async throws {
        try await site.ask("POST", "reset?session=\(side.name)")
        #expect(try await site.ask("GET", "calls?session=\(side.name)")["calls"] == [])
        try await browser.evaluate("heard.clear(), ask()", in: side.page)
        side.user = "nobody"
        try await check(&side, browser, site)

        side.user = "\(side.name) in round \(round)"
        try await say(side.user, to: side.name, at: site)
        try await browser.go(to: link(to: side.name, at: site), in: side.page)
        try await browser.expect(shown, .string(side.user), in: side.page)
    }
}
