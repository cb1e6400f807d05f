import Drawbridge
import Foundation
import TestSupport
import Testing

/// Every way in which a page can send a request, from pages of others, in real browsers.
///
/// Precedents: every local server whose interface a page of another site could reach.
@Suite("Foreign pages", .serialized, .timeLimit(.minutes(5))) struct ForeignPageTests {
    /// Where a page is that does not belong to the gateway.
    enum Place: CaseIterable, Sendable {
        /// The same machine by another name is another site.
        case anotherSite, anotherPort, sandbox, disk

        /// The name by which the page knows its own site.
        var host: String { self == .anotherSite ? "localhost" : "127.0.0.1" }

        func page(of foreign: ForeignSite) -> String {
            let folder = self == .disk ? "file://\(ForeignSite.pages)" : foreign.origin(host)
            return "\(folder)/attacks.html" + (self == .sandbox ? "?sandbox" : "")
        }
    }

    private static let attacks: [(Place, Attack.Bridge)] =
        Browser.isThorough
        ? Attack.Bridge.allCases.map { (.anotherSite, $0) } + Place.allCases.dropFirst().map { ($0, .path) }
        : [(.anotherSite, .flag)]

    @Test(arguments: Browser.tried, attacks)
    func foreignPagesReachNoHandler(_ browser: Browser, _ attack: (place: Place, bridge: Attack.Bridge))
        async throws
    {
        let foreign = try ForeignSite()
        let gateway = try Attack.gateway()
        let seen = try await Attack(
            from: attack.place.page(of: foreign), on: gateway.address(), with: foreign,
            name: attack.place.host, bridge: attack.bridge, in: browser, gateway: { gateway })
        seen.expectCallError()
        #expect(seen.read.filter { !$0.value.isEmpty } == [:])
    }

    @Test(.enabled(if: Browser.isThorough), arguments: Browser.tried)
    func unlistedForeignPagesReachNoHandlerThoughOthersAreListed(_ browser: Browser) async throws {
        let foreign = try ForeignSite()
        // The same port by another name, and the same name with another port.
        let gateway = try Attack.gateway(["--cors", foreign.origin(), "--cors", "http://localhost:1"])
        let seen = try await Attack(
            from: Place.anotherSite.page(of: foreign), on: gateway.address(), with: foreign,
            name: "localhost", in: browser, gateway: { gateway })
        seen.expectCallError()
        #expect(seen.read.filter { !$0.value.isEmpty } == [:])
    }

    @Test(arguments: Browser.tried)
    func foreignPagesReachNoHandlerAtAPlainName(_ browser: Browser) async throws {
        let foreign = try ForeignSite()
        let gateway = try Attack.gateway(["--allowed-hosts", Browser.reboundName])
        let target = try await gateway.address().replacing("127.0.0.1", with: Browser.reboundName)
        let page = "\(foreign.origin(Browser.reboundName))/attacks.html"
        let seen = try await Attack(
            from: page, on: target, with: foreign, name: Browser.reboundName, in: browser,
            gateway: { gateway })
        seen.expectCallError()
        #expect(seen.read.filter { !$0.value.isEmpty } == [:])
    }

    @Test(.enabled(if: Browser.isThorough), arguments: Browser.tried)
    func aPageThatUsesDNSRebindingReadsOnlyTheRefusal(_ browser: Browser) async throws {
        let seen = try await Self.rebound(in: browser)
        seen.expectCallError()
        let refusal = "the host \(Browser.reboundName) may not be used to reach this gateway"
        #expect(seen.read["/__drawbridge__/health"]?.contains(refusal) == true)
        #expect(seen.read.filter { !$0.value.isEmpty && !$0.value.contains(refusal) } == [:])
    }

    // MARK: Pages that may, so that the pages above are known to try

    @Test(arguments: Browser.tried, Browser.isThorough ? Attack.Bridge.allCases : [.flag])
    func pagesOfTheGatewayItselfCallInEveryWay(_ browser: Browser, _ bridge: Attack.Bridge) async throws {
        let foreign = try ForeignSite()
        // The page runtime would mend calls that these ways break on purpose.
        let gateway = try Attack.gateway(["--plain", "/*"])
        let address = try await gateway.address()
        let seen = try await Attack(
            from: "\(address)/attacks.html", on: address, with: foreign, bridge: bridge, in: browser,
            reading: Attack.readable, gateway: { gateway })
        #expect(Attack.certain.subtracting(seen.ran) == [])
        seen.expectSecrets(of: Attack.readable)
        #expect(seen.read["/__drawbridge__/health"]?.contains("droppedAnswers") == true)
        // By way of another site it is that site's call.
        #expect(seen.ran.filter { $0.contains("redirected") } == [])
    }

    @Test(.enabled(if: Browser.isThorough), arguments: Browser.tried)
    func pagesOfAListedOriginCallAndReadWithCORS(_ browser: Browser) async throws {
        let foreign = try ForeignSite()
        let gateway = try Attack.gateway(["--cors", foreign.origin("localhost")])
        let seen = try await Attack(
            from: Place.anotherSite.page(of: foreign), on: gateway.address(), with: foreign,
            name: "localhost", in: browser, reading: Attack.readableWithCORS, gateway: { gateway })
        seen.expectSecrets(of: Attack.readableWithCORS)
        #expect(seen.read["/__drawbridge__/health"]?.contains("droppedAnswers") == true)
        // What does not name its origin stays out.
        let nameless: Set = [
            "image", "script", "fetch blind", "worker importScripts", "frame", "form GET", "window",
        ]
        #expect(seen.ran.isDisjoint(with: nameless))
    }

    /// At a plain http name a browser sends no `Sec-Fetch-Site`.
    @Test(arguments: Browser.tried)
    func pagesOfAnAllowedHostMayCallLikeOwnPages(_ browser: Browser) async throws {
        let seen = try await Self.rebound(in: browser, ["--allowed-hosts", Browser.reboundName])
        seen.expectSecrets(of: ["fetch of JSON", "synchronous XHR of text", "fetch", "form GET", "form POST"])
        #expect(Attack.certain.subtracting(Attack.unsaid).subtracting(seen.ran) == [])
        #expect(seen.ran.filter { $0.contains("redirected") } == [])
        #expect(seen.read["/attacks.html"]?.contains("<title>Attacks</title>") == true)
        #expect(seen.read["/__drawbridge__/health"]?.contains("droppedAnswers") == true)
    }

    /// The page is loaded by a name of the attacker's; then the gateway takes their server's place.
    ///
    /// To the browser it is all one origin.
    private static func rebound(in browser: Browser, _ options: [String] = []) async throws -> Attack {
        let gateway = Observed<Program?>(nil)
        let bait = try ForeignSite()
        let foreign = try ForeignSite {
            await bait.stop()
            let program = try Attack.gateway(port: bait.port, options)
            try await program.line(with: "listening")
            gateway.change { $0 = program }
            return .null
        }
        let origin = bait.origin(Browser.reboundName)
        return try await Attack(
            from: "\(origin)/attacks.html?signal", on: origin, with: foreign, in: browser,
            gateway: { try await #require(gateway.wait { $0 != nil }) })
    }
}

extension Attack {
    /// No handler ran, though the ways lead to the gateway.
    fileprivate func expectCallError() {
        #expect(ran.isEmpty)
        #expect(Self.certain.subtracting(statuses.keys) == [], "they are not tried")
        // Chromium hides where a speculative prefetch comes from; it is refused as what it is.
        #expect(statuses.filter { !$0.value.isSubset(of: [403, 503]) } == [:])
    }

    fileprivate func expectSecrets(of ways: Set<String>) {
        #expect(ways.filter { read[$0]?.contains("the secret of \($0)") != true } == [])
    }
}
