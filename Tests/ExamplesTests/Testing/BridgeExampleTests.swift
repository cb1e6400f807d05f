import Foundation
import ProgramSupport
import TestSupport
import Testing

/// The tests of `examples/bridges`, in Chromium: the bridges there pass them, and what differs is said.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BridgeExampleTests {
    enum Runner: String, CaseIterable {
        case pytest = "pytest -q --tb=short"
        case node = "node --test --test-reporter=spec"

        /// How often a run says that something has passed.
        func passed(in output: String) throws -> Int {
            let counts =
                switch self {
                case .pytest: output.matches(of: /(\d+) (?:subtests )?passed/)
                case .node: output.matches(of: /ℹ pass (\d+)/)
                }
            return counts.reduce(0) { $0 + (Int($1.1) ?? 0) }
        }
    }

    /// A folder with the clients as they are installed, and the examples that are copied.
    private struct Site {
        let folder: Folder
        /// Where temporary files are; its name is short, since Chromium puts a socket into it.
        private let own = "/tmp/d-\(UInt32.random(in: 0...(.max)))"

        init() throws {
            folder = try Folder()
            let clients = [
                ("node", "node_modules/drawbridge-gateway"),
                ("python/drawbridge_gateway", "python/drawbridge_gateway"),
            ]
            for (client, name) in clients {
                try folder.copy("\(Tester.clients)/\(client)", to: name)
                let release = "\(folder.path)/\(name)/release"
                try FileManager.default.createDirectory(atPath: release, withIntermediateDirectories: false)
                try FileManager.default.createSymbolicLink(
                    atPath: "\(release)/drawbridge", withDestinationPath: Program.path(of: "drawbridge"))
            }
            try folder.copy(Manual.root.appending(path: "examples/bridges").path(), to: "examples/bridges")
        }

        /// Runs lines of a shell in a folder; nothing of a browser is left after it.
        func run(
            _ lines: String, in place: String = ".", patience: Int = 60
        ) async throws -> (output: String, code: Int32) {
            let tests = URL(filePath: try #require(Tester.pytest().first)).deletingLastPathComponent()
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let environment = [
                "PATH": "\(tests.path()):\(path)", "PYTHONPATH": "\(folder.path)/python",
                "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": "-p no:cacheprovider",
                "SE_CHROMEDRIVER": "/usr/bin/chromedriver", "TMPDIR": own, "HOME": own,
                "PATIENCE": "\(patience)",
            ]
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(atPath: own) }
            let words = ["-C", "\(folder.path)/\(place)", "sh", "-c", lines]
            let program = try Program("env", words, environment: environment)
            let result = (await program.wholeOutput(), await program.child.exitCode())
            let left = try FileManager.default.contentsOfDirectory(atPath: own).filter {
                $0.hasPrefix("bridge-")
            }
            #expect(left == [])
            #expect(try processes(with: own) == [])
            return result
        }

        /// The processes that have a text among their arguments.
        private func processes(with text: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
                guard name.allSatisfy(\.isNumber),
                    let data = FileManager.default.contents(atPath: "/proc/\(name)/cmdline")
                else { return false }
                return String(decoding: data, as: UTF8.self).contains(text)
            }
        }

        /// A bridge of one's own with its page and its list, next to copies of the tests.
        func write(_ trial: Trial) throws {
            for name in ["heard.js", "test_bridges.py", "bridges.test.mjs"]
            where !folder.names.contains("mine/\(name)") {
                try folder.copy("\(folder.path)/examples/bridges/\(name)", to: "mine/\(name)")
            }
            try folder.write("mine/\(trial.name).js", trial.script)
            try folder.write(
                "mine/\(trial.name).html",
                "<!doctype html><script src=\"heard.js\"></script>\n<script>\(trial.page)</script>")
            try folder.write("mine/\(trial.name).json", #"{"exchanges": [\#(trial.list)]}"#)
        }
    }

    struct Trial {
        let name: String
        let list: String
        var script = bridge
        var page = pays
        /// What is said of it.
        var said: [String] = []
    }

    private static let bridge = """
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
    private static let pays = "Shop.ask('pay', { n: 18 }, value => heard('pay', value));"
    private static let listens = "Shop.listen('cart', value => { heard('cart', value); return 4; });"

    @Test(arguments: Runner.allCases) func eachBridgeExampleBehavesAsItsListSays(_ runner: Runner)
        async throws
    {
        let site = try Site()
        let (output, code) = try await site.run(runner.rawValue, in: "examples/bridges")
        #expect(code == 0, "\(output)")
        // Four bridges, and their exchanges.
        #expect(try runner.passed(in: output) == 4 + 23, "\(output)")
    }

    /// What the manual shows, as it shows it.
    @Test func theManualShowsWhatTheBridgeExamplesPrint() async throws {
        func blocks(_ language: String) throws -> [String] {
            try Manual.blocks(of: language).filter { $0.file.hasSuffix("/TeachingABridge.md") }
                .map { $0.lines.joined(separator: "\n") + "\n" }
        }
        let site = try Site()
        let page = try #require(blocks("html").first)
        let commands = try #require(blocks("sh").last { $0.contains("pytest") })
        let shown = try blocks("text")
        try site.folder.write("my-bridge/shop-bridge.html", page)
        try site.folder.write("my-bridge/shop-bridge.json", #require(blocks("json").first))
        try site.folder.write("my-bridge/shop-bridge.js", #require(blocks("javascript").first))
        let (output, code) = try await site.run("set -e\n\(commands)")
        #expect(code == 0)
        for passed in ["1 passed, 5 subtests passed", "pass 6\n"] {
            #expect(output.contains(passed), "\(output)")
        }
        try site.folder.write("my-bridge/shop-bridge.html", page.replacing("n: 17", with: "n: 18"))
        let other = try await site.run(commands)
        #expect(other.code == 1)
        for line in try #require(shown.last).split(separator: "\n") {
            #expect(other.output.contains("\(line)\n"), "\(other.output)")
        }
        #expect(other.output.contains("n: 18") && other.output.contains("n: 17"), "\(other.output)")
    }

    private static let wrong = [
        Trial(
            name: "hears", list: #"{"pageCalls": "pay", "answer": 1, "hears": [2]}"#,
            said: ["what the page heard"]),
        Trial(
            name: "never", list: #"{"pageCalls": "pay", "answer": 1, "hears": [1]}, {"pageCalls": "share"}"#,
            said: ["only these were called: "]),
        Trial(
            name: "answers", list: #"{"nativeCalls": "cart", "answer": 3, "hears": [null]}"#, page: listens,
            said: ["what the page answered"]),
        Trial(
            name: "unasked", list: #"{"nativeTells": "cart", "with": "told"}"#, page: listens,
            said: ["what is not in the list", "told"]),
        Trial(name: "other", list: #"{"pageHears": "cart", "hears": []}"#, said: ["what is not in the list"]),
        Trial(name: "key", list: #"{"pageCall": "pay"}"#, said: ["pageCall"]),
        Trial(name: "beside", list: #"{"nativeTells": "cart", "answer": 3}"#, page: listens),
        Trial(
            name: "unreached", list: #"{"nativeTells": "cart", "with": 2, "hears": [2]}"#,
            script: bridge.replacing(" native.listens();", with: ""), page: listens,
            said: ["native.listens()"]),
        Trial(
            name: "syntax", list: #"{"pageCalls": "pay"}"#,
            script: "drawbridge.bridge(native => {\n\n    native.put('Shop', {{);\n});", said: ["syntax.js:3"]
        ),
        Trial(
            name: "throws", list: #"{"pageCalls": "pay"}"#,
            script: "drawbridge.bridge(native => {\n    nobody.knows();\n});", said: ["throws.js:2"]),
        Trial(
            name: "version", list: #"{"pageCalls": "pay"}"#,
            script: "drawbridge.bridge({ version: 9 }, () => {});",
            said: ["version.js: it is for version 9"]),
        Trial(
            name: "later", list: #"{"pageCalls": "pay", "answer": 1, "hears": [1]}"#,
            script: bridge.replacing(
                "hear(error ? error.code : value)", with: "{ hear(value);\nnobody.knows(); }"),
            said: ["later.js:5"]),
    ]

    @Test(arguments: Runner.allCases) func anExchangeThatDiffersFromTheListIsAFailure(_ runner: Runner)
        async throws
    {
        let site = try Site()
        for trial in Self.wrong { try site.write(trial) }
        let (output, code) = try await site.run(runner.rawValue, in: "mine", patience: 5)
        #expect(code == 1)
        for trial in Self.wrong {
            let mark =
                runner == .pytest ? "FAILED test_bridges.py::test_bridge[\(trial.name)]" : "✖ \(trial.name) ("
            #expect(output.contains(mark), "\(trial.name): \(output)")
            for text in trial.said { #expect(output.contains(text), "\(trial.name): \(output)") }
        }
    }

    /// A page that calls nothing, tokens that are compared, and a name that is called again.
    @Test(arguments: Runner.allCases) func exchangesThatMatchTheListPass(_ runner: Runner) async throws {
        let site = try Site()
        try site.write(
            Trial(
                name: "listens", list: #"{"nativeTells": "cart", "with": 2, "hears": [2]}"#,
                page: Self.listens))
        try site.write(
            Trial(
                name: "calls",
                list: """
                    {"pageCalls": "pay", "with": {"token": "t"}, "answer": {"token": 1}, "hears": [{"token": 1}]},
                    // The second time it fails.
                    {"pageCalls": "pay", "with": {"token": "t"}, "answer": {"$error": {"code": 7}}, "hears": [7]}
                    """,
                page:
                    "const pay = next => Shop.ask('pay', { token: 't' }, value => { heard('pay', value); next(); });"
                    + "pay(() => pay(() => {}));"))
        let (output, code) = try await site.run(runner.rawValue, in: "mine")
        #expect(code == 0, "\(output)")
        #expect(try runner.passed(in: output) == 2 + 3, "\(output)")
    }
}
