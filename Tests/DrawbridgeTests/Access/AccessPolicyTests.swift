import HTTPTypes
import TestSupport
import Testing

@testable import Drawbridge

@Suite("Who may call")
struct AccessPolicyTests {
    private static let listed = "https://app.example"
    private static let policy = AccessPolicy(
        allowedHosts: ["Kiosk.Example.", "192.168.1.5:8080"], allowedOrigins: ["HTTPS://App.Example:443"])

    /// A gateway whose handler notes that it ran.
    private func gateway(_ access: AccessPolicy, _ journal: Notebook) -> Gateway {
        let gateway = Gateway.testing(passThrough: [Behind()], access: access)
        gateway.answer(at: "/pay") { _ in
            journal.note("paid")
            return Response(text: "paid")
        }
        return gateway
    }

    private func status(
        _ target: String = "/pay?_mobile_bridge=1", authority: String? = "localhost:8080",
        headers: HTTPFields = [:], isAbsoluteForm: Bool = false, access: AccessPolicy = policy
    ) async -> Int {
        let journal = Notebook()
        var request = Request(.post, target, authority: authority, headers: headers)
        request.isAbsoluteForm = isAbsoluteForm
        let response = await gateway(access, journal).respond(to: request)
        let paid = response.status == .ok && target.contains("pay")
        #expect(journal.entries == (paid ? ["paid"] : []), "the handler runs exactly when the call is taken")
        return response.status.code
    }

    // MARK: - Hosts

    private static let everyRoute = [
        "/pay?_mobile_bridge=1", "/page", "/__drawbridge__/health", "/__jsbridge__/pay",
    ]

    @Test(arguments: [
        "localhost", "LOCALHOST:1", "localhost.", "localhost.:8080", "app.localhost", "a.b.LocalHost.:80",
        "127.0.0.1", "127.0.0.1:65535", "127.1.2.3", "127.0.0.1.", "[::1]", "[::1]:8080",
        "[::ffff:127.0.0.1]",
        "__jsbridge__", "__jsbridge__:8080", "__JSBridge__.", "localhost:", "kiosk.example",
        "KIOSK.example.:9",
        "192.168.1.5", "192.168.1.5:1",
    ])
    func ownHostsAreAccepted(host: String) async {
        let response = await gateway(Self.policy, Notebook()).respond(to: Request("/page", authority: host))
        #expect(response.status == .ok)
    }

    @Test(arguments: [
        "evil.example", "localhost.evil.com", "127.0.0.1.evil.com", "evil-localhost", "localhostevil",
        "xlocalhost", "localhost..", "2130706433", "0x7f.0.0.1", "0x7f000001", "127.1", "0177.0.0.1",
        "0.0.0.0",
        "127.0.0.256", "127.0.0.+1", "127.-0.0.1", "128.0.0.1", "10.0.0.1", "[::2]", "[fe80::1]", "[::]",
        "[::ffff:10.0.0.1]", "__jsbridge__.evil.com", "evil.__jsbridge__", "xkiosk.example",
        "a.kiosk.example",
        "192.168.1.55", "1.192.168.1.5", "localhost%00.evil.com", "localhost%2eevil.com",
    ])
    func foreignHostsAreRefusedOnEveryRoute(host: String) async throws {
        for target in Self.everyRoute {
            let journal = Notebook()
            let request = Request(target, authority: host)
            let response = await gateway(Self.policy, journal).respond(to: request)
            #expect(response.status == .forbidden)
            #expect(response.headers[.connection] == "close")
            #expect(try await response.json()["message"]?.stringValue?.contains("--allowed-hosts ") == true)
            #expect(journal.entries.isEmpty)
        }
    }

