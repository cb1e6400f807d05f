import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

/// Callers from elsewhere: nothing without an admission, documents with one, handlers with the page token too.
@Suite("Access from other machines") struct EntryTests {
    private static let phone = "192.0.2.7"
    private static let host = "bridge.test:8080"

    private static func gateway(
        _ access: AccessPolicy = AccessPolicy(allowedHosts: ["bridge.test"]), logger: Logger = .quiet
    ) -> Gateway {
        let gateway = Gateway.testing(passThrough: [Document()], access: access, logger: logger)
        surely { try gateway.register(at: "/SecretName") { _ in Named(name: "SecretName") } }
        return gateway
    }

    private struct Document: Responder {
        func respond(to request: Request) async throws -> Response? {
            Response(text: "<!doctype html><title>Shop</title>", contentType: "text/html")
        }
    }

    private static func request(
        _ method: HTTPRequest.Method = .get, _ target: String, _ headers: HTTPFields = [:],
        host: String? = host,
        body: String = "", from address: String = phone
    ) -> Request {
        var headers = headers
        if target == "/document" { headers[.secFetchDest] = "document" }
        return Request(
            method, target, authority: host, headers: headers, body: .init(body), remoteAddress: address)
    }

    /// The cookie that the gateway gave for a ticket.
    private static func cookie(
        _ gateway: Gateway, from address: String = phone, _ headers: HTTPFields = [:]
    ) async throws -> String {
        let answer = await gateway.respond(
            to: request(
                .post, "/__drawbridge__/enter", headers, body: gateway.admissions.drawTicket(), from: address)
        )
        #expect(answer.status == .noContent)
        let field = try #require(answer.headers[.setCookie])
        #expect(field.hasSuffix("; Path=/; HttpOnly; SameSite=Lax"))
        return String(field.prefix { $0 != ";" })
    }

    private static let targets =
        OwnPath.allCases.filter { !$0.isForEverybody }.map(\.path) + [
            "/", "/document", "/SecretName?_mobile_bridge=1", "/__jsbridge__", "/__jsbridge__/SecretName",
            "/__drawbridge__/pages/0/evaluate", "/__drawbridge__", "/__drawbridge__/none",
        ]

    @Test(arguments: targets)
    func withoutAdmissionNothingIsReachable(target: String) async throws {
        let gateway = Self.gateway()
        let tries: [HTTPFields] = [
            [:], [.pageID: String(repeating: "0", count: 32)], [.pageToken: gateway.access.token.text],
            [.authorization: "Bearer \(gateway.testerToken.text)"],
            [.cookie: "drawbridge-8080=\(PageToken().text)"], [.origin: "http://bridge.test:8080"],
            [.secFetchSite: "same-origin"],
        ]
        for headers in tries {
            for method in [HTTPRequest.Method.get, .post, .options, .head] {
                let answer = await gateway.respond(to: Self.request(method, target, headers))
                #expect(answer.status == .forbidden, "\(method) \(target) \(headers)")
                try await expectNothing(of: gateway, in: answer)
            }
        }
    }

    @Test(
        arguments: [
            "localhost", "LOCALHOST:8080", "a.localhost", "127.0.0.1", "127.1.2.3:8080", "[::1]",
            "__jsbridge__",
            "0.0.0.0", "192.168.1.5", "evil.example", "phone.local", "localhost.", nil,
        ] as [String?])
    func noSpellingOfTheHostReplacesAdmission(host: String?) async throws {
        let gateway = Self.gateway()
        for target in Self.targets {
            var request = Self.request(.get, target, [.pageID: "x"], host: host)
            for isAbsolute in [false, true] {
                request.isAbsoluteForm = isAbsolute
                let answer = await gateway.respond(to: request)
                #expect(answer.status == .forbidden, "\(target)")
                try await expectNothing(of: gateway, in: answer)
            }
        }
    }

    private func expectNothing(of gateway: Gateway, in answer: Response) async throws {
        let text = try await answer.text()
        for secret in [
            gateway.access.token.text, gateway.testerToken.text, "SecretName", "Shop", "rawbridge", "enter",
            Self.phone,
        ] {
            #expect(!text.contains(secret))
            #expect(!answer.headers.contains { $0.value.contains(secret) })
        }
        #expect(answer.headers[.setCookie] == nil)
    }

    @Test func healthTellsStrangersOnlyItsStatus() async throws {
        let answer = await Self.gateway().respond(to: Self.request(.get, "/__drawbridge__/health"))
        #expect(answer.status == .ok)
        #expect(try await answer.json()["data"] == ["status": "ok"])
    }

