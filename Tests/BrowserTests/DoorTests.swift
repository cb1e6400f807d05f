import Drawbridge
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// Pages that were written for an app, one for each door, in real browsers: they test themselves, and say what failed.
@Suite("Doors", .serialized, .timeLimit(.minutes(3))) struct DoorTests {
    private static let doors = [
        "flag", "jsbridge", "queue", "wvjb6", "wvjb5", "wvjb4", "messages", "inject", "shortcuts",
        "untouched", "special", "own6", "nested",
    ]

    @Test(arguments: Browser.installed, doors)
    func everyDoorWorksAsItsPagesExpect(_ browser: Browser, _ door: String) async throws {
        try await Self.expectNoFailure("\(door).html", in: browser)
    }

    @Test(arguments: Dialect.tried, ["reload", "back"])
    func aPageIsLoadedAgainAndComeBackTo(
        _ page: (browser: Browser, dialect: Dialect), _ door: String
    ) async throws {
        try await Self.expectNoFailure("\(door).html?dialect=\(page.dialect)", in: page.browser)
    }

    /// What a page looks like from outside is seen in front of the gateway.
    @Test(arguments: Browser.installed, [("untouched", 0), ("wvjb6", 1)])
    func onlyAPageThatUsesABridgeOpensAChannel(_ browser: Browser, _ page: (door: String, channels: Int))
        async throws
    {
        let site = try DoorSite()
        let relay = try Relay(to: site.server.address.port)
        let url = "http://127.0.0.1:\(relay.port)/\(page.door).html?report=/report"
        _ = try await browser.open(url) { try await site.report() }
        #expect(relay.webSockets.value == page.channels)
        relay.stop()
        await site.server.stop()
    }

    private static let shapes = Shape.allCases.flatMap { shape in
        shape.doors.prefix(Browser.isThorough ? .max : 2).map { (shape, $0) }
    }

    @Test(arguments: Browser.installed, shapes)
    func doorsWorkInPagesOfEveryShape(_ browser: Browser, _ page: (shape: Shape, door: String)) async throws {
        try await Self.expectNoFailure("\(page.shape.rawValue)/\(page.door).html", in: browser)
    }

    /// Opens a page that tests itself; once more where it was late and nothing was wrong, for a browser takes what a
    /// busy machine leaves it.
    private static func expectNoFailure(_ page: String, in browser: Browser) async throws {
        var failed = try await failures(of: page, in: browser)
        if !failed.isEmpty, failed.allSatisfy(\.isLate) {
            print("\(page) in \(browser.rawValue) is opened once more, after: \(failed)")
            failed = try await failures(of: page, in: browser)
        }
        #expect(failed.map(\.description) == [], "\(page) in \(browser.rawValue)")
    }

    private static func failures(of page: String, in browser: Browser) async throws -> [DoorSite.Report.Case]
    {
        let site = try DoorSite()
        let url = "\(site.address)/\(page)\(page.contains("?") ? "&" : "?")report=/report"
        let report: DoorSite.Report
        do {
            report = try await browser.open(url) { try await site.report() }
        } catch {
            await Evidence.keep(pageAt: url, of: page, in: browser)
            throw error
        }
        let failed = report.cases.filter { $0.failed != nil }
        #expect(report.engine == browser.rawValue)
        #expect(report.cases.count >= 3, "\(report.cases.map(\.name))")
        if !failed.isEmpty { await Evidence.keep(report.html, of: page, in: browser) }
        await site.server.stop()
        return failed
    }
}