    @Test(arguments: [
        "", " ", "local host", "localhost:80:80", "localhost:x", "localhost:-1", "localhost:65536",
        "u@localhost",
        "localhost,evil", "localhost/", "[::1", "::1", "[localhost]", "[::1]x", ".", "löcalhost",
    ])
    func anInvalidHostIsABadRequest(host: String) async {
        for target in Self.everyRoute { #expect(await status(target, authority: host) == 400) }
    }

    @Test func aWholeURLWithAForeignHostIsRefused() async {
        #expect(await status("/page", authority: "localhost", isAbsoluteForm: true) == 200)
        #expect(await status("/page", authority: "any.example", isAbsoluteForm: true) == 403)
        #expect(await status(authority: "any.example", isAbsoluteForm: true) == 403)
    }

    @Test func aRequestWithoutAHostIsNotTakenForALocalOne() async {
        #expect(await status("/page", authority: nil) == 200)
        #expect(await status(authority: nil) == 403)
    }

    // MARK: - Callers

    struct Call: Sendable, CustomTestStringConvertible {
        var site: String?
        var origin: String?
        var referer: String?
        var host = "localhost:8080"
        var isAbsolute = false
        var isTaken: Bool

        var headers: HTTPFields {
            var headers = HTTPFields()
            headers[.secFetchSite] = site
            headers[.origin] = origin
            headers[.referer] = referer
            return headers
        }

        var testDescription: String {
            """
            \(isAbsolute ? "absolute " : "")\(host), site \(site ?? "-"), origin \(origin ?? "-"), \
            referer \(referer ?? "-")
            """
        }
    }

    static let calls: [Call] = [
        // A loopback authority: browsers send Sec-Fetch-Site, curl nothing.
        Call(isTaken: true),
        Call(site: "same-origin", isTaken: true),
        Call(site: "none", isTaken: true),
        Call(site: "same-site", isTaken: false),
        Call(site: "cross-site", isTaken: false),
        Call(site: "Same-Origin", isTaken: false),
        Call(site: "cross-site, same-origin", isTaken: false),
        Call(site: "unheard-of", isTaken: false),
        Call(origin: "http://localhost:8080", isTaken: true),
        Call(site: "same-origin", origin: "http://localhost:8080", isTaken: true),
        Call(site: "cross-site", origin: "http://localhost:8080", isTaken: false),
        Call(site: "same-site", origin: "http://localhost:8080", isTaken: false),
        Call(origin: "http://localhost:8081", isTaken: false),
        Call(origin: "http://localhost", isTaken: false),
        Call(origin: "https://localhost:8080", isTaken: false),
        Call(site: "same-site", origin: "http://localhost:3000", isTaken: false),
        Call(site: "same-origin", origin: "https://evil.example", isTaken: false),
        Call(site: "cross-site", origin: "https://evil.example", isTaken: false),
        Call(origin: "https://evil.example", isTaken: false),
        Call(origin: "null", isTaken: false),
        // A page of ours with `Referrer-Policy: no-referrer`; a sandbox says `cross-site`.
        Call(site: "same-origin", origin: "null", isTaken: true),
        Call(site: "cross-site", origin: "null", isTaken: false),
        Call(site: "none", origin: "null", isTaken: false),
        Call(origin: "", isTaken: false),
        Call(origin: listed, isTaken: true),
        Call(site: "cross-site", origin: listed, isTaken: true),
        Call(site: "same-site", origin: listed, isTaken: true),
        Call(origin: "http://app.example", isTaken: false),
        Call(origin: "https://app.example.evil.com", isTaken: false),
        Call(origin: "\(listed), \(listed)", isTaken: false),
        Call(host: "127.0.0.1", isTaken: true),
        Call(origin: "http://127.0.0.1", host: "127.0.0.1:80", isTaken: true),
        Call(origin: "http://[::1]:8080", host: "[::1]:8080", isTaken: true),
        // The name that no browser can resolve.
        Call(host: "__jsbridge__", isTaken: true),
        Call(origin: "https://evil.example", host: "__jsbridge__", isTaken: false),
        // Nothing marks it as a browser's: it is a program's.
        Call(host: "__jsbridge__", isAbsolute: true, isTaken: true),
        // On the network nobody says where a simple request comes from.
        Call(host: "192.168.1.5:8080", isTaken: false),
        Call(origin: "http://192.168.1.5:8080", host: "192.168.1.5:8080", isTaken: true),
        Call(origin: "https://evil.example", host: "192.168.1.5:8080", isTaken: false),
        Call(origin: listed, host: "192.168.1.5:8080", isTaken: true),
        // A link, an image, a worker there: by the path of a page of ours, which no other page and no redirect has.
        Call(referer: "http://kiosk.example/shop", host: "kiosk.example", isTaken: true),
        Call(referer: "http://Kiosk.example/shop", host: "kiosk.example", isTaken: false),
        Call(referer: "http://kiosk.example/?a=1", host: "kiosk.example:80", isTaken: true),
        Call(referer: "http://192.168.1.5:8080/w.js", host: "192.168.1.5:8080", isTaken: true),
        Call(referer: "http://kiosk.example/", host: "kiosk.example", isTaken: false),
        Call(referer: "http://kiosk.example", host: "kiosk.example", isTaken: false),
        Call(referer: "http://kiosk.example:81/shop", host: "kiosk.example", isTaken: false),
        Call(referer: "https://kiosk.example/shop", host: "kiosk.example", isTaken: false),
        Call(referer: "http://kiosk.example.evil.com/shop", host: "kiosk.example", isTaken: false),
        Call(referer: "http://kiosk.example@evil.com/shop", host: "kiosk.example", isTaken: false),
        Call(referer: "http://evil.com/http://kiosk.example/shop", host: "kiosk.example", isTaken: false),
        Call(referer: "/shop", host: "kiosk.example", isTaken: false),
        Call(referer: "", host: "kiosk.example", isTaken: false),
        Call(origin: "null", referer: "http://kiosk.example/shop", host: "kiosk.example", isTaken: false),
        Call(site: "same-site", referer: "http://kiosk.example/shop", host: "kiosk.example", isTaken: false),
        Call(
            origin: "http://kiosk.example:81", referer: "http://kiosk.example/shop", host: "kiosk.example",
            isTaken: false),
        Call(referer: "http://kiosk.example/shop", host: "kiosk.example", isAbsolute: true, isTaken: false),
        Call(site: "cross-site", host: "kiosk.example", isTaken: false),
        Call(site: "same-origin", host: "kiosk.example", isTaken: true),
        // By a whole URL, which no page of ours sends: programs of this machine, and pages of listed origins.
        Call(isAbsolute: true, isTaken: true),
        Call(site: "same-origin", isAbsolute: true, isTaken: false),
        Call(site: "none", isAbsolute: true, isTaken: false),
        Call(origin: "http://localhost:8080", isAbsolute: true, isTaken: false),
        Call(origin: listed, isAbsolute: true, isTaken: true),
        Call(origin: listed, host: "__jsbridge__", isAbsolute: true, isTaken: true),
        Call(site: "same-origin", host: "__jsbridge__", isAbsolute: true, isTaken: false),
        Call(host: "evil.example", isAbsolute: true, isTaken: false),
        Call(origin: "http://evil.example", host: "evil.example", isAbsolute: true, isTaken: false),
        Call(site: "same-origin", host: "evil.example", isAbsolute: true, isTaken: false),
        Call(site: "none", host: "evil.example", isAbsolute: true, isTaken: false),
        Call(origin: listed, host: "evil.example", isAbsolute: true, isTaken: false),
        Call(origin: "http://kiosk.example", host: "kiosk.example", isAbsolute: true, isTaken: false),
    ]

    @Test(arguments: calls)
    func callsAreAcceptedFromOwnPagesAndListedOnes(call: Call) async {
        for target in ["/pay?_mobile_bridge=1", "/__jsbridge__/pay", "/__jsbridge__?action=pay"] {
            let status = await status(
                target, authority: call.host, headers: call.headers, isAbsoluteForm: call.isAbsolute)
            #expect(status == (call.isTaken ? 200 : 403))
        }
    }

    @Test(
        arguments: calls.filter { $0.host != "__jsbridge__" && !($0.isAbsolute && $0.host == "evil.example") }
    )
    func requestsThatAreNotForNativeMayComeFromAnywhere(call: Call) async {
        #expect(
            await status(
                "/page", authority: call.host, headers: call.headers, isAbsoluteForm: call.isAbsolute)
                == 200)
    }

