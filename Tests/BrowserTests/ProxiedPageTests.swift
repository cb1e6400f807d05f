import Drawbridge
import Foundation
import TestSupport
import Testing

/// Pages of other servers in browsers whose http proxy is the gateway.
@Suite("Proxied pages", .serialized, .timeLimit(.minutes(5))) struct ProxiedPageTests {
    private static let browsers = Browser.tried.filter { $0 != .webKit }

    @Test(arguments: browsers, BrowserProxy.allCases)
    func pagesOfAListedSiteCallNative(_ browser: Browser, _ proxy: BrowserProxy) async throws {
        let visit = try await Visit(to: "listed.test", in: browser, by: proxy)
        for way in ["flag synchronous XHR", "flag fetch", "name synchronous XHR", "name fetch"] {
            #expect(visit.ran.contains(way))
            #expect(visit.read[way]?.contains("the secret of \(way)") == true)
        }
        // What carries no token may be any page's.
        #expect(visit.ran.isDisjoint(with: ["flag image", "flag script"]))
    }

    @Test(arguments: browsers, BrowserProxy.allCases)
    func pagesOfOtherSitesDoNot(_ browser: Browser, _ proxy: BrowserProxy) async throws {
        try await Self.expectCallError(of: "foreign.test", browser, proxy)
    }

    /// That of another program is none of the gateway's, though browsers say that it asks its own origin.
    @Test(.enabled(if: Browser.chromium.isTried)) func pagesOfThisMachineDoNotEither() async throws {
        try await Self.expectCallError(of: "127.0.0.1", .chromium, .server)
    }

    private static func expectCallError(of host: String, _ browser: Browser, _ proxy: BrowserProxy)
        async throws
    {
        let visit = try await Visit(to: host, in: browser, by: proxy)
        #expect(visit.ran.isEmpty)
        #expect(visit.statuses.count == 20, "they are not tried: \(visit.statuses.keys.sorted())")
        #expect(visit.statuses.filter { $0.value != [403] } == [:])
        #expect(visit.read.filter { $0.value.contains("secret") } == [:])
        // Nothing of them has come to their own server, and of the runtime they have no trace.
        #expect(visit.requests.filter { $0.contains("_mobile_bridge") } == [])
        #expect(!visit.requests.isEmpty)
    }

    @Test(arguments: browsers)
    func whatIsSecureGoesDirectly(_ browser: Browser) async throws {
        let visit = try await Visit(to: "listed.test", in: browser, by: .script)
        #expect(visit.read["secure"] == "")
        #expect(!visit.log.contains("CONNECT"))
    }
}

/// What came of one page, which is at a name that only the proxy can resolve.
private struct Visit {
    /// What the page could read, by way.
    let read: [String: String]
    /// The ways by which the handler was called.
    let ran: Set<String>
    /// What the gateway answered to each way that got there.
    let statuses: [String: Set<Int>]
    /// What came to the page's own server.
    let requests: [String]
    let log: String

    init(to host: String, in browser: Browser, by proxy: BrowserProxy) async throws {
        let page = try String(contentsOfFile: ForeignSite.pages + "/proxied.html", encoding: .utf8)
        let site = try PlainSite { request, send in
            let isPage = request.hasPrefix("GET /proxied.html ")
            send(PlainSite.answer(isPage ? page : "", "Content-Type: text/html"))
        }
        let folder = try Folder()
        let hosts = try folder.write("hosts", "127.0.0.1 listed.test\n127.0.0.1 foreign.test\n")
        let gateway = try Program.product(
            "test-server",
            ["-p", "0", "--proxy", "--cors", "http://listed.test:\(site.port)", "--log-format", "json"],
            environment: ["LD_PRELOAD": "libnss_wrapper.so", "NSS_WRAPPER_HOSTS": hosts])
        let port = try await gateway.port()
        let report = try await browser.open("http://\(host):\(site.port)/proxied.html", proxy: (proxy, port))
        {
            let isReport: @Sendable (String) -> Bool = { $0.hasPrefix("POST /report ") }
            let requests = try await site.requests.wait { $0.contains(where: isReport) }
            return requests.first(where: isReport)?.split(separator: "\r\n\r\n").last.map(String.init) ?? ""
        }
        read = try JSON(parsing: Array(report.utf8)).decode([String: String].self)
        requests = site.requests.value
        let witness = try await curl("http://127.0.0.1:\(port)/witness?_mobile_bridge=1&end=1")
        ran = Set(try JSON(parsing: Array(witness.utf8))["data"]?.decode([String].self) ?? [])
        // All that came before this call stands before it in the log.
        try await gateway.line(with: "end=1")
        log = gateway.output
        statuses = Attack.statuses(in: log)
    }
}
