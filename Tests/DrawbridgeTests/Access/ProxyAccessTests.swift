import HTTPTypes
import TestSupport
import Testing

@testable import Drawbridge

/// A gateway that is the http proxy of a browser, so that any page which is open there sends it whole URLs.
@Suite("Who may call by way of a proxy")
struct ProxyAccessTests {
    private static let listed = "http://m.example"

    /// Answers for everybody, as a proxy does.
    private struct Elsewhere: Responder {
        var isProxy: Bool { true }

        func respond(to request: Request) async throws -> Response? {
            guard request.isAbsoluteForm else { return nil }
            var response = Response(text: "elsewhere: \(request.method) \(request.target)")
            response.headers[.accessControlAllowOrigin] = "http://friend.example"
            response.isRelayed = true
            return response
        }
    }

    private static func gateway() -> Gateway {
        let gateway = Gateway.testing(
            passThrough: [Elsewhere(), Behind()],
            access: AccessPolicy(allowedHosts: ["kiosk.example"], allowedOrigins: [listed]))
        surely { try gateway.register(Echo.self, at: "/login") }
        return gateway
    }

    private static func request(
        _ url: String, method: HTTPRequest.Method = .get, _ headers: HTTPFields = [:],
        from address: String? = nil
    ) -> Request {
        let rest = url.dropFirst("http://".count)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        var request = Request(
            method, String(rest[slash...]), authority: String(rest[..<slash]), headers: headers,
            remoteAddress: address)
        request.isAbsoluteForm = true
        return request
    }

    /// What programs say, and what browsers say to a site without TLS, where they send no `Sec-Fetch-Site`.
    private static let curl: HTTPFields = [.userAgent: "curl/8.14.1", .accept: "*/*"]
    private static let page: HTTPFields = [
        .userAgent: "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/153.0", .accept: "*/*",
        .acceptLanguage: "en-US,en;q=0.5", .acceptEncoding: "gzip, deflate",
    ]

    private static func merged(_ fields: HTTPFields, _ more: HTTPFields) -> HTTPFields {
        var fields = fields
        for field in more { fields[field.name] = field.value }
        return fields
    }

    // MARK: Programs

    @Test(arguments: ["http://__jsbridge__/login", "http://__JSBridge__./login?_mobile_bridge=1"])
    func aProgramOnThisMachineCallsByTheNameThatHasNoPages(url: String) async {
        for address in [nil, "127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            let request = Self.request(url, Self.curl, from: address)
            #expect(await Self.gateway().respond(to: request).status == .ok)
        }
        for address in ["192.0.2.1", "::ffff:192.0.2.1", "fe80::1"] {
            let request = Self.request(url, Self.curl, from: address)
            #expect(await Self.gateway().respond(to: request).status == .forbidden)
        }
    }

    /// Whoever sends one of these may be a page: some its script can change, none it can leave out altogether.
    @Test(
        arguments: [
            [.acceptLanguage: "*"], [.acceptLanguage: ""],
            [.acceptEncoding: "gzip"],
            [.acceptEncoding: "identity"], [.referer: "http://evil.example/"], [.secFetchDest: "image"],
        ] as [HTTPFields])
    func whatCouldBeABrowserIsNoProgram(headers: HTTPFields) async {
        let request = Self.request("http://__jsbridge__/login", Self.merged(Self.curl, headers))
        #expect(await Self.gateway().respond(to: request).status == .forbidden)
    }

    /// A page can give its browser another name, and a program can call itself like one.
    @Test(arguments: ["Mozilla/5.0", "", "curl/7.88.1"])
    func whatAProgramCallsItselfProvesNothing(name: String) async {
        for (more, status) in [([:], 200), ([.acceptEncoding: "gzip"], 403)] as [(HTTPFields, Int)] {
            var headers = more
            headers[.userAgent] = name
            let request = Self.request("http://__jsbridge__/login", headers, from: "127.0.0.1")
            #expect(await Self.gateway().respond(to: request).status.code == status)
        }
    }

    // MARK: Pages

