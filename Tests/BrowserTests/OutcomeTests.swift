import Drawbridge
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// What pages in real browsers hear of a reply: each outcome, by each bridge.
@Suite("Outcomes of mocks by each bridge", .serialized, .timeLimit(.minutes(5))) struct OutcomeTests {
    /// What an outcome is written as, and what a page receives of it by each bridge, one thing after the other.
    private struct Outcome: Decodable {
        let reply: JSON
        let heard: [String: JSON]
    }

    /// The table that people read.
    private static func table() throws -> [String: Outcome] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Pages/outcomes.json")
        return try JSON(parsing: Array(Data(contentsOf: file))).decode([String: Outcome].self)
    }

    private static func site(_ table: [String: Outcome]) async throws -> (Gateway, GatewayServer) {
        var replies: JSON.Object = [:]
        var choices: [String: JSON] = [:]
        for (name, outcome) in table {
            // Each bridge has its own, for the places in sequences.
            for bridge in outcome.heard.keys { replies["\(name)_\(bridge)"] = outcome.reply }
        }
        for bridge in table["chosen"]?.heard.keys.sorted() ?? [] { choices["chosen_\(bridge)"] = "delete" }
        var logger = Logger(label: "outcomes")
        // What it says of these replies, other tests look at.
        logger.logLevel = .error
        let gateway = Gateway(
            passThrough: [.staticFiles(BridgeSite.pages)], presenter: ScriptedPresenter(choices),
            pageRuntime: PageRuntime(
                schemes: ["mizhua"], replyHandlers: table.keys.map { "\($0)_promise" },
                functions: ["callNative"], shortcuts: ["MyApp"], asking: .off),
            logger: logger)
        try gateway.mock(.object(replies))
        return (gateway, try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false)))
    }

    @Test(arguments: Browser.tried) func eachOutcomeReachesThePageByEachBridgeAsTheTableSays(
        _ browser: Browser
    ) async throws {
        let table = try Self.table()
        let (gateway, server) = try await Self.site(table)
        let pages = Pages.Following(gateway.pages)
        let heard = try await browser.open("\(server.address)/outcomes.html") {
            var page = try await pages.next()
            // Its frames are pages too.
            while page.url.contains("?") { page = try await pages.next() }
            return try await page.evaluate("heardAll", deadline: .seconds(60))
        }.decode([String: [String: JSON]].self)
        #expect(heard.keys.sorted() == table.keys.sorted())
        for (name, outcome) in table.sorted(by: { $0.key < $1.key }) {
            let found = heard[name] ?? [:]
            #expect(found.keys.sorted() == outcome.heard.keys.sorted(), "\(name)")
            for (bridge, expected) in outcome.heard.sorted(by: { $0.key < $1.key }) {
                #expect(found[bridge] == expected, "\(name) by \(bridge) in \(browser.rawValue)")
            }
        }
        await server.stop()
    }
}