    @Test func theEntryPageContainsNoSecret() async throws {
        let gateway = Self.gateway()
        let answer = await gateway.respond(to: Self.request(.get, "/__drawbridge__/enter"))
        #expect(answer.status == .ok)
        #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(answer.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
        let text = try await answer.text()
        #expect(!text.contains(gateway.access.token.text) && !text.contains("rawbridge"))
        #expect(text.contains("location.replace"))
    }

    @Test func aTicketLetsSeveralDevicesLoadPagesButNotCall() async throws {
        let gateway = Self.gateway()
        let ticket = gateway.admissions.drawTicket()
        var cookies: Set<String> = []
        for address in [Self.phone, "192.0.2.8"] {
            let answer = await gateway.respond(
                to: Self.request(.post, "/__drawbridge__/enter", body: ticket, from: address))
            cookies.insert(try #require(answer.headers[.setCookie]))
        }
        #expect(cookies.count == 2 && gateway.admissions.all.count == 2)
        let cookie: HTTPFields = [.cookie: try await Self.cookie(gateway)]
        let document = await gateway.respond(to: Self.request(.get, "/document", cookie))
        #expect(document.status == .ok)
        #expect(try await document.text().contains(gateway.access.token.text))
        // A link, a form or a picture has the cookie with it.
        for target in ["/SecretName?_mobile_bridge=1", "/__jsbridge__/SecretName"] {
            for more in [[:], [.secFetchSite: "same-origin"], [.secFetchSite: "none"]] as [HTTPFields] {
                let call = Self.request(.get, target, HTTPFields(Array(cookie) + Array(more)))
                #expect(await gateway.respond(to: call).status == .forbidden)
                var complete = call
                complete.headers[.pageToken] = gateway.access.token.text
                #expect(try await gateway.respond(to: complete).text() == "SecretName")
            }
        }
        // The page of a site that is listed has no cookie with it, and a foreign page gets nowhere with both.
        var foreign = Self.request(.get, "/SecretName?_mobile_bridge=1", cookie)
        foreign.headers[.pageToken] = gateway.access.token.text
        foreign.headers[.origin] = "http://evil.example"
        #expect(await gateway.respond(to: foreign).status == .forbidden)
    }

    @Test func theCookieIsValidOnlyForThePortThatTheBrowserUsed() async throws {
        let gateway = Self.gateway()
        let cookie = try await Self.cookie(gateway)
        #expect(cookie.wholeMatch(of: /drawbridge-8080=[0-9a-f]{54}/) != nil)
        let other = Self.request(.get, "/document", [.cookie: cookie], host: "bridge.test:9090")
        #expect(await gateway.respond(to: other).status == .forbidden)
    }

    /// Its address may be listed as an origin as well, as an address of pages that may call.
    @Test(arguments: [["https://bridge.test"], []])
    func behindTLSAPageOfThePublicAddressLetsADeviceIn(listed: Set<String>) async throws {
        var access = AccessPolicy(allowedHosts: ["bridge.test"], allowedOrigins: listed)
        access.allow("https://bridge.test")
        let gateway = Self.gateway(access)
        var request = Self.request(
            .post, "/__drawbridge__/enter", [.origin: "https://bridge.test", .secFetchSite: "same-origin"],
            host: "bridge.test", body: gateway.admissions.drawTicket())
        let answer = await gateway.respond(to: request)
        #expect(answer.headers[.setCookie]?.hasPrefix("__Host-drawbridge-443=") == true)
        request.headers[.origin] = "https://evil.example"
        #expect(await gateway.respond(to: request).status == .forbidden)
    }

    @Test func overHTTPSTheCookieIsForThisHostOnly() async throws {
        let gateway = Self.gateway()
        let head = RequestHead(
            .post, scheme: "https", authority: "bridge.test", target: "/__drawbridge__/enter", headers: [:])
        let ticket = gateway.admissions.drawTicket()
        let answer = await gateway.respond(
            to: Request(head, body: .init(ticket), remoteAddress: Self.phone))
        let field = try #require(answer.headers[.setCookie])
        #expect(
            field.wholeMatch(
                of: /__Host-drawbridge-443=[0-9a-f]{54}; Path=\/; HttpOnly; SameSite=Lax; Secure/) != nil)
    }

    /// TLS ends at a server in front, and the cookie is for browsers.
    @Test func behindTLSTheCookieIsSecureAndAdmitsToTheSameAddress() async throws {
        var access = AccessPolicy(trustedProxies: ["127.0.0.1"])
        access.allow("https://bridge.test")
        let gateway = Self.gateway(access)
        let fields: HTTPFields = [.xForwardedFor: Self.phone]
        let ticket = gateway.admissions.drawTicket()
        let answer = await gateway.respond(
            to: Self.request(
                .post, "/__drawbridge__/enter", fields, host: "bridge.test", body: ticket, from: "127.0.0.1"))
        let field = try #require(answer.headers[.setCookie])
        #expect(field.hasPrefix("__Host-drawbridge-443=") && field.hasSuffix("; Secure"))
        let cookie = String(field.prefix { $0 != ";" })
        let document = Self.request(
            .get, "/document", [.xForwardedFor: Self.phone, .cookie: cookie], host: "bridge.test",
            from: "127.0.0.1")
        #expect(await gateway.respond(to: document).status == .ok)
    }