    @Test(arguments: calls)
    func accessIsDecidedTheSameFromTheHeadAlone(call: Call) {
        var request = Request(
            .post, "/pay?_mobile_bridge=1", authority: call.host, headers: call.headers)
        request.isAbsoluteForm = call.isAbsolute
        let gateway = gateway(Self.policy, Notebook())
        switch gateway.bodyChoice(by: gateway.plan(for: request)) {
        case .taken: #expect(call.isTaken)
        case .refused(let response):
            #expect(!call.isTaken)
            #expect(response.status == .forbidden)
        }
    }

    @Test(
        arguments: [
            ([.origin: "https://a.example"], "localhost", "--cors https://a.example"),
            ([.origin: "null"], "localhost", "serve it with --root"),
            ([.secFetchSite: "cross-site"], "localhost", "--cors ORIGIN"),
            ([:], "192.168.1.5", "X-Drawbridge-Token"), ([:], "192.168.1.5", "/index.html"),
            ([:], "192.168.1.5", "fetch"), ([.origin: "null"], "kiosk.example", "no-referrer"),
            ([.origin: "https://kiosk.example"], "kiosk.example", "--public-url https://kiosk.example"),
            ([:], "a.example:80", "--allowed-hosts a.example"),
        ] as [(HTTPFields, String, String)])
    func aRefusalNamesWhatWouldAllowItInTheAnswerAndInTheLog(
        headers: HTTPFields, authority: String, option: String
    ) async throws {
        let book = LogBook()
        let gateway = Gateway.testing(access: Self.policy, logger: book.logger)
        let request = Request("/echo?_mobile_bridge=1", authority: authority, headers: headers)
        let message = try await gateway.respond(to: request).json()["message"]?.stringValue
        #expect(message?.contains(option) == true)
        #expect(book.entries.count == 1)
        #expect(book.entries.first?.hasPrefix("warning: GET /echo refused: ") == true)
        #expect(book.entries.first?.contains(option) == true)
    }

