import Drawbridge
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// Pages that were written for an app, one for each bridge, in real browsers: they test themselves, and say what
/// failed.
@Suite("Bridges", .serialized, .timeLimit(.minutes(8))) struct BridgeTests {
    private static let pages = [
        "flag", "jsbridge", "queue", "wvjb6", "wvjb5", "wvjb4", "messages", "inject", "shortcuts",
        "untouched", "special", "own6", "nested",
    ]

    @Test(arguments: Browser.tried) func everyBridgeWorksAsItsPagesExpect(_ browser: Browser) async throws {
        try await BridgeSite.expectNoFailure(Self.pages.map { "\($0).html" }, in: browser)
    }

    @Test(arguments: SpokenBridge.tried) func bridgesWorkAfterAReloadAndAfterGoingBack(
        _ spoken: (browser: Browser, bridge: SpokenBridge)
    ) async throws {
        let pages = ["reload", "back"].map { "\($0).html?bridge=\(spoken.bridge)" }
        try await BridgeSite.expectNoFailure(pages, in: spoken.browser)
    }

    /// What a page looks like from outside is seen in front of the gateway.
    @Test(arguments: Browser.tried, [("untouched", 0), ("wvjb6", 1)])
    func onlyAPageThatUsesABridgeOpensAChannel(_ browser: Browser, _ page: (name: String, channels: Int))
        async throws
    {
        let site = try BridgeSite()
        let relay = try Relay(to: site.server.address.port)
        let url = "http://127.0.0.1:\(relay.port)/\(page.name).html?report=/report"
        _ = try await browser.open(url) { try await site.report() }
        #expect(relay.webSockets.value == page.channels)
        relay.stop()
        await site.server.stop()
    }
}