    @Test(
        arguments: [
            [.origin: "http://evil.example"], [.origin: "null"], [.secFetchSite: "cross-site"],
            [.secFetchSite: "same-site"],
        ] as [HTTPFields])
    func aForeignPageCannotGiveADeviceAccess(headers: HTTPFields) async {
        let gateway = Self.gateway()
        let ticket = gateway.admissions.drawTicket()
        let answer = await gateway.respond(
            to: Self.request(.post, "/__drawbridge__/enter", headers, body: ticket))
        #expect(answer.status == .forbidden)
        #expect(gateway.admissions.all.isEmpty)
    }

    /// As phones with old cookies are, behind one address.
    @Test func manyWrongTicketsAndCookiesHoldUpNoRightOne() async throws {
        let gateway = Self.gateway()
        let right = try await Self.cookie(gateway)
        for number in 0..<100 {
            let digits = String(repeating: "0", count: 52) + String(10 + number % 90)
            for guess in [
                Self.request(.post, "/__drawbridge__/enter", body: "guess-\(number)"),
                Self.request(.get, "/document", [.cookie: "drawbridge-8080=\(digits)"]),
            ] {
                #expect(await gateway.respond(to: guess).status == .forbidden)
            }
        }
        #expect(await gateway.respond(to: Self.request(.get, "/document", [.cookie: right])).status == .ok)
        #expect(try await Self.cookie(gateway) != right)
    }

    @Test func thisMachineNeedsNoCookieAndGetsNone() async {
        let gateway = Self.gateway()
        let ticket = gateway.admissions.drawTicket()
        let answer = await gateway.respond(
            to: Request(
                .post, "/__drawbridge__/enter", body: .init(ticket), remoteAddress: "127.0.0.1"))
        #expect(answer.status == .noContent && answer.headers[.setCookie] == nil)
        #expect(gateway.admissions.all.isEmpty)
    }

    /// Its cookie may be too old for other gateways.
    @Test func aDeviceThatComesAgainGetsANewCookie() async throws {
        let gateway = Self.gateway()
        let cookie = try await Self.cookie(gateway)
        let other = try await Self.cookie(gateway, [.cookie: cookie])
        #expect(other != cookie && gateway.admissions.all.count == 2)
    }

    @Test func aDeviceMayGoToAnotherGatewayWithTheSameSecret() async throws {
        var access = AccessPolicy(allowedHosts: ["bridge.test"])
        access.secret = SharedSecret()
        let (one, other) = (Self.gateway(access), Self.gateway(access))
        let cookie = try await Self.cookie(one)
        func status(at gateway: Gateway) async -> Int {
            await gateway.respond(to: Self.request(.get, "/document", [.cookie: cookie])).status.code
        }
        #expect(await status(at: other) == 200)
        #expect(await status(at: Self.gateway()) == 403)
        let admission = try #require(other.admissions.all.first)
        #expect(other.admissions.revoke(admission.id))
        #expect(await status(at: other) == 403)
    }

    @Test func eachAdmissionIsLoggedWithHowToEndIt() async throws {
        let book = LogBook()
        let gateway = Self.gateway(logger: book.logger)
        let cookie = try await Self.cookie(gateway, [.userAgent: "Mozilla/5.0 (A phone)"])
        let line = try #require(book.entries.first { $0.contains("has access now") })
        let id = try #require(gateway.admissions.all.first).id
        #expect(line.contains(Self.phone) && line.contains("A phone"))
        #expect(line.contains("DELETE") && line.contains("/__drawbridge__/admissions/\(id)"))
        #expect(!line.contains(cookie.split(separator: "=")[1]))
        #expect(!line.contains(gateway.testerToken.text))
        // What the line says is so.
        let bearer: HTTPFields = [.authorization: "Bearer \(gateway.testerToken.text)"]
        let list = await gateway.respond(to: Request("/__drawbridge__/admissions", headers: bearer))
        #expect(try await list.json()["data"]?[0]?["id"] == .string(id))
        #expect(try await list.json()["data"]?[0]?["open"] == 0)
        let end = Request(.delete, "/__drawbridge__/admissions/\(id)", headers: bearer)
        #expect(await gateway.respond(to: end).status == .ok)
        let none = Request(.delete, "/__drawbridge__/admissions/none", headers: bearer)
        #expect(await gateway.respond(to: none).status == .notFound)
        // As with a variable that is not set.
        let nothing = Request(.delete, "/__drawbridge__/admissions/", headers: bearer)
        #expect(await gateway.respond(to: nothing).status == .methodNotAllowed)
        let after = Self.request(.get, "/document", [.cookie: cookie])
        #expect(await gateway.respond(to: after).status == .forbidden)
    }

