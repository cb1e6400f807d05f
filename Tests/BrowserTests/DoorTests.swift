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
        try await DoorSite.expectNoFailure("\(door).html", in: browser)
    }

    @Test(arguments: Dialect.tried, ["reload", "back"])
    func aPageIsLoadedAgainAndComeBackTo(
        _ page: (browser: Browser, dialect: Dialect), _ door: String
    ) async throws {
        try await DoorSite.expectNoFailure("\(door).html?dialect=\(page.dialect)", in: page.browser)
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
}
