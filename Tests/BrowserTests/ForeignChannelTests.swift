import Drawbridge
import TestSupport
import Testing

/// A page of others that knows where the gateway is, and even its tokens, gets nowhere; in real browsers.
@Suite("Foreign pages and the channel", .serialized, .timeLimit(.minutes(5))) struct ForeignChannelTests {
    private static let places: [ForeignPageTests.Place] =
        Browser.isThorough ? ForeignPageTests.Place.allCases : [.anotherPort, .sandbox]

    @Test(arguments: Browser.tried, places)
    func foreignPagesCannotUseThePageEndpoints(_ browser: Browser, _ place: ForeignPageTests.Place)
        async throws
    {
        let site = try KnockedSite()
        let foreign = try ForeignSite()
        let page = place.page(of: foreign).replacing("attacks.html", with: "knocking.html")
        let seen = try await site.knocked(from: page, reporting: foreign, place.host, in: browser)
        #expect(seen.filter { !$0.value.isEmpty } == [:])
        #expect(seen.count > 40, "they are not tried")
        #expect(site.called == [])
        // No page came, in a frame or by its id, and none had to go.
        #expect(site.gateway.pages.all.map(\.id) == [KnockedSite.victim])
        #expect(site.gateway.pages[KnockedSite.victim]?.url == "")
        await site.stop()
    }

    /// So that the page above is known to try.
    @Test(arguments: Browser.tried)
    func ownPagesCanUseEveryPageEndpointWithTheToken(_ browser: Browser) async throws {
        let site = try KnockedSite()
        let foreign = try ForeignSite()
        let seen = try await site.knocked(
            from: "\(site.address)/knocking.html", reporting: foreign, in: browser)
        let token = site.gateway.access.token.text
        let withToken: Set = [
            "channel with the token", "call, synchronously, in full", "messages by a form",
            "messages in full", "messages by a beacon", "messages as text/plain", "messages as ",
            "messages as text/plain, blind",
        ]
        #expect(withToken.subtracting(site.called) == [])
        #expect(seen["token for a page"]?.contains(token) == true)
        // The tester's API is for programs: a page that has its token gets nothing by it.
        let asTester = seen.filter { way, _ in
            ["pages", "devices", "a new link", "evaluate"].contains { way.hasPrefix($0) }
        }
        #expect(asTester.count == 18)
        for (way, text) in asTester {
            #expect(text.isEmpty || text.contains(#""code":403"#), "\(way)")
            #expect(!text.contains(KnockedSite.victim) && !text.contains("enter#"), "\(way)")
        }
        let told = try await site.toldToTheVictim()
        #expect(!told.contains("evaluate"), "a page made native run a script in another page")
        #expect(seen["framed"] == "A page that native calls")
        // The page's own scripts cannot read it in a document, and tokens are not to be exchanged for one another.
        #expect(seen.filter { $0.key.hasPrefix("document") && $0.value.contains(token) } == [:])
        #expect(seen["document"]?.contains("A page that native calls") == true)
        for way in [
            "without a token", "without a protocol", "with a guessed token", "with the tester's token",
        ] {
            #expect(seen["channel \(way)"] == "")
        }
        #expect(seen["script element"] == "", "it is there already")
        await site.stop()
    }
}
