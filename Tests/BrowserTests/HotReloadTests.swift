import DrawbridgeServer
import TestSupport
import Testing

/// A page whose server tells it to load itself anew, by a WebSocket through the gateway.
@Suite("Hot reload", .serialized, .timeLimit(.minutes(5))) struct HotReloadTests {
    @Test(arguments: Browser.tried)
    func aPageReloadsWhenItsDevServerSaysSo(_ browser: Browser) async throws {
        let node = try await DevServer()
        let site = try DevSite(upstream: node.address)
        let reports = try await browser.open("\(site.address)/?hot") {
            let first = try await DevSite.report(to: node)
            // Its socket may come after its report.
            while try await curl("\(node.address)/reload") == "0" {
                try await Task.sleep(for: .milliseconds(20))
            }
            return [first, try await DevSite.report(to: node)]
        }
        #expect(reports == (1...2).map { "visit \($0): native said 3, runtime true" })
        await site.server.stop()
    }
}