    /// One that is open by way of the proxy is of one origin with its site, wherever that is, and there it may choose
    /// nearly every field.
    @Test(arguments: [
        "http://evil.example", "http://127.0.0.1:9999", "http://localhost:9999", "http://localhost",
        "http://evil.localhost", "http://[::1]:9999", "http://kiosk.example", "http://kiosk.example:9999",
        "http://m.example:9999", "http://m.example",
    ])
    func noPageCallsNativeAtItsOwnSite(site: String) async {
        for path in ["/login?_mobile_bridge=1", "/__jsbridge__/login"] {
            for headers: HTTPFields in [
                [:], [.secFetchSite: "same-origin"], [.secFetchSite: "none"], [.origin: site],
                [.origin: site, .secFetchSite: "same-origin"], [.userAgent: "page", .acceptLanguage: ""],
            ] where headers[.origin] != Self.listed {
                let request = Self.request(site + path, Self.merged(Self.page, headers))
                #expect(await Self.gateway().respond(to: request).status == .forbidden, "\(path) \(headers)")
            }
            // As little as a program says.
            #expect(
                await Self.gateway().respond(to: Self.request(site + path, Self.curl)).status == .forbidden)
        }
    }

    @Test(arguments: ["http://__jsbridge__/login", "http://__jsbridge__/login?_mobile_bridge=1"])
    func aForeignPageDoesNotCallByTheNameThatHasNoPages(url: String) async {
        for headers: HTTPFields in [
            [:], [.origin: "http://evil.example"], [.origin: "null"], [.origin: "http://127.0.0.1:9999"],
            [.secFetchSite: "cross-site"], [.acceptLanguage: ""],
        ] {
            for method in [HTTPRequest.Method.get, .post] {
                let request = Self.request(url, method: method, Self.merged(Self.page, headers))
                #expect(await Self.gateway().respond(to: request).status == .forbidden, "\(headers)")
            }
        }
    }

    @Test func aPageOfAListedOriginCallsAndSoDoesWhoeverHasTheToken() async {
        let gateway = Self.gateway()
        let token: HTTPFields = [.pageToken: gateway.access.token.text]
        for url in ["http://__jsbridge__/login", "http://m.example/login?_mobile_bridge=1"] {
            for headers in [[.origin: Self.listed], token] {
                let request = Self.request(url, Self.merged(Self.page, headers))
                let response = await gateway.respond(to: request)
                #expect(response.status == .ok)
                #expect(response.headers[.accessControlAllowOrigin] == headers[.origin])
            }
        }
        let request = Self.request(
            "http://evil.example/login?_mobile_bridge=1", Self.merged(Self.page, token))
        #expect(await gateway.respond(to: request).status == .ok)
    }

    @Test func theHeadAloneDecidesAlike() {
        let request = Self.request(
            "http://127.0.0.1:9999/login?_mobile_bridge=1", method: .post, [.secFetchSite: "same-origin"])
        let gateway = Self.gateway()
        guard case .refused(let response) = gateway.bodyChoice(by: gateway.plan(for: request)) else {
            Issue.record("it is taken")
            return
        }
        #expect(response.status == .forbidden)
    }

    // MARK: What others answer

    @Test func whoReadsAForeignSiteIsForThatSiteToSay() async throws {
        let request = Self.request("http://bank.example/account", [.origin: Self.listed])
        let response = await Self.gateway().respond(to: request)
        #expect(response.headers[values: .accessControlAllowOrigin] == ["http://friend.example"])
        #expect(response.headers[.vary] == nil)
        let preflight = Self.request(
            "http://bank.example/account", method: .options,
            [.origin: Self.listed, .accessControlRequestMethod: "DELETE"])
        let answer = await Self.gateway().respond(to: preflight)
        #expect(try await answer.text() == "elsewhere: OPTIONS /account")
        #expect(answer.headers[values: .accessControlAllowOrigin] == ["http://friend.example"])
    }

    @Test func whoMayCallNativeIsForTheGatewayToSay() async {
        let preflight = Self.request(
            "http://__jsbridge__/login", method: .options,
            [.origin: Self.listed, .accessControlRequestMethod: "POST"])
        let answer = await Self.gateway().respond(to: preflight)
        #expect(answer.status == .noContent)
        #expect(answer.headers[.accessControlAllowOrigin] == Self.listed)
        var foreign = preflight
        foreign.headers[.origin] = "http://evil.example"
        #expect(await Self.gateway().respond(to: foreign).status == .forbidden)
    }

    @Test(arguments: ["health", "token", "page.js", "call", "pages", "nothing", "proxy.pac"])
    func theGatewaysOwnEndpointsAreThoseOfOtherHostsToo(name: String) async throws {
        let request = Self.request("http://evil.example/__drawbridge__/\(name)", Self.page)
        let response = await Self.gateway().respond(to: request)
        #expect(try await response.text() == "elsewhere: GET /__drawbridge__/\(name)")
    }

    @Test func aListedSiteHasTheEndpointsOfItsPagesAndNoneOfTesters() async {
        let gateway = Self.gateway()
        func status(_ name: String, _ headers: HTTPFields = [:]) async -> Int {
            await gateway.respond(to: Self.request("\(Self.listed)/__drawbridge__/\(name)", headers)).status
                .code
        }
        #expect(await status("page.js") == 200)
        #expect(await status("health") == 200)
        #expect(await status("token") == 403)
        #expect(await status("token", [.pageID: "1"]) == 200)
        #expect(
            await status(
                "token", [.pageID: "1", .origin: "http://evil.example"]) == 403)
        for token in [gateway.access.token.text, gateway.testerToken.text] {
            #expect(await status("pages", [.authorization: "Bearer \(token)"]) == 403)
        }
    }
}
