import Drawbridge
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// Pages that reach for the inspector in real browsers: on the gateway's own origin, and on another port.
@Suite("Attacks of pages on the inspector in browsers", .serialized, .timeLimit(.minutes(5)))
struct InspectorAttackTests {
    enum Place: CaseIterable, Sendable {
        case ownOrigin, anotherPort
        /// The page came by a name of the attacker's, which leads to the inspector from then on: to the browser it is
        /// all one origin.
        case reboundName
    }

    /// Every way of foreign pages, without a secret.
    @Test(arguments: Browser.tried, Place.allCases)
    func noPageReadsAnythingOfTheInspector(_ browser: Browser, _ place: Place) async throws {
        try await attack(browser, place, page: "attacks.html", ["bridge": "inspector"]) { read in
            #expect(Attack.certain.subtracting(read.keys) == [], "they are not tried")
        }
    }

    /// The same with the right secret, and with a ticket that is good.
    @Test(arguments: Browser.tried, Place.allCases)
    func aPageCannotUseTheInspectorsSecret(_ browser: Browser, _ place: Place) async throws {
        try await attack(browser, place, page: "lockpicking.html", [:]) { read in
            #expect(read.count >= 40, "\(read.keys.sorted())")
        }
    }

    /// So that the page above is known to try.
    @Test(arguments: Browser.tried) func theAttackingPageCanReadAnUnprotectedServer(_ browser: Browser)
        async throws
    {
        let foreign = try ForeignSite()
        let door = OpenDoor()
        let gateway = Gateway(passThrough: [.staticFiles(ForeignSite.pages)], middleware: [door])
        let server = try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false))
        let told = [
            "target": "\(server.address)", "foreign": foreign.origin(), "ticket": "a-ticket",
            "secret": gateway.access.token.text,
        ]
        let read = try await Self.report(
            of: "\(server.address)/lockpicking.html", told, to: foreign, in: browser)
        let unread = Set(read.filter { $0.value.isEmpty }.keys)
        // Of a beacon nobody reads the answer. The socket is like the channel, but nothing takes one there.
        let beacons = Set(read.keys.filter { $0.hasSuffix("by a beacon") })
        #expect(unread == beacons.union(["socket"]), "\(browser.rawValue)")
        #expect(read["channel"] == "open")
        for path in ["/reset", "/calls", "/replies/save"] {
            let beacon = "POST /__drawbridge__\(path)?token="
            #expect(door.asked.value.contains { $0.hasPrefix(beacon) }, "\(path)")
        }
        // Five that read what they are told, and the beacon.
        #expect(door.asked.value.count { $0 == "POST /ticket" } == 6)
        await server.stop()
    }

    /// An inspector with a secret and a ticket of its.
    private struct Target: Sendable {
        let site: InspectedSite
        let secret: String
        let ticket: String

        init(port: Int = 0) async throws {
            site = try InspectedSite(
                behind: [.staticFiles(ForeignSite.pages)], pageRuntime: nil, inspectorPort: port)
            _ = try await curl("\(site.address)getVip?_mobile_bridge=1")
            let drawn = site.inspector.drawLink()
            // A person's browser has changed its ticket for the secret, which then leaks somehow.
            let used = String(site.inspector.drawLink().suffix(32))
            secret = try #require(try await Self.answer(of: site, to: used)["secret"]?.stringValue)
            ticket = String(drawn.suffix(32))
        }

        var told: [String: String] { ["target": site.inspector.origin, "secret": secret, "ticket": ticket] }

        /// The page has changed nothing: the ticket is not used up, and the secret is still the inspector's.
        func expectUntouched() async throws {
            let calls = site.gateway.journal.calls()
            #expect(calls.map(\.name) == ["getVip"] && calls.first?.answeredBy == "nobody", "\(calls)")
            #expect(try await site.ask("GET", "replies") == [:])
            #expect(try await Self.answer(of: site, to: ticket)["secret"]?.stringValue == secret)
        }

        private static func answer(of site: InspectedSite, to ticket: String) async throws -> JSON {
            let text = try await curl(
                "-d", #"{"ticket":"\#(ticket)"}"#, "-H", "Content-Type: application/json",
                site.inspector.origin + "/ticket")
            return try JSON(parsing: Array(text.utf8))
        }
    }

    /// Opens a page that tries, and looks at what it read, and at what has become of the gateway.
    private func attack(
        _ browser: Browser, _ place: Place, page: String, _ more: [String: String],
        _ check: ([String: String]) -> Void
    ) async throws {
        let bait = try ForeignSite()
        let attacked = Observed<Target?>(nil)
        let foreign = try ForeignSite {
            // The inspector comes in the place of the attacker's server.
            await bait.stop()
            let target = try await Target(port: bait.port)
            attacked.change { $0 = target }
            return ["secret": .string(target.secret), "ticket": .string(target.ticket)]
        }
        var told = more
        let origin: String
        switch place {
        case .reboundName:
            origin = bait.origin(Browser.reboundName)
            told.merge(["target": origin, "signal": ""]) { $1 }
        case .ownOrigin, .anotherPort:
            let target = try await Target()
            attacked.change { $0 = target }
            origin = place == .ownOrigin ? "\(target.site.server.address)" : foreign.origin()
            told.merge(target.told) { $1 }
        }
        told["foreign"] = foreign.origin()
        let read = try await Self.report(of: "\(origin)/\(page)", told, to: foreign, in: browser)
        await bait.stop()
        check(read)
        var said = read.filter { !$0.value.isEmpty }
        if place == .reboundName {
            // What is of one origin may read that it is refused.
            let refusals = said.filter { $0.value.contains(Self.refusal) && $0.value.count < 200 }
            #expect(refusals["fetch"] != nil, "\(browser.rawValue): it did not get there")
            said = said.filter { refusals[$0.key] == nil }
        }
        #expect(said == [:])
        let target = try #require(attacked.value)
        try await target.expectUntouched()
        await target.site.stop()
    }

    private static let refusal = "the host \(Browser.reboundName) may not be used to reach this gateway"

    /// Opens a page that tells a foreign site what it read, by way; that site ends with it.
    private static func report(
        of page: String, _ told: [String: String], to foreign: ForeignSite, in browser: Browser
    ) async throws -> [String: String] {
        var url = try #require(URLComponents(string: page))
        url.queryItems = told.map { URLQueryItem(name: $0.key, value: $0.value) }
        let report = await Result { [url] in
            try await browser.open(try #require(url.string)) { try await foreign.report() }
        }
        await foreign.stop()
        return try report.get()
    }

    /// Yesterday a page was on the port that the inspector has today, and has left a service worker there.
    @Test(arguments: Browser.tried) func aServiceWorkerLeftOnTheInspectorsPortIsNotUsed(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        try folder.write("index.html", "<!doctype html><title>Yesterday</title>")
        try folder.write(
            "worker.js",
            """
            addEventListener('install', () => skipWaiting());
            addEventListener('activate', event => event.waitUntil(clients.claim()));
            addEventListener('fetch', event => event.respondWith(new Response('caught')));
            """)
        let port = try freePort()
        let yesterday = try GatewayServer(
            Gateway(passThrough: [.staticFiles(folder.path)], pageRuntime: nil),
            ServerConfiguration(port: port, logsRequests: false))
        try await DrivenBrowser.drive(browser) { driven in
            // Both names by which a person would have opened it.
            for name in ["127.0.0.1", "localhost"] {
                try await driven.open("http://\(name):\(port)/")
                let caught = try await driven.evaluate(
                    """
                    (async () => {
                        await navigator.serviceWorker.register('/worker.js');
                        await navigator.serviceWorker.ready;
                        while (!navigator.serviceWorker.controller) await new Promise(done => setTimeout(done, 20));
                        return (await fetch('/anything')).text();
                    })()
                    """)
                #expect(caught == "caught")
            }
            await yesterday.stop()
            let gateway = Gateway(keepsJournal: true)
            let inspector = try Inspector(of: gateway, port: port)
            try await driven.open(inspector.drawLink())
            try await driven.expect("document.getElementById('connection')?.textContent", "live")
            #expect(try await driven.evaluate("navigator.serviceWorker?.controller") == .null)
            // Nor does its own origin take one.
            let own = "navigator.serviceWorker.register('/main.js').then(() => 'taken', () => 'refused')"
            #expect(try await driven.evaluate(own) == "refused")
            await inspector.stop()
        }
        withExtendedLifetime(folder) {}
    }
}
