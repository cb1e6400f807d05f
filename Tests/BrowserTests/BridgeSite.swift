import Drawbridge
import DrawbridgeServer
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// A gateway with the pages of the bridges, the handlers that they call, and a place for their reports.
final class BridgeSite: Sendable {
    static let pages = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Pages/bridges")
        .path()

    let gateway: Gateway
    let server: GatewayServer
    private let reports = Observed<[JSON]>([])
    private let notes = Observed<[JSON]>([])

    /// What a page found out about itself.
    struct Report: Decodable, Sendable {
        struct Case: Decodable, Sendable, CustomStringConvertible {
            var name: String
            var failed: String?
            /// True where it did not end in time.
            var isLate: Bool

            var description: String { "\(name): \(failed ?? "passed")" }
        }

        var title: String
        var browser: String
        var cases: [Case]
        /// The page when it was through.
        var html: String
    }

    /// What pages are given that do not say themselves what they want.
    static let runtime = PageRuntime(
        schemes: ["mizhua"], commandItem: "command", messageHandlers: ["JSBridge", "nothing"],
        replyHandlers: ["echo", "fail", "missing", "special"], functions: ["callNative", "echo", "claimed"],
        shortcuts: ["MyApp"])

    /// - Parameter behind: what serves more than the pages.
    init(
        port: Int = 0, runtime: PageRuntime = BridgeSite.runtime, behind: [any Responder] = [],
        _ register: (Gateway) throws -> Void = { _ in }
    ) throws {
        let own: [any Responder] = [Reports(reports: reports), Shape.Site(pages: Self.pages)]
        gateway = Gateway(
            passThrough: own + behind + [.staticFiles(Self.pages)],
            pageRuntime: runtime)
        try gateway.register(Echo.self, at: "/echo")
        try gateway.register(Add.self, at: "/add")
        try gateway.register(Fail.self, at: "/fail")
        try gateway.register(NothingAtAll.self, at: "/nothing")
        try gateway.register(Later.self, at: "/later")
        try gateway.register(Ask.self, at: "/ask")
        try gateway.register(Steps.self, at: "/steps")
        try gateway.register(Text.self, at: "/text")
        try gateway.register(Unnamed.self, at: "/")
        try gateway.register(at: "/note") { [notes] in Note(notes: notes) }
        try gateway.register(at: "/notes") { [notes] in Notes(notes: notes) }
        try gateway.pages(matching: "/special.html") { try $0.register(Special.self, at: "/special") }
        try register(gateway)
        server = try GatewayServer(gateway, ServerConfiguration(port: port, logsRequests: false))
    }

    var address: String { "\(server.address)" }

    /// The report that comes next.
    func report() async throws -> Report {
        try #require(await reports.wait { !$0.isEmpty }.first).decode(Report.self)
    }

    private struct Reports: Responder {
        let reports: Observed<[JSON]>

        func respond(to request: Request) async throws -> Response? {
            guard request.path == "/report", request.method == .post else { return nil }
            let report = try JSON(parsing: try await request.body.collect(upTo: 1 << 20))
            reports.change { $0.append(report) }
            return Response(.noContent)
        }
    }

    // MARK: What pages call

    struct Echo: JSONHandler {
        func handle(_ input: JSON?) async throws -> JSON { input ?? .null }
    }

    struct Add: JSONHandler {
        struct Input: Decodable { var a, b: Int }
        func handle(_ input: Input) async throws -> Int { input.a + input.b }
    }

    struct Fail: JSONHandler {
        func handle(_ input: JSON?) async throws -> Nothing { throw HTTPError(.init(code: 418), "no tea") }
    }

    struct NothingAtAll: JSONHandler {
        func handle(_ input: JSON?) async throws -> Nothing { Nothing() }
    }

    struct Later: JSONHandler {
        struct Input: Codable { var ms: Int }
        func handle(_ input: Input) async throws -> Input {
            try await Task.sleep(for: .milliseconds(input.ms))
            return input
        }
    }

    /// Answers before the answer, and says where that is heard.
    struct Steps: JSONHandler {
        let request: Request

        func handle(_ input: JSON?) async throws -> JSON {
            let isHeard = try (1...2).map { try request.progress($0) }
            return ["heard": .array(isHeard.map(JSON.bool))]
        }
    }

    struct Text: Handler {
        func handle(_ request: Request) async throws -> Response { Response(text: "plain \"text\"") }
    }

    /// Gets what has no name.
    struct Unnamed: JSONHandler {
        func handle(_ input: JSON) async throws -> JSON { ["unnamed": input] }
    }

    /// Only one page has it.
    struct Special: JSONHandler {
        func handle(_ input: JSON?) async throws -> String { "special" }
    }

    /// Keeps its input.
    struct Note: JSONHandler {
        let notes: Observed<[JSON]>

        func handle(_ input: JSON) async throws -> Nothing {
            notes.change { $0.append(input) }
            return Nothing()
        }
    }

    /// Gives what was kept.
    struct Notes: JSONHandler {
        let notes: Observed<[JSON]>
        func handle(_ input: JSON?) async throws -> [JSON] { notes.value }
    }

    /// Calls the page's handler, and answers what that answered.
    struct Ask: JSONHandler {
        struct Input: Decodable {
            var name: String
            var data: JSON?
            var bridge: String?
        }

        let request: Request

        func handle(_ input: Input) async throws -> JSON {
            guard let page = request.page else {
                throw HTTPError(.badRequest, "this is for pages: it calls them back")
            }
            return try await page.call(
                input.name, input.data ?? .null, by: input.bridge.flatMap(Page.Bridge.init(rawValue:)))
        }
    }
}

extension BridgeSite {
    /// Opens pages that test themselves in one browser, each with a gateway of its own.
    ///
    /// A page that was late and has nothing wrong is opened once more, for a browser takes what a busy machine leaves it.
    ///
    /// - Parameter prepare: what is done to each gateway before.
    static func expectNoFailure(
        _ pages: [String], in browser: Browser, _ prepare: (Gateway) async throws -> Void = { _ in }
    ) async throws {
        try await DrivenBrowser.drive(browser) { driven in
            for page in pages {
                var failed = try await failures(of: page, in: driven, prepare)
                if !failed.isEmpty, failed.allSatisfy(\.isLate) {
                    print("\(page) in \(browser.rawValue) is opened once more, after: \(failed)")
                    failed = try await failures(of: page, in: driven, prepare)
                }
                #expect(failed.map(\.description) == [], "\(page) in \(browser.rawValue)")
            }
        }
    }

    private static func failures(
        of page: String, in driven: DrivenBrowser, _ prepare: (Gateway) async throws -> Void
    ) async throws -> [BridgeSite.Report.Case] {
        let browser = driven.browser
        let site = try BridgeSite()
        try await prepare(site.gateway)
        let url = "\(site.address)/\(page)\(page.contains("?") ? "&" : "?")report=/report"
        let report: BridgeSite.Report
        do {
            try await driven.open(url)
            report = try await site.report()
        } catch {
            await Evidence.keep(pageAt: url, of: page, in: browser)
            throw error
        }
        let failed = report.cases.filter { $0.failed != nil }
        #expect(report.browser == browser.rawValue)
        #expect(report.cases.count >= 3, "\(report.cases.map(\.name))")
        if !failed.isEmpty { await Evidence.keep(report.html, of: page, in: browser) }
        // A page that has a channel open goes first.
        try await driven.open("about:blank")
        await site.server.stop()
        return failed
    }
}