    // MARK: - The token

    @Test func theTokenIsAcceptedLikeAnOwnPage() async {
        let right: HTTPFields = [.pageToken: Self.policy.token.text]
        #expect(await status(headers: right) == 200)
        #expect(await status(authority: "192.168.1.5", headers: right) == 200)
        #expect(await status(headers: right, isAbsoluteForm: true) == 200)
        var own = right
        own[.origin] = "http://localhost:8080"
        #expect(await status(headers: own, isAbsoluteForm: true) == 200)
    }

    @Test func theTokenDoesNotOpenTheGatewayToForeignOriginsOrHosts() async {
        var headers: HTTPFields = [.pageToken: Self.policy.token.text, .origin: "https://evil.example"]
        #expect(await status(headers: headers) == 403)
        headers[.origin] = "null"
        #expect(await status(headers: headers) == 403)
        headers[.secFetchSite] = "cross-site"
        #expect(await status(authority: "kiosk.example", headers: headers) == 403)
        headers[.secFetchSite] = nil
        // A page of ours without a referrer at a plain http name, where the browser says nothing else.
        #expect(await status(authority: "kiosk.example", headers: headers) == 200)
        headers[.origin] = nil
        #expect(await status(authority: "evil.example", headers: headers) == 403)
        #expect(await status(authority: "evil.example", headers: headers, isAbsoluteForm: true) == 403)
    }

    @Test func aWrongTokenIsRefusedExceptFromAnOwnPageThatNeedsNone() async {
        let token = Self.policy.token.text
        let strict = AccessPolicy(requiresToken: true)
        for wrong in [
            "", "x", token.uppercased() + "0", String(token.dropLast()), PageToken().text, token + " x",
        ] {
            #expect(await status(headers: [.pageToken: wrong]) == 403)
            // The browser says whose page it is; it may be open since before a restart.
            let own: HTTPFields = [.pageToken: wrong, .secFetchSite: "same-origin"]
            #expect(await status(headers: own) == 200)
            #expect(await status(headers: own, access: strict) == 403)
            #expect(await status(headers: [.pageToken: wrong, .origin: Self.listed]) == 403)
        }
    }

    @Test func theTokenCanBeRequiredOfEveryCall() async {
        let access = AccessPolicy(allowedOrigins: [Self.listed], requiresToken: true)
        #expect(await status(access: access) == 403)
        #expect(await status(headers: [.secFetchSite: "same-origin"], access: access) == 403)
        #expect(await status(headers: [.origin: Self.listed], access: access) == 403)
        #expect(await status(headers: [.pageToken: access.token.text], access: access) == 200)
        #expect(await status("/page", access: access) == 200)
    }

