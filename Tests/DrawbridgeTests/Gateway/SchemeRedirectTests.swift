import HTTPTypes
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

/// A server that redirects a page to a URL of the app, as only a server can.
@Suite("Redirects to the app's scheme", .timeLimit(.minutes(5))) struct SchemeRedirectTests {
    private struct Server: Responder {
        let location: String
        let status: HTTPResponse.Status

        func respond(to request: Request) async throws -> Response? {
            var headers: HTTPFields = [.location: location, .cacheControl: "max-age=60"]
            headers.append(HTTPField(name: .setCookie, value: "a=1"))
            headers.append(HTTPField(name: .setCookie, value: "b=2"))
            return Response(status, headers: headers, body: .bytes(Array("Moved".utf8)))
        }
    }

    private static func program(
        _ location: String, _ status: HTTPResponse.Status = .found, access: AccessPolicy = AccessPolicy(),
        inApp: PageRuntime.InApp = .app, log: LogBook = LogBook()
    ) throws -> JournalProgram {
        let gateway = Gateway(
            passThrough: [Server(location: location, status: status)], access: access,
            pageRuntime: PageRuntime(schemes: ["myapp"], commandItem: "action", inApp: inApp),
            keepsJournal: true, logger: log.logger)
        try gateway.mock(["*": 0])
        return JournalProgram(gateway, withHandlers: false)
    }

    private static let navigation: HTTPFields = [
        .secFetchDest: "document", .secFetchMode: "navigate", .secFetchSite: "same-origin",
        .referer: "http://localhost/shop/a.html?x=1",
    ]

    private func calls(_ program: JournalProgram, _ count: Int = 1) async throws -> [JSON] {
        await until { program.gateway.journal.calls().count >= count }
        return try await program.calls()
    }

    @Test(arguments: [
        ("myapp://pay?amount=1&note=a+b%20c", "pay", #"{"amount":"1","note":"a+b c"}"#),
        ("MyApp://cart/open/#top", "cart/open", "null"),
        ("myapp://host?action=home&tab=0", "home", #"{"action":"home","tab":"0"}"#),
    ])
    func aRedirectOfANavigationIsACallAndThePageStays(location: String, name: String, input: String)
        async throws
    {
        for status in [HTTPResponse.Status.movedPermanently, .found, .seeOther, .temporaryRedirect] {
            let program = try Self.program(location, status)
            let answer = await program.gateway.respond(
                to: Request(.post, "/go", headers: Self.navigation, body: .init("x=1")))
            #expect(answer.status == .noContent && answer.headers[.location] == nil)
            // The server may have logged somebody in, and the next click has to ask it again.
            #expect(answer.headers[values: .setCookie] == ["a=1", "b=2"])
            #expect(answer.headers[.cacheControl] == "no-store")
            let call = try #require(try await calls(program).first)
            #expect(call["name"]?.stringValue == name && call["bridge"] == "command")
            #expect("\(call["input"] ?? .null)" == input && call["by"] == "reply")
        }
    }

    /// The call is that of the page that was navigated, with its session, its handlers and its mocks.
    @Test func theCallIsThatOfThePage() async throws {
        let program = try Self.program("myapp://pay")
        try program.gateway.register(at: "/pay") { Answering { _ in Response(text: "for all") } }
        try program.gateway.pages(matching: "/shop/*") {
            try $0.register(at: "/pay") { Answering { _ in Response(text: "for the shop") } }
        }
        try program.gateway.mock(["*": ["$pass": true]])
        _ = await program.gateway.respond(to: Request("/go", headers: Self.navigation))
        #expect(try await calls(program)[0]["output"] == "for the shop")
        let page = TestPage(program.gateway, url: "http://localhost/shop/a.html")
        _ = await program.gateway.respond(to: Request("/go", headers: Self.navigation))
        #expect(try await calls(program, 2)[1]["page"]?["id"]?.stringValue == page.id)
    }

    @Test(
        arguments: [
            // Another site, a link of its mail, a frame of its page.
            [.secFetchSite: "cross-site", .referer: "http://evil.example/"],
            [.secFetchSite: "cross-site"], [.secFetchSite: "same-site", .referer: "http://localhost:1/"],
            [.secFetchSite: "cross-site", .secFetchDest: "iframe"],
            [.secFetchSite: "", .referer: "http://evil.example/"],
            [.origin: "http://evil.example"],
        ] as [HTTPFields])
    func noForeignPageReachesNativeByIt(_ fields: HTTPFields) async throws {
        let log = LogBook()
        let program = try Self.program("myapp://pay", log: log)
        var headers = Self.navigation
        headers[.referer] = nil
        for field in fields { headers[field.name] = field.value.isEmpty ? nil : field.value }
        for _ in 0..<2 {
            let answer = await program.gateway.respond(to: Request("/go", headers: headers))
            #expect(answer.status == .found && answer.headers[.location] == "myapp://pay")
        }
        #expect(program.gateway.journal.calls().isEmpty)
        #expect(
            log.entries.count == 1 && log.entries[0].contains("/go redirects to myapp://, and no call is"))
    }

    /// By plain http to another machine a browser says nothing of sites, and a page of ours sends no token with a link.
    @Test(arguments: [("http://192.0.2.1/a", true), ("http://evil.example/", false), ("", false)])
    func onAPhoneThePageIsToldByItsReferer(referer: String, mayCall: Bool) async throws {
        let access = AccessPolicy(allowedHosts: ["192.0.2.1"])
        let program = try Self.program("myapp://pay", access: access)
        let (_, secret) = program.gateway.admissions.admit(
            ticket: program.gateway.admissions.drawTicket(), address: "192.0.2.9", browser: "Phone")!
        var headers: HTTPFields = [.accept: "text/html", .upgradeInsecureRequests: "1"]
        headers[.referer] = referer.isEmpty ? nil : referer
        var request = Request(.get, "/go", headers: headers, remoteAddress: "192.0.2.9")
        request.head.authority = "192.0.2.1"
        request.headers[.cookie] = "\(program.gateway.admissionCookie(for: request).name)=\(secret)"
        let answer = await program.gateway.respond(to: request)
        #expect(answer.status == (mayCall ? .noContent : .found), "\(answer)")
    }

    @Test(
        arguments: [
            ("https://shop.example/", [:]), ("/cart", [:]), ("tel:123", [:]),
            ("intent://pay#Intent;end", [:]),
            ("itms-apps://x", [:]), ("//myapp://x", [:]),
            // Nobody has opened it yet; a program; a picture's request.
            ("myapp://pay", [.secPurpose: "prefetch"]), ("myapp://pay", [.secFetchDest: "", .accept: ""]),
            // The app itself hears it.
            ("myapp://pay", [.userAgent: "Mozilla/5.0 (iPhone) AppleWebKit/605.1 ShopApp/1"]),
        ] as [(String, HTTPFields)])
    func anyOtherRedirectIsPassedOnWithoutAWord(location: String, fields: HTTPFields) async throws {
        let log = LogBook()
        let program = try Self.program(location, log: log)
        var headers = Self.navigation
        for field in fields { headers[field.name] = field.value.isEmpty ? nil : field.value }
        let answer = await program.gateway.respond(to: Request("/go", headers: headers))
        #expect(answer.status == .found && answer.headers[.location] == location)
        #expect(log.entries.isEmpty && program.gateway.journal.calls().isEmpty, "\(log.entries)")
    }

    @Test func inTheAppMocksAnswerWhereTheyAreTo() async throws {
        let program = try Self.program("myapp://pay", inApp: .mocks)
        var headers = Self.navigation
        headers[.userAgent] =
            "Mozilla/5.0 (Linux; Android 15; wv) AppleWebKit/537.36 Chrome/130 Safari/537.36"
        #expect(await program.gateway.respond(to: Request("/go", headers: headers)).status == .noContent)
    }

    @Test(arguments: [
        ("myapp://pay", "empty", "/go redirects a script's request to myapp://"),
        ("myapp://fetch_message", "iframe", "the page itself must say that its queue has messages"),
        ("otherapp://pay", "document", "/go redirects to otherapp://, and nothing takes it"),
    ])
    func whatCanBeNoCallIsSaidOnce(location: String, destination: String, why: String) async throws {
        let log = LogBook()
        let program = try Self.program(location, log: log)
        var headers = Self.navigation
        (headers[.secFetchDest], headers[.secFetchMode]) = (
            destination, destination == "empty" ? "cors" : "navigate"
        )
        for _ in 0..<2 {
            let answer = await program.gateway.respond(to: Request("/go", headers: headers))
            #expect(answer.headers[.location] == location)
        }
        #expect(log.entries.count == 1 && log.entries[0].contains(why), "\(log.entries)")
        #expect(try await program.calls("?kind=notice").count == 1)
    }
}
