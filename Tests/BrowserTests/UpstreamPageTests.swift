import DrawbridgeServer
import TestSupport
import Testing

/// Pages of a dev server behind the gateway, in real browsers.
@Suite("Pages of a dev server", .serialized, .timeLimit(.minutes(5))) struct UpstreamPageTests {
    @Test(arguments: Browser.tried)
    func aPageOfADevServerReachesNative(_ browser: Browser) async throws {
        let node = try await DevServer()
        let site = try DevSite(upstream: node.address)
        let report = try await browser.open("\(site.address)/") { try await DevSite.report(to: node) }
        #expect(report == "visit 1: native said 3, runtime true")
        await site.server.stop()
    }

    @Test(arguments: Browser.tried)
    func theWaitingPageIsReplacedWhenTheDevServerStarts(_ browser: Browser) async throws {
        let gone = try await DevServer(port: freePort())
        await gone.kill()
        let site = try DevSite(upstream: gone.address)
        let report = try await browser.open("\(site.address)/") {
            // It has asked again by itself.
            try await site.answers.wait { $0.filter { $0 == 502 }.count >= 2 }
            let node = try await DevServer(port: gone.port)
            return try await DevSite.report(to: node)
        }
        #expect(report == "visit 1: native said 3, runtime true")
        await site.server.stop()
    }
}