    @Test func tokensAre128BitsAndNewEveryTime() {
        let tokens = Set((0..<100).map { _ in PageToken().text })
        #expect(tokens.count == 100)
        #expect(tokens.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    // MARK: - CORS

    private func preflight(
        _ origin: String?, target: String = "/pay?_mobile_bridge=1", access: AccessPolicy = policy,
        more: HTTPFields = [:]
    ) async -> Response {
        var headers: HTTPFields = [
            .accessControlRequestMethod: "PUT", .accessControlRequestHeaders: "x-a, x-b",
        ]
        headers[.origin] = origin
        for field in more { headers.append(field) }
        let journal = Notebook()
        let request = Request(.options, target, headers: headers)
        let response = await gateway(access, journal).respond(to: request)
        #expect(journal.entries.isEmpty)
        return response
    }

    @Test func aPreflightOfAListedOriginIsAnswered() async {
        for target in ["/pay?_mobile_bridge=1", "/__jsbridge__", "/page"] {
            let response = await preflight(Self.listed, target: target)
            #expect(response.status == .noContent)
            #expect(response.headers[.accessControlAllowOrigin] == Self.listed)
            #expect(response.headers[.accessControlAllowMethods] == "PUT")
            #expect(response.headers[.accessControlAllowHeaders] == "x-a, x-b")
            #expect(response.headers[.vary] == "Origin")
            #expect(response.headers[.allowPrivateNetwork] == nil)
        }
    }

    @Test(arguments: ["https://evil.example", "null", "https://app.example:444", "*", nil])
    func aPreflightOfAnotherOriginIsNotAnswered(origin: String?) async {
        for access in [Self.policy, AccessPolicy(), AccessPolicy(allowedOrigins: ["null", "*"])] {
            let response = await preflight(origin, access: access, more: [.requestPrivateNetwork: "true"])
            for name in [
                HTTPField.Name.accessControlAllowOrigin, .accessControlAllowMethods,
                .accessControlAllowHeaders,
                .allowPrivateNetwork,
            ] {
                #expect(response.headers[name] == nil)
            }
        }
    }

    @Test func thePrivateNetworkIsOpenToListedOriginsOnly() async {
        let more: HTTPFields = [.requestPrivateNetwork: "true"]
        #expect(await preflight(Self.listed, more: more).headers[.allowPrivateNetwork] == "true")
        #expect(await preflight("https://evil.example", more: more).headers[.allowPrivateNetwork] == nil)
    }

    @Test func onlyAListedOriginMayReadTheAnswer() async {
        func headers(_ origin: String?, _ target: String) async -> HTTPFields {
            var headers = HTTPFields()
            headers[.origin] = origin
            return await gateway(Self.policy, Notebook()).respond(to: Request(target, headers: headers))
                .headers
        }
        for target in ["/pay?_mobile_bridge=1", "/page", "/none?_mobile_bridge=1", "/__drawbridge__/health"] {
            let allowed = await headers(Self.listed, target)
            #expect(allowed[.accessControlAllowOrigin] == Self.listed)
            #expect(allowed[.vary] == "Origin")
            for origin in [nil, "null", "https://evil.example", "http://localhost"] {
                let other = await headers(origin, target)
                #expect(other[.accessControlAllowOrigin] == nil)
                #expect(other[.vary] == "Origin")
            }
        }
    }

    @Test func withoutListedOriginsThereIsNoTraceOfCORS() async {
        let headers: HTTPFields = [.origin: "http://localhost"]
        let gateway = gateway(AccessPolicy(), Notebook())
        let response = await gateway.respond(to: Request("/pay?_mobile_bridge=1", headers: headers))
        #expect(response.headers[.accessControlAllowOrigin] == nil)
        #expect(response.headers[.vary] == nil)
    }

    @Test(arguments: [
        ("Accept-Encoding", "Accept-Encoding, Origin"), ("origin", "origin"), ("*", "*"),
        ("X-Original", "X-Original, Origin"),
    ])
    func theVaryFieldOfAnAnswerIsKept(vary: String, expected: String) async {
        let gateway = gateway(Self.policy, Notebook())
        gateway.answer(at: "/vary") { _ in Response(headers: [.vary: vary]) }
        let response = await gateway.respond(to: Request("/vary?_mobile_bridge=1"))
        #expect(response.headers[.vary] == expected)
    }

    @Test(arguments: [
        ("https://a.example", "https://a.example"), ("HTTPS://A.Example:443", "https://a.example"),
        ("http://a.example:80", "http://a.example"), ("http://a.example:443", "http://a.example:443"),
        ("http://[::1]:8080", "http://[::1]:8080"), ("https://a.example/", nil), ("a.example", nil),
        ("null", nil), ("*", nil), ("https://", nil), ("https://a b", nil),
    ])
    func originsAreNormalizedAsBrowsersDo(text: String, origin: String?) {
        #expect(WebOrigin.of(text) == origin)
    }

    @Test func guessingTheTokenIsThrottled() async {
        let gateway = Gateway.testing()
        var statuses: [Int: Int] = [:]
        for number in 0..<100 {
            var request = Request("/x?_mobile_bridge=1")
            request.headers[.pageToken] = "guess-\(number)"
            statuses[await gateway.respond(to: request).status.code, default: 0] += 1
        }
        #expect(statuses[403, default: 0] >= 20)
        #expect(statuses[429, default: 0] >= 1)
        #expect(statuses.keys.sorted() == [403, 429])
    }
}
