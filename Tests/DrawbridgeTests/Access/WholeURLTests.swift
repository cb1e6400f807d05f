import HTTPTypes
import TestSupport
import Testing

@testable import Drawbridge

/// A target that is a whole URL, as a proxy gets it: judged as its `Host` would be, and never a page's of ours.
@Suite("Whole URLs as request targets")
struct WholeURLTests {
    private static let listed = "http://m.example"

    private struct Document: Responder {
        func respond(to request: Request) async throws -> Response? {
            Response(text: "<!doctype html><title>ours</title>", contentType: "text/html")
        }
    }

    private static func gateway() -> Gateway {
        let gateway = Gateway.testing(
            passThrough: [Document()],
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

    // MARK: Names

    @Test(arguments: [
        "localhost", "LOCALHOST:1", "localhost.", "a.localhost:9", "127.0.0.1:8080", "[::1]", "[::1]:81",
        "kiosk.example", "KIOSK.example.:9",
    ])
    func ownHostsInAWholeURLAreAnsweredAsUsual(host: String) async throws {
        let gateway = Self.gateway()
        func answer(_ target: String) async -> Response {
            await gateway.respond(to: Self.request("http://\(host)\(target)", Self.curl))
        }
        #expect(try await answer("/page").text() == "<!doctype html><title>ours</title>")
        #expect(await answer("/__drawbridge__/health").status == .ok)
        #expect(await answer("/__drawbridge__/none").status == .notFound)
        // A program calls by a loopback name; by another it needs the token, as without a whole URL.
        let mayCall = !host.lowercased().hasPrefix("kiosk")
        for target in ["/login?_mobile_bridge=1", "/__jsbridge__/login"] {
            #expect(await answer(target).status == (mayCall ? .ok : .forbidden))
        }
    }

    @Test(arguments: [
        "evil.example", "localhost.evil.example", "128.0.0.1", "[::2]", "m.example", "xkiosk.example",
        "__jsbridge__.evil.example",
    ])
    func foreignHostsInAWholeURLAreRefusedOnEveryRoute(host: String) async throws {
        let gateway = Self.gateway()
        for target in [
            "/page", "/login?_mobile_bridge=1", "/__jsbridge__/login", "/__drawbridge__/health",
            "/__drawbridge__/pages",
        ] {
            for headers: HTTPFields in [
                Self.curl, [.pageToken: gateway.access.token.text], [.origin: "http://\(host)"],
                [.secFetchSite: "same-origin"], [.authorization: "Bearer \(gateway.testerToken.text)"],
            ] {
                let response = await gateway.respond(to: Self.request("http://\(host)\(target)", headers))
                #expect(response.status == .forbidden, "\(target) \(headers)")
                #expect(response.headers[.connection] == "close")
                let message = try await response.json()["message"]?.stringValue
                #expect(message?.contains("which is not a proxy; allow it with --allowed-hosts ") == true)
            }
        }
    }

    @Test(arguments: ["", ":80", "u@localhost", "localhost:65536", "[::1", "local host"])
    func anInvalidHostInAWholeURLIsABadRequest(host: String) async {
        var request = Request("/login?_mobile_bridge=1", authority: host, headers: Self.curl)
        request.isAbsoluteForm = true
        #expect(await Self.gateway().respond(to: request).status == .badRequest)
    }

    // MARK: Programs

    @Test(arguments: ["http://__jsbridge__/login", "http://__JSBridge__./login?_mobile_bridge=1"])
    func aLocalProgramMayCallTheJSBridgeHostByAWholeURL(url: String) async {
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
    func aWholeURLFromAPossibleBrowserIsRefused(headers: HTTPFields) async {
        let request = Self.request("http://__jsbridge__/login", Self.merged(Self.curl, headers))
        #expect(await Self.gateway().respond(to: request).status == .forbidden)
    }

    /// A page can give its browser another name, and a program can call itself like one.
    @Test(arguments: ["Mozilla/5.0", "", "curl/7.88.1"])
    func theUserAgentDoesNotDecideWhetherACallerIsABrowser(name: String) async {
        for (more, status) in [([:], 200), ([.acceptEncoding: "gzip"], 403)] as [(HTTPFields, Int)] {
            var headers = more
            headers[.userAgent] = name
            let request = Self.request("http://__jsbridge__/login", headers, from: "127.0.0.1")
            #expect(await Self.gateway().respond(to: request).status.code == status)
        }
    }

    // MARK: Pages

    /// One that is open by way of a proxy is of one origin with its site, and may choose nearly every field.
    @Test(arguments: [
        "http://evil.example", "http://127.0.0.1:9999", "http://localhost:9999", "http://localhost",
        "http://evil.localhost", "http://[::1]:9999", "http://kiosk.example", "http://kiosk.example:9999",
        "http://m.example:9999", "http://m.example",
    ])
    func aForeignPageCannotCallNativeByAWholeURLOfItsSite(site: String) async {
        for path in ["/login?_mobile_bridge=1", "/__jsbridge__/login"] {
            for headers: HTTPFields in [
                [:], [.secFetchSite: "same-origin"], [.secFetchSite: "none"], [.origin: site],
                [.origin: site, .secFetchSite: "same-origin"], [.userAgent: "page", .acceptLanguage: ""],
            ] {
                let request = Self.request(site + path, Self.merged(Self.page, headers))
                #expect(await Self.gateway().respond(to: request).status == .forbidden, "\(path) \(headers)")
            }
        }
    }

    @Test(arguments: ["http://__jsbridge__/login", "http://__jsbridge__/login?_mobile_bridge=1"])
    func aForeignPageMayNotCallTheJSBridgeHostByAWholeURL(url: String) async {
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

    @Test func aListedOriginOrTheTokenMayCallByAWholeURL() async {
        let gateway = Self.gateway()
        let token: HTTPFields = [.pageToken: gateway.access.token.text]
        for url in ["http://__jsbridge__/login", "http://localhost:8080/login?_mobile_bridge=1"] {
            for headers in [[.origin: Self.listed], token] {
                let request = Self.request(url, Self.merged(Self.page, headers))
                let response = await gateway.respond(to: request)
                #expect(response.status == .ok)
                #expect(response.headers[.accessControlAllowOrigin] == headers[.origin])
            }
        }
    }

    @Test func accessIsDecidedTheSameFromTheHeadAlone() {
        let request = Self.request(
            "http://127.0.0.1:9999/login?_mobile_bridge=1", method: .post, [.secFetchSite: "same-origin"])
        let gateway = Self.gateway()
        guard case .refused(let response) = gateway.bodyChoice(by: gateway.plan(for: request)) else {
            Issue.record("it is taken")
            return
        }
        #expect(response.status == .forbidden)
    }

    @Test func theGatewayAnswersPreflightsOfWholeURLs() async {
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

    @Test(arguments: [true, false])
    func aWrongTokenOfAnOwnPageIsRefusedOnlyWithAWholeURL(isAbsolute: Bool) async {
        var request = Request(
            "/login?_mobile_bridge=1", headers: [.pageToken: "old", .secFetchSite: "same-origin"])
        request.isAbsoluteForm = isAbsolute
        #expect(await Self.gateway().respond(to: request).status == (isAbsolute ? .forbidden : .ok))
    }

    /// Its document has no token, and no page comes of what is asked in its name.
    @Test(arguments: [true, false])
    func aDocumentOfAWholeURLIsNotAnOwnPage(isAbsolute: Bool) async throws {
        let gateway = Self.gateway()
        let token = gateway.access.token.text
        func ask(
            _ target: String, _ method: HTTPRequest.Method, _ headers: HTTPFields, _ body: String = ""
        ) async -> Response {
            var request = Request(method, target, headers: headers, body: .init(body))
            request.isAbsoluteForm = isAbsolute
            return await gateway.respond(to: request)
        }
        let document = await ask("/", .get, [.secFetchDest: "document", .accept: "text/html"])
        #expect(try await document.text().contains(token) == !isAbsolute)
        let id = String(repeating: "a", count: 32)
        let body = #"{"page":"\#(id)","life":1,"n":0,"up":[]}"#
        let taken = await ask("/__drawbridge__/messages", .post, [.pageToken: token], body)
        #expect(taken.status == (isAbsolute ? .forbidden : .ok))
        #expect((gateway.pages[id] == nil) == isAbsolute)
        #expect(
            await ask("/__drawbridge__/token", .get, [.pageID: id]).status == (isAbsolute ? .forbidden : .ok))
    }

    /// Which page it is, a request by a whole URL cannot say, whatever token it has.
    @Test func callsByAWholeURLBelongToNoPage() async throws {
        let gateway = Self.gateway()
        let id = String(repeating: "a", count: 32)
        let token = gateway.access.token.text
        let message = Request(
            .post, "/__drawbridge__/messages", headers: [.pageToken: token],
            body: .init(#"{"page":"\#(id)","life":1,"n":0,"up":[]}"#))
        #expect(await gateway.respond(to: message).status == .ok)
        let page = Observed<String?>(nil)
        gateway.answer(at: "/who") { request in
            page.change { $0 = request.page?.id }
            return Response(text: "answered")
        }
        for isAbsolute in [false, true] {
            var request = Request(
                "/who?_mobile_bridge=1",
                headers: [.pageToken: token, .pageID: id, .pagePath: "/a", .pageBridge: "wvjb"])
            request.isAbsoluteForm = isAbsolute
            #expect(await gateway.respond(to: request).status == .ok)
            #expect(page.value == (isAbsolute ? nil : id))
            #expect(request.headers.contains(.pagePath) == !isAbsolute)
            #expect(request.headers.contains(.pageBridge) == !isAbsolute)
            page.change { $0 = nil }
        }
    }
}
