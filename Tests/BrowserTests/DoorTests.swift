import Drawbridge
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// Pages that were written for an app, one for each door, in real browsers: they test themselves, and say what failed.
@Suite("Doors", .serialized, .timeLimit(.minutes(3))) struct DoorTests {
    private static let doors = [
        "flag", "jsbridge", "queue", "wvjb6", "wvjb5", "wvjb4", "messages", "inject", "shortcuts",
        "untouched",
    ]

    @Test(arguments: Browser.installed, doors)
    func everyDoorWorksAsItsPagesExpect(_ browser: Browser, _ door: String) async throws {
        let site = try DoorSite()
        let report = try await browser.open("\(site.address)/\(door).html?report=/report") {
            try await site.report()
        }
        let failed = report.cases.compactMap { single in single.failed.map { "\(single.name): \($0)" } }
        #expect(failed == [], "\(report.door) in \(report.engine)")
        #expect(report.engine == browser.rawValue)
        #expect(report.cases.count >= 3, "\(report.cases.map(\.name))")
        await site.server.stop()
    }
}
