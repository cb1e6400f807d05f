import Foundation
import Glibc
import TestSupport
import Testing

/// `drawbridge test-bridge` with a browser for each case: the examples pass it, each way to fail is said, and nothing of the
/// browser is left.
@Suite(.serialized, .timeLimit(.minutes(5))) struct TriedBridgeTests {
    private static let examples = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../examples/bridges"
    ).standardized.path()

    @Test(arguments: ["hotwire", "kerkee", "rexxar", "tauri", "telegram", "webview2"])
    func anExampleIsAsItsListSays(_ name: String) async throws {
        try TestBridgeTests.skipWithoutChromium()
        let (output, code) = try await TestBridgeTests.run("\(Self.examples)/\(name).js")
        #expect(code == 0, "\(output)")
        #expect(output.hasSuffix(" exchanges, all as expected\n") && !output.contains("FAIL"), "\(output)")
    }

    @Test func everyExampleHasAPageAndAList() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.examples)
        for script in files where script.hasSuffix(".js") {
            for ending in ["html", "json"] { #expect(files.contains("\(script.dropLast(2))\(ending)")) }
        }
    }

    /// What the manual shows, as it shows it.
    @Test func theManualShowsWhatTheCommandPrints() async throws {
        try TestBridgeTests.skipWithoutChromium()
        let folder = try Folder()
        func blocks(_ language: String) throws -> [String] {
            try Manual.blocks(of: language).filter { $0.file.hasSuffix("/TeachingABridge.md") }
                .map { $0.lines.joined(separator: "\n") + "\n" }
        }
        let shown = try blocks("text")
        let page = try #require(blocks("html").first)
        try folder.write("shop-bridge.html", page)
        try folder.write("shop-bridge.json", #require(blocks("json").first))
        let script = try folder.write("shop-bridge.js", #require(blocks("javascript").first))
        let (output, code) = try await TestBridgeTests.run(script)
        #expect(output == shown.first)
        #expect(code == 0)
        try folder.write("shop-bridge.html", page.replacing("n: 17", with: "n: 18"))
        let other = try await TestBridgeTests.run(script)
        #expect(other.output.hasPrefix(shown.last ?? "none"), "\(other.output)")
        #expect(other.code == 1)
    }

    @Test func aCallThatNeverComesAndOneThatNobodyExpectsAreSaid() async throws {
        try TestBridgeTests.skipWithoutChromium()
        let folder = try Folder()
        let script = try TestBridgeTests.mine(
            in: folder, page: TestBridgeTests.page + "<script>heard('news', 1);</script>",
            list: #"{"exchanges": [{"pageCalls": "share"}, {"nativeCalls": "title", "answer": 1}]}"#)
        let (output, code) = try await TestBridgeTests.run(script, "--seconds", "5")
        #expect(code == 1)
        #expect(
            output.contains("FAIL  the page calls share\n      called   only pay\n      wanted   share\n"),
            "\(output)")
        #expect(output.contains(#""code":400"#) && output.contains("\n      wanted   1\n"), "\(output)")
        #expect(
            output.contains("FAIL  the page calls pay with {\"n\":18}, which is not in the list\n"),
            "\(output)")
        #expect(output.contains("FAIL  the page hears 1 of news, which is not in the list\n"), "\(output)")
        #expect(output.hasSuffix("\n4 not as expected\n"))
    }

    @Test(arguments: [
        ("drawbridge.bridge(native => {\n\n    native.put('Shop', {{);\n});", "FAIL  mine.js:3: "),
        ("drawbridge.bridge(native => {\n    nobody.knows();\n});", "FAIL  mine.js:2: "),
        ("drawbridge.bridge({ version: 9 }, () => {});", "FAIL  mine.js: it is for version 9"),
    ])
    func aFaultOfTheScriptIsSaidWithItsLine(_ script: String, _ said: String) async throws {
        try TestBridgeTests.skipWithoutChromium()
        let folder = try Folder()
        let path = try TestBridgeTests.mine(
            in: folder, script: script, list: #"{"exchanges": [{"pageCalls": "pay"}]}"#)
        let began = ContinuousClock.now
        let (output, code) = try await TestBridgeTests.run(path, "--seconds", "250")
        #expect(code == 1)
        #expect(output.contains(said), "\(output)")
        #expect(output.contains("\n      the page: mine.html:2: "), "\(output)")
        #expect(ContinuousClock.now - began < .seconds(250), "it waits for what cannot come")
    }

    @Test func whatTheScriptThrowsLaterIsAFailureToo() async throws {
        try TestBridgeTests.skipWithoutChromium()
        let folder = try Folder()
        let script = try TestBridgeTests.mine(
            in: folder,
            script: """
                drawbridge.bridge(native => {
                    native.put('Shop', { ask(name, data, hear) {
                        native.call(name, data, (error, value) => {
                            hear(value);
                            nobody.knows();
                        });
                    } });
                });
                """,
            list: #"{"exchanges": [{"pageCalls": "pay", "answer": 1, "hears": [1]}]}"#)
        let (output, code) = try await TestBridgeTests.run(script)
        #expect(code == 1)
        #expect(
            output == """
                ok    the page calls pay
                FAIL  mine.js:5: nobody is not defined
                1 not as expected

                """)
    }

    @Test(arguments: [SIGTERM, SIGINT, 0]) func nothingOfTheBrowserIsLeft(_ signal: Int32) async throws {
        try TestBridgeTests.skipWithoutChromium()
        let folder = try Folder()
        let script = try TestBridgeTests.mine(
            in: folder,
            list: #"{"exchanges": [{"pageCalls": "pay"}, {"pageCalls": "never"}]}"#)
        // A folder of a short name, since Chromium puts a socket into it.
        let own = "/tmp/d-\(UInt32.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: own) }
        let program = try Program.product(
            "drawbridge", ["test-bridge", script, "--seconds", signal == 0 ? "5" : "100"],
            environment: ["TMPDIR": own])
        try await program.line(with: "the page calls pay")
        #expect(try TestBridgeTests.processes(with: own).count > 3, "the browser was not found")
        if signal != 0 { kill(program.child.processIdentifier, signal) }
        let output = await program.wholeOutput()
        #expect(await program.child.exitCode() == 1)
        #expect(signal == 0 || output.contains("stopped by a signal"), "\(output)")
        #expect(try TestBridgeTests.processes(with: own) == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: own) == [])
    }
}
