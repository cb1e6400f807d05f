import Drawbridge
import DrawbridgeServer
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// The bridges that are shipped, each in a page of its own below a policy that allows nothing but the page's own
/// scripts: what pages receive, what native receives, a reload, and another gateway in the place of the first.
@Suite("Bridges that are separate scripts", .serialized, .timeLimit(.minutes(5))) struct OutsideBridgeTests {
    /// What a page is given, and what comes of it.
    private struct Expected: Decodable {
        let options: JSON?
        /// What the page heard, by the names of its checks.
        let report: JSON
        /// What native gets for calling `title`; `{"code"}` where that fails.
        let title: JSON
        /// The same, where no bridge is named and it is another.
        let unnamed: JSON?
        /// What native told it by a call, and by an event.
        let told: JSON
        /// The name of both, and the data of the call, where they are other than `told` and `a`.
        let event: String?
        let data: JSON?
    }

    private static let pages = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "Pages/outside"
    ).path()

    private static func table() throws -> [String: Expected] {
        try JSON(parsing: Array(Data(contentsOf: URL(filePath: pages + "/table.json")))).decode(
            [String: Expected].self)
    }

    /// A gateway whose handlers know of no bridge.
    private struct Site {
        let gateway: Gateway
        let server: GatewayServer
        let reports = Observed<[JSON]>([])

        init(_ bridges: [BridgeScript], port: Int = 0, strict: Bool = true, logger: Logger? = nil)
            async throws
        {
            var quiet = Logger(label: "outside")
            quiet.logLevel = .error
            let logger = logger ?? quiet
            gateway = Gateway(
                passThrough: (strict ? [Strict()] : []) + [.staticFiles(OutsideBridgeTests.pages)],
                pageRuntime: PageRuntime(bridges: bridges), logger: logger)
            for name in ["Shop/pay", "App/pay"] { try gateway.register(Paid.self, at: "/\(name)") }
            for name in ["App/list", "list"] { try gateway.register(BridgeSite.Echo.self, at: "/\(name)") }
            try gateway.register(First.self, at: "/Shop/bytes")
            try gateway.register(Paid.self, at: "/web_app_open_popup")
            try gateway.register(BridgeSite.NothingAtAll.self, at: "/Shop/told")
            try gateway.register(Prefix.self, at: "/send")
            try gateway.register(Prefix.self, at: "/message")
            try gateway.register(at: "/report") { [reports] in BridgeSite.Note(notes: reports) }
            try gateway.mock([
                "Shop/fail": ["$error": ["code": 1001, "message": "not ready"]],
                "web_app_open_invoice": ["$error": ["code": 1001, "message": "not ready"]],
                "App/fail": ["$error": ["code": 1001, "message": "not ready"]], "App/name": "Ann",
                "App/never": ["$silence": true], "widget/toast": "told.push('toast')",
                "Shop/watch": ["$progress": [1, 2], "$every": 10, "$reply": "done"],
            ])
            server = try GatewayServer(gateway, ServerConfiguration(port: port, logsRequests: false))
        }
    }

    /// What the pages call, whichever bridge they have.
    private struct Paid: JSONHandler {
        func handle(_ input: JSON) async throws -> JSON { ["paid": input["n"] ?? input[0]?["n"] ?? .null] }
    }

    private struct First: JSONHandler {
        func handle(_ input: JSON) async throws -> JSON { input[0] ?? .null }
    }

    private struct Prefix: JSONHandler {
        func handle(_ input: JSON) async throws -> String { "got \(input.stringValue ?? "\(input)")" }
    }

    /// Serves the documents with a policy that allows nothing but their own scripts.
    private struct Strict: Responder {
        func respond(to request: Request) async throws -> Response? {
            guard request.path.hasSuffix(".html") else { return nil }
            let page = try String(contentsOfFile: OutsideBridgeTests.pages + request.path, encoding: .utf8)
            var response = Response(text: page, contentType: "text/html; charset=utf-8")
            response.headers[.contentSecurityPolicy] = "default-src 'none'; script-src 'self'"
            return response
        }
    }

    /// Those that are shipped, but for the one that only asks in the page's place for a bridge that every page has
    /// (``AwkwardPageTests``).
    private static let shipped = BridgeScript.shipped.filter { $0 != "webviewjavascriptbridge" }

    /// The same, and the examples.
    private static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: examples)) ?? []
        return shipped
            + files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }()

    private static let examples = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../examples/bridges"
    ).standardized.path()

    @Test func everyShippedBridgeIsTriedByThesePages() throws {
        #expect(try Self.table().keys.sorted() == Self.names.sorted())
        #expect(Self.names.count > Self.shipped.count)
    }

    @Test(arguments: Browser.tried, Browser.isThorough ? names : shipped)
    func theExamplePageOfEachBridgeRuns(_ browser: Browser, _ name: String) async throws {
        let expected = try #require(try Self.table()[name], "table.json has no \(name)")
        let options = expected.options ?? [:]
        let bridge =
            BridgeScript.shipped.contains(name)
            ? try BridgeScript.named(name, options: options)
            : try BridgeScript.file("\(Self.examples)/\(name).js", options: options)
        let kind = try #require(Page.Bridge(rawValue: name))
        let port = try freePort()
        let site = try await Site([bridge], port: port)
        let pages = Pages.Following(site.gateway.pages)
        _ = try await browser.open("\(site.server.address)/\(name).html") {
            let page = try await pages.next()
            let report = try await site.reports.wait { !$0.isEmpty }[0]
            Self.compare(report, expected.report, browser, name)

            let title = try await Self.answer(of: page, by: kind)
            #expect(title == expected.title, "\(name) in \(browser.rawValue)")
            let unnamed = try await Self.answer(of: page, by: nil)
            #expect(unnamed == expected.unnamed ?? expected.title, "\(name) in \(browser.rawValue)")
            try page.send(expected.event ?? "told", expected.data ?? "a", by: kind)
            try page.emit(expected.event ?? "told", "b")
            #expect(
                try await page.call("toldSoFar", by: .function) == expected.told,
                "\(name) in \(browser.rawValue)")
            #expect(page.bridges.contains(kind))

            // It loads again, and receives the same.
            try page.send("loadAgain", by: .function)
            let again = try await site.reports.wait { $0.count > 1 }[1]
            Self.compare(again, expected.report, browser, name)

            // Another gateway has its place.
            await site.server.stop()
            let second = try await Site([bridge], port: port)
            let later = Pages.Following(second.gateway.pages)
            let back = try await later.next()
            try back.send("loadAgain", by: .function)
            let third = try await second.reports.wait { !$0.isEmpty }[0]
            Self.compare(third, expected.report, browser, name)
            await second.server.stop()
        }
    }

    /// A document that was open before knows the gateway that comes, and its calls there fail with the one that went.
    @Test(arguments: Browser.tried)
    func aCallDuringARestartFailsAndTheNextIsAnswered(_ browser: Browser) async throws {
        let port = try freePort()
        let site = try await Site([try .named("flutter"), try .named("object")], port: port)
        let pages = Pages.Following(site.gateway.pages)
        try await browser.open("\(site.server.address)/waits.html") {
            _ = try await pages.next()
            #expect(try await site.reports.wait { !$0.isEmpty }[0] == ["document": 1])
            await site.server.stop()
            let second = try await Site([try .named("flutter"), try .named("object")], port: port)
            let report = try await second.reports.wait { !$0.isEmpty }[0]
            Self.compare(
                report,
                [
                    "document": 1, "flutter": ["message": "the gateway was restarted"],
                    "object": [["error": 503, "errorMessage": "the gateway was restarted"]],
                    "again": ["paid": 2],
                ], browser, "waits")
            await second.server.stop()
        }
    }

    /// What native gets for calling `title`.
    private static func answer(of page: Page, by bridge: Page.Bridge?) async throws -> JSON {
        do {
            return try await page.call("title", "Shop", by: bridge, deadline: .seconds(250))
        } catch let error as PageError {
            guard case .failed(let code) = error.reason else { throw error }
            return ["code": .number(.init(code))]
        }
    }

    private static func compare(_ report: JSON, _ expected: JSON, _ browser: Browser, _ name: String) {
        let (found, wanted) = (report.objectValue ?? [:], expected.objectValue ?? [:])
        #expect(found.map(\.key).sorted() == wanted.map(\.key).sorted(), "\(name) in \(browser.rawValue)")
        for (check, value) in wanted {
            #expect(found[check] == value, "\(name), \(check), in \(browser.rawValue)")
        }
    }

    // MARK: What may be wrong with one

    /// Keeps what is logged.
    private struct Kept: LogHandler {
        let lines: Observed<[String]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.warning

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.change { $0.append("\(event.message)") } }
    }

    /// A saved script is used without a start of the gateway and without a hand on the page.
    @Test(arguments: Browser.tried) func aPageReloadsWhenItsBridgeIsSaved(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        @Sendable func save(_ says: String) throws {
            try folder.write("mine.js", "drawbridge.bridge(native => native.put('Mine', '\(says)'));")
        }
        try save("first")
        try folder.write("index.html", "<p id=heard></p><script>heard.textContent = Mine</script>")
        let site = try await ServedFolder(folder.path, "--bridge", folder.path + "/mine.js")
        try await browser.open("\(site.address)/") {
            let page = try await site.page()
            try await site.expect("heard", begins: "first", in: page)
            try save("second")
            let next = try await site.page(after: page)
            try await site.expect("heard", begins: "second", in: next)
            // What is not a script leaves the page without it, until it is mended.
            try save("broken'")
            let broken = try await site.page(after: next)
            try await site.expect("heard", begins: "", in: broken)
            _ = try await site.program.line(with: "mine.js:1")
            try save("third")
            try await site.expect("heard", begins: "third", in: try await site.page(after: broken))
        }
        #expect(await site.program.stop() == 0)
    }

    /// One does not parse, one throws, one looks for what is the core's, two put the same: all others run, and log and
    /// console say what is wrong with which line.
    @Test(arguments: Browser.tried) func aBrokenBridgeScriptIsReportedAndTheOthersRun(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        let scripts = [
            "broken": "\n\ndrawbridge.bridge(native => {{);",
            "throws": "drawbridge.bridge(native => {\n    nobody.knows();\n});",
            "later": "drawbridge.bridge({ version: 9 }, () => {});",
            "spy": """
            window.spied = ['token', 'post', 'config', 'page', 'waiting', 'native'].map(name => {
                try {
                    return typeof (0, eval)(name) === 'undefined' ? 'undefined' : name + ' is there';
                } catch (error) {
                    return error.name;
                }
            }).concat(document.querySelectorAll('script[data-token]').length).join();
            const was = console.error;
            window.said = [];
            console.error = (...words) => { said.push(words.join(' ')); was.apply(console, words); };
            window.kept = drawbridge;
            drawbridge.bridge(native => {
                window.keptNative = native;
                native.put('Both', { by: 'spy' });
            });
            """,
            "other": "drawbridge.bridge(native => native.put('Both', { by: 'other' }));",
        ]
        var bridges: [BridgeScript] = []
        for name in ["spy", "broken", "throws", "later", "other"] {
            bridges.append(try .file(folder.write("\(name).js", scripts[name] ?? "")))
        }
        bridges.append(try .named("flutter"))
        let lines = Observed<[String]>([])
        let logger = Logger(label: "outside") { _ in Kept(lines: lines) }
        let site = try await Site(bridges, strict: false, logger: logger)
        try await browser.open("\(site.server.address)/faults.html") {
            let report = try await site.reports.wait { !$0.isEmpty }[0]
            let parts = [
                "broken.js:3: ", "throws.js:2: ", "later.js: it is for version 9",
                "other.js: it and the bridge spy both put window.Both",
            ]
            let said = report["console"]?.arrayValue?.compactMap(\.stringValue) ?? []
            for part in parts { #expect(said.contains { $0.hasPrefix("Drawbridge: \(part)") }, "\(said)") }
            let wrong = Array(repeating: "ReferenceError", count: 6).joined(separator: ",")
            Self.compare(
                report,
                [
                    "handle": "undefined, false", "spied": .string("\(wrong),0"),
                    "mark": ["thrown": "only scripts of --bridge may call this"], "frozen": true,
                    "others": ["paid": 1], "twice": "other", "console": report["console"] ?? .null,
                ], browser, "faults")
            for part in parts {
                _ = try await lines.wait { $0.contains { $0.contains(part) } }
            }
        }
        await site.server.stop()
    }
}