    @Test func aNewLinkCanBeMadeByTheAPI() async throws {
        let gateway = Self.gateway()
        let bearer: HTTPFields = [.authorization: "Bearer \(gateway.testerToken.text)"]
        let answer = await gateway.respond(to: Request(.post, "/__drawbridge__/admissions", headers: bearer))
        let link = try #require(try await answer.json()["data"]?["link"]?.stringValue)
        let parts = link.split(separator: "#")
        let enter = Self.request(.post, String(parts[0]), body: String(parts[1]))
        #expect(await gateway.respond(to: enter).status == .noContent)
    }

    // MARK: Host

    @Test(arguments: [
        ("192.168.1.5", "192.168.1.5", true), ("192.168.1.5:8080", "192.168.1.5", true),
        ("192.168.1.5", "::ffff:192.168.1.5", true), ("[fd00::5]:8080", "fd00::5", true),
        ("[FD00:0::5]", "fd00::5", true), ("192.168.1.6", "192.168.1.5", false),
        ("0.0.0.0", "192.168.1.5", false), ("localhost", "192.168.1.5", false),
        ("phone.local", "192.168.1.5", false), ("127.0.0.1", "192.168.1.5", false),
        ("bridge.test", "192.168.1.5", true),
    ])
    func theAddressThatAConnectionCameToIsAcceptedAsHost(host: String, local: String, isGood: Bool) async {
        let gateway = Self.gateway()
        let head = RequestHead(
            .get, scheme: "http", authority: host, target: "/__drawbridge__/health", headers: [:])
        let request = Request(head, remoteAddress: Self.phone, localAddress: local)
        #expect(await gateway.respond(to: request).status.code == (isGood ? 200 : 403))
    }

    // MARK: Programs

    @Test func programsOnOtherMachinesReachTheAPIIfThatIsAllowed() async {
        let bearer = { (gateway: Gateway) in
            [HTTPField.Name.authorization: "Bearer \(gateway.testerToken.text)"] as HTTPFields
        }
        let open = Self.gateway(AccessPolicy(allowedHosts: ["bridge.test"], apiIsForOthers: true))
        for path in ["/__drawbridge__/pages", "/__drawbridge__/admissions"] {
            #expect(await open.respond(to: Self.request(.get, path, bearer(open))).status == .ok)
            let wrong: HTTPFields = [.authorization: "Bearer \(PageToken().text)"]
            #expect(await open.respond(to: Self.request(.get, path, wrong)).status == .forbidden)
            #expect(await open.respond(to: Self.request(.get, path)).status == .forbidden)
            var page = bearer(open)
            page[.origin] = "http://bridge.test:8080"
            #expect(await open.respond(to: Self.request(.get, path, page)).status == .forbidden)
        }
        // The token opens the API and nothing else.
        #expect(await open.respond(to: Self.request(.get, "/document", bearer(open))).status == .forbidden)
    }

    // MARK: A whole URL as target

    @Test(arguments: ["__jsbridge__", "localhost:8080", "m.example", "evil.example"])
    func anAdmittedDeviceCannotUseAnotherHostByAWholeURL(host: String) async throws {
        let gateway = Self.gateway(
            AccessPolicy(allowedHosts: ["bridge.test"], allowedOrigins: ["http://m.example"]))
        let headers: HTTPFields = [
            .cookie: try await Self.cookie(gateway), .pageToken: gateway.access.token.text,
        ]
        for target in ["/document", "/echo?_mobile_bridge=1", "/__drawbridge__/token"] {
            var request = Self.request(.get, target, headers, host: host)
            request.isAbsoluteForm = true
            #expect(await gateway.respond(to: request).status == .forbidden, "\(target)")
        }
    }

    /// By the token, which every device knows that was let in once.
    @Test(arguments: [true, false])
    func aWholeURLOpensNoChannel(_ isAbsolute: Bool) async throws {
        let gateway = Self.gateway()
        var request = Self.request(.get, "/__drawbridge__/channel")
        request.isAbsoluteForm = isAbsolute
        let outcome = Result { () throws(HTTPError) in
            try gateway.admitChannel(request, token: gateway.access.token.text)
        }
        switch outcome {
        case .success: #expect(!isAbsolute)
        case .failure(let error): #expect(isAbsolute && error.status == .forbidden)
        }
    }
}
