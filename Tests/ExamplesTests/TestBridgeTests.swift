import Foundation
import TestSupport
import Testing

/// `drawbridge test-bridge`: what it compares, and what it says where it cannot.
///
/// What starts a browser for each of many cases is in ``TriedBridgeTests``.
@Suite(.serialized, .timeLimit(.minutes(5))) struct TestBridgeTests {
    /// What the command prints, and its code.
    static func run(_ arguments: String...) async throws -> (output: String, code: Int32) {
        let program = try Program.product("drawbridge", ["test-bridge"] + arguments)
        let output = await program.wholeOutput()
        return (output, await program.child.exitCode())
    }

    static func skipWithoutChromium() throws {
        if !isInstalled("chromium") { try Test.cancel("chromium is not there; run scripts/setup programs") }
    }

    /// A bridge with one function, and a page that calls by it.
    static func mine(
        in folder: Folder, script: String = bridge, page: String = page, list: String
    ) throws -> String {
        try folder.write("mine.html", page)
        try folder.write("mine.json", list)
        return try folder.write("mine.js", script)
    }

    static let bridge = """
        drawbridge.bridge(native => {
            const listeners = {};
            native.put('Shop', {
                ask(name, data, hear) { native.call(name, data, (error, value) => hear(error ? error.code : value)); },
                listen(event, listener) { listeners[event] = listener; native.listens(); },
            });
            native.voice({
                has: event => event in listeners,
                call(event, data, answer) { answer.value(listeners[event](data)); },
                hear: (event, data) => listeners[event] && listeners[event](data),
            });
        });
        """
    static let page = """
        <!doctype html>
        <script>Shop.ask('pay', { n: 18 }, value => heard('pay', value));</script>
        """

    // MARK: With a browser

    @Test func whatDiffersIsSaidWithBothValues() async throws {
        try Self.skipWithoutChromium()
        let folder = try Folder()
        let script = try Self.mine(
            in: folder,
            list: """
                {"exchanges": [
                    {"pageCalls": "pay", "with": {"n": 17}, "answer": {"paid": true}, "hears": [{"paid": false}]}
                ]}
                """)
        let (output, code) = try await Self.run(script)
        #expect(code == 1)
        #expect(
            output == """
                FAIL  the page calls pay
                      sent     {"n":18}
                      wanted   {"n":17}
                      heard    [{"paid":true}]
                      wanted   [{"paid":false}]
                1 not as expected

                """)
    }

    /// A page that calls nothing is reached where its bridge says that it listens, and where it says nothing it is not:
    /// the report of what was heard opens no channel.
    @Test(arguments: [true, false]) func aPageThatOnlyListensIsReachedWhereItsBridgeSaysSo(_ says: Bool)
        async throws
    {
        try Self.skipWithoutChromium()
        let folder = try Folder()
        let script = try Self.mine(
            in: folder, script: says ? Self.bridge : Self.bridge.replacing(" native.listens();", with: ""),
            page: "<!doctype html><script>Shop.listen('cart', value => heard('cart', value));</script>",
            list: #"{"exchanges": [{"nativeTells": "cart", "with": 2, "hears": [2]}]}"#)
        // Nothing ends the wait for what does not come.
        let (output, code) = try await Self.run(script, "--seconds", says ? "100" : "5")
        #expect(code == (says ? 0 : 1), "\(output)")
        #expect(output.contains("native.listens()") == !says, "\(output)")
    }

    // MARK: Without a browser

    /// The processes that have a text among their arguments.
    static func processes(with text: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
            guard name.allSatisfy(\.isNumber),
                let data = FileManager.default.contents(atPath: "/proc/\(name)/cmdline")
            else { return false }
            return String(decoding: data, as: UTF8.self).contains(text)
        }
    }

    private static let list = #"{"exchanges": [{"pageCalls": "pay"}]}"#

    @Test func withoutABrowserItSaysWhatToDo() async throws {
        let folder = try Folder()
        let own = try Self.mine(in: folder, list: Self.list)
        let path = try Program.path(of: "drawbridge")
        let none = try Program(path, ["test-bridge", own], environment: ["PATH": folder.path])
        #expect(
            await none.wholeOutput().contains(
                "install one (apt-get install chromium), or name one: --browser "))
        #expect(await none.child.exitCode() == 1)
        let (output, code) = try await Self.run(own, "--browser", "netscape")
        #expect(output.contains("there is no program netscape; name one that is there"), "\(output)")
        #expect(code == 1)
    }

    @Test(arguments: [
        ("exit 7", "0.1", "/browser has not opened mine.html"),
        ("echo no display >&2; exit 1", "10", "has not opened mine.html; it says: no display"),
        ("sleep 60", "0.1", "/browser has not opened mine.html"),
    ])
    func aBrowserThatDoesNotOpenThePageIsSaid(_ does: String, _ seconds: String, _ said: String) async throws
    {
        let folder = try Folder()
        let script = try Self.mine(in: folder, list: Self.list)
        let browser = try folder.write("browser", "#!/bin/sh\n\(does)\n", mode: 0o755)
        let (output, code) = try await Self.run(script, "--browser", browser, "--seconds", seconds)
        #expect(output.contains(said), "\(output)")
        #expect(code == 1)
        #expect(try Self.processes(with: folder.path) == [])
    }

    @Test(arguments: [
        ("{\"exchanges\": [\n    {\"pageCalls\": \"pay\",}\n]}", "mine.json, line 2, column 25: "),
        (
            "{\"exchanges\": [\n    {\"pageCall\": \"pay\"}\n]}",
            "mine.json, line 2, column 6, exchanges[0].pageCall: unknown key pageCall; did you mean pageCalls?"
        ),
        (
            "{\"exchanges\": [{\"pageCalls\": \"pay\", \"hears\": 1}]}",
            "line 1, column 37, exchanges[0].hears: hears is the list of all that the page hears: [1]; [] for nothing"
        ),
        (
            "{\"exchanges\": [{\"pageCalls\": \"pay\", \"answer\": {\"$eror\": 1}}]}",
            "exchanges[0].answer.$eror: unknown keyword $eror"
        ),
        ("{\"exchanges\": []}", "exchanges are a list: "),
        ("[]", "this is no object: "),
        ("{\"exchanges\": [{\"nativeTells\": \"a\", \"answer\": 1}]}", "nobody answers an event"),
        ("{\"exchanges\": [{\"pageHears\": \"a\"}]}", "beside pageHears stands hears alone"),
        ("{\"exchanges\": [{\"pageCalls\": \"heard\"}]}", "choose another name"),
    ])
    func aBrokenListIsSaidWithItsPlace(_ list: String, _ said: String) async throws {
        let folder = try Folder()
        let script = try Self.mine(in: folder, list: list)
        let (output, code) = try await Self.run(script)
        #expect(output.contains(said), "\(output)")
        #expect(code == 1)
    }

    @Test func whatIsNotThereIsSaid() async throws {
        let folder = try Folder()
        let list = try folder.write("mine.json", Self.list)
        let page = try folder.write("mine.html", Self.page)
        let script = "\(folder.path)/mine.js"
        let missing = try await Self.run(script)
        #expect(missing.output.contains("cannot read the script \(script)") && missing.code == 1)
        let none = try await Self.run("dsbridge")
        #expect(none.output.contains("name page and list: --page mine.html --expect mine.json"))
        #expect(none.code == 64)
        try folder.write("mine.js", Self.bridge)
        let noPage = try await Self.run(script, "--page", "\(page)x")
        #expect(noPage.output.contains("cannot read the page \(page)x") && noPage.code == 1)
        let noList = try await Self.run(script, "--expect", "\(list)x")
        #expect(noList.output.contains("cannot read \(list)x") && noList.code == 1)
        let long = try await Self.run(script, "--seconds", "0")
        #expect(long.output.contains("--seconds 0.0: it is a number up to 600") && long.code == 64)
    }
}
