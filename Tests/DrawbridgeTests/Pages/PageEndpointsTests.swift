import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeMessages

/// What pages and testers ask of the gateway itself, below `/__drawbridge__/`.
@Suite(.timeLimit(.minutes(5))) struct PageEndpointsTests {
    private static func own(_ gateway: Gateway, _ test: TestPage? = nil) -> HTTPFields {
        [
            .pageToken: gateway.access.token.text, .pageID: test?.id ?? String(repeating: "0", count: 32),
            .secFetchSite: "same-origin", .origin: "http://localhost",
        ]
    }

    // MARK: The script

    @Test func thePageScriptOfAPathIsRevalidatedByItsEntityTag() async throws {
        let gateway = PageHandlers.gateway(
            PageRuntime(schemes: ["MiZhua"], functions: ["fetchMessages"], shortcuts: ["MyApp"]))
        let first = await gateway.respond(to: Request("/__drawbridge__/page.js?path=/a%20b"))
        let text = String(decoding: try await first.body.collect(), as: UTF8.self)
        #expect(first.headers[.contentType] == "text/javascript; charset=utf-8")
        #expect(first.headers[.cacheControl] == "no-cache")
        #expect(text.contains(#""path":"/a b""#))
        #expect(text.contains(#""schemes":["mizhua"]"#))
        #expect(!text.contains(gateway.access.token.text))
        let tag = try #require(first.headers[.eTag])
        let again = await gateway.respond(
            to: Request("/__drawbridge__/page.js?path=/a%20b", headers: [.ifNoneMatch: tag]))
        #expect(again.status == .notModified)
        try gateway.register(PageHandlers.Echo.self, at: "/new")
        let changed = await gateway.respond(
            to: Request("/__drawbridge__/page.js?path=/a%20b", headers: [.ifNoneMatch: tag]))
        #expect(changed.status == .ok)
    }

    private struct Document: Responder {
        func respond(to request: Request) async throws -> Response? {
            request.path.hasPrefix("/__")
                ? nil : Response(text: "<!doctype html><p>a", contentType: "text/html")
        }
    }

    /// Sends its request on.
    private struct Onwards: Handler {
        func handle(_ request: Request) async throws -> Response { try await request.passThrough() }
    }

    @Test func documentsGetThePageScriptDirectlyAndThroughAHandler() async throws {
        let gateway = Gateway(
            passThrough: [Document()], pageRuntime: PageRuntime(excluded: ["/docs/*"]), logger: .quiet)
        try gateway.register(Onwards.self, at: "/a b")
        let tag =
            #"<!doctype html><script src="/__drawbridge__/page.js?path=/a%20b" data-token="\#(gateway.access.token.text)"></script><p>a"#
        for target in ["/a%20b", "/a%20b?_mobile_bridge=1"] {
            let response = await gateway.respond(to: Request(target, headers: [.secFetchDest: "document"]))
            #expect(String(decoding: try await response.body.collect(), as: UTF8.self) == tag)
            #expect(response.headers[.cacheControl] == "no-cache")
        }
        let plain = await gateway.respond(to: Request("/docs/1", headers: [.secFetchDest: "document"]))
        #expect(try await plain.body.collect() == Array("<!doctype html><p>a".utf8))
    }

    @Test(arguments: [false, true])
    func onlyTheForeignFramesOptionLetsOtherSitesFrameDocuments(_ isForForeignFrames: Bool) async throws {
        let gateway = Gateway(
            passThrough: [Document()], pageRuntime: PageRuntime(isForForeignFrames: isForForeignFrames),
            logger: .quiet)
        let framed = await gateway.respond(
            to: Request("/a", headers: [.secFetchDest: "iframe", .secFetchSite: "cross-site"]))
        #expect(framed.headers[.xFrameOptions] == (isForForeignFrames ? nil : "SAMEORIGIN"))
        let script = try await gateway.respond(to: Request("/__drawbridge__/page.js?path=/a")).text()
        #expect(script.contains(#""foreignFrames":true"#) == isForForeignFrames)
    }

    /// Compresses, whatever it is asked for.
    private struct Compressed: Responder {
        func respond(to request: Request) async throws -> Response? {
            Response(
                headers: [.contentType: "text/html", .contentEncoding: "gzip"], body: .bytes([0x1F, 0x8B]))
        }
    }

    @Test func aCompressedPageIsLoggedOnce() async throws {
        let log = LogBook()
        let gateway = Gateway(passThrough: [Compressed()], logger: log.logger)
        for path in ["/a", "/a", "/b"] {
            _ = await gateway.respond(to: Request(path, headers: [.secFetchDest: "document"]))
        }
        _ = await gateway.respond(to: Request("/c", headers: [.secFetchDest: "empty"]))
        let told = log.entries.filter {
            $0.contains("has no page runtime: it came with Content-Encoding: gzip")
        }
        #expect(told.count == 2)
    }

    /// Takes the origin of its pages away, or leaves it to them (CSP, "sandbox").
    private struct Sandboxed: Responder {
        func respond(to request: Request) async throws -> Response? {
            let flags = request.query["origin"] == nil ? "" : " allow-same-origin"
            return Response(
                headers: [
                    .contentType: "text/html", .contentSecurityPolicy: "sandbox allow-scripts\(flags)",
                ], body: .bytes(Array("<p>a".utf8)))
        }
    }

    @Test func aSandboxedPageIsLoggedOnceWithWhatItsPolicyNeeds() async throws {
        let log = LogBook()
        let gateway = Gateway(passThrough: [Sandboxed()], logger: log.logger)
        for target in ["/a", "/a", "/b?origin"] {
            _ = await gateway.respond(to: Request(target, headers: [.secFetchDest: "document"]))
        }
        let told = log.entries.filter { $0.contains("sandbox without allow-same-origin") }
        #expect(told.count == 1)
        #expect(told.first?.contains("/a cannot call handlers") == true)
    }

    @Test(arguments: ["/page.js", "/token", "/call", "/messages", "/pages"])
    func withoutARuntimeItsEndpointsAreMissing(_ path: String) async {
        let gateway = Gateway(pageRuntime: nil, logger: .quiet)
        let response = await gateway.respond(to: Request("/__drawbridge__" + path))
        #expect(response.status == .notFound)
    }

    // MARK: The token

    @Test func anOwnPageGetsTheTokenOfARestartedGateway() async throws {
        let gateway = PageHandlers.gateway()
        var headers = Self.own(gateway)
        headers[.pageToken] = "of the process before"
        let response = await gateway.respond(to: Request("/__drawbridge__/token", headers: headers))
        let body = try JSON(parsing: try await response.body.collect())
        #expect(body["token"]?.stringValue == gateway.access.token.text)
        #expect(body["epoch"]?.stringValue == gateway.pages.epoch)
        #expect(response.headers[.cacheControl] == "no-store")
        #expect(response.headers[.accessControlAllowOrigin] == nil)
    }

    struct Stranger: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let headers: HTTPFields
    }

    static let strangers = [
        Stranger(testDescription: "no header of ours", headers: [:]),
        Stranger(
            testDescription: "another site",
            headers: [.pageID: "x", .secFetchSite: "cross-site", .origin: "http://evil.example"]),
        Stranger(testDescription: "another port", headers: [.pageID: "x", .origin: "http://localhost:9999"]),
        Stranger(
            testDescription: "the same site", headers: [.pageID: "x", .secFetchSite: "same-site"]),
        Stranger(testDescription: "a sandbox", headers: [.pageID: "x", .origin: "null"]),
    ]

    @Test(arguments: strangers)
    func aStrangerGetsNoToken(_ stranger: Stranger) async throws {
        let gateway = PageHandlers.gateway()
        let response = await gateway.respond(
            to: Request("/__drawbridge__/token", headers: stranger.headers))
        #expect(response.status == .forbidden)
        let text = String(decoding: try await response.body.collect(), as: UTF8.self)
        #expect(!text.contains(gateway.access.token.text))
    }

    // MARK: Synchronous calls

    private static func call(_ gateway: Gateway, _ body: JSON, _ headers: HTTPFields) async throws -> (
        Response, JSON
    ) {
        var members = body.objectValue ?? [:]
        members["life"] = 1
        let response = await gateway.respond(
            to: Request(
                .post, "/__drawbridge__/call", headers: headers, body: .init(JSON.object(members).bytes)))
        return (response, try JSON(parsing: try await response.body.collect()))
    }

    @Test func aSynchronousCallComesAfterEarlierMessages() async throws {
        let gateway = PageHandlers.gateway()
        let order = Mutex<[JSON]>([])
        struct Notes: JSONHandler {
            let note: @Sendable (JSON) -> Void
            func handle(_ input: JSON) async throws -> JSON {
                note(input)
                return input
            }
        }
        try gateway.register(at: "/note") { Notes { number in order.withLock { $0.append(number) } } }
        let test = TestPage(gateway)
        let (response, body) = try await Self.call(
            gateway,
            [
                "call": "note", "data": 3, "bridge": "inject",
                "up": [[1, ["call": "note", "data": 1]], [2, ["call": "note", "data": 2]]],
            ], Self.own(gateway, test))
        #expect(response.status == .ok)
        #expect(body == ["received": 2, "value": 3])
        #expect(order.withLock { $0 } == [1, 2, 3])
    }

    @Test func aSynchronousCallReturnsErrorsAndMissingHandlers() async throws {
        let gateway = PageHandlers.gateway()
        let test = TestPage(gateway)
        let (_, failed) = try await Self.call(gateway, ["call": "fail"], Self.own(gateway, test))
        #expect(failed["error"] == ["code": 418, "message": "no tea"])
        let (_, missing) = try await Self.call(gateway, ["call": "nope"], Self.own(gateway, test))
        #expect(missing["error"] == ["code": 400, "message": "No response"])
        _ = try await test.message { $0["log"] != nil }
    }

    @Test func callingBackIntoAPageInASynchronousCallFailsWithAReason() async throws {
        let log = LogBook()
        let gateway = PageHandlers.gateway(logger: log.logger)
        let test = TestPage(gateway)
        let (_, body) = try await Self.call(
            gateway, ["call": "ask", "data": ["name": "choose"]], Self.own(gateway, test))
        #expect(body["error"]?["code"] == 409)
        #expect(body["error"]?["message"]?.stringValue?.contains("synchronous") == true)
        #expect(test.down.isEmpty)
        let line =
            "page \(test.id.prefix(8)) at /a.html, called by /ask: the page is blocked by its"
        #expect(log.entries.contains { $0.contains(line) })
    }

    /// Calls the page back in a task that does not know for whom it works.
    private struct AsksApart: JSONHandler {
        let request: Request

        func handle(_ input: JSON?) async throws -> JSON {
            let page = try #require(request.page)
            return try await Task.detached {
                // Begins when the page is known to be blocked.
                while page.state.withLock({ $0.waits.isEmpty }) {
                    try await Task.sleep(for: .milliseconds(2))
                }
                for _ in 1...2 { _ = try? await page.call("choose", deadline: .milliseconds(50)) }
                return .null
            }.value
        }
    }

    @Test(arguments: ["/__drawbridge__/call", "/__jsbridge__/apart"])
    func aCallToAPageInASynchronousCallIsLoggedWithTheHandler(_ path: String) async throws {
        let log = LogBook()
        let gateway = PageHandlers.gateway(logger: log.logger)
        try gateway.register(AsksApart.self, at: "/apart")
        let test = TestPage(gateway)
        var headers = Self.own(gateway, test)
        headers[.pageWaits] = "1"
        _ = await gateway.respond(
            to: Request(.post, path, headers: headers, body: .init(#"{"call":"apart","life":1}"#)))
        let line = """
            page \(test.id.prefix(8)) at /a.html is blocked by a synchronous request until /apart has answered, and \
            choose of the page waits until then
            """
        #expect(log.entries.filter { $0.contains(line) }.count == 1)
        #expect(try test.page.state.withLock { $0.waits.isEmpty })
    }

    @Test func aPageInASynchronousCallIsNotGivenUp() async throws {
        let gateway = PageHandlers.gateway()
        let test = TestPage(gateway)
        let page = try test.page
        struct Waits: JSONHandler {
            func handle(_ input: Nothing) async throws -> Nothing {
                try await Task.sleep(for: .seconds(60))
                return Nothing()
            }
        }
        try gateway.register(Waits.self, at: "/wait")
        let headers = Self.own(gateway, test)
        let call = Task { try await Self.call(gateway, ["call": "wait"], headers) }
        await until { page.state.withLock { !$0.waits.isEmpty } }
        test.leaveWire()
        page.expire()
        #expect(page.isOpen)
        call.cancel()
        _ = try await call.value
        for _ in 1...2 { page.expire() }
        #expect(!page.isOpen)
    }

    @Test func callingBackIntoAPageInASynchronousRequestFailsToo() async throws {
        let gateway = PageHandlers.gateway()
        let test = TestPage(gateway)
        var headers = Self.own(gateway, test)
        headers[.pageWaits] = "1"
        let response = await gateway.respond(
            to: Request(.post, "/__jsbridge__/ask", headers: headers, body: .init(#"{"name":"choose"}"#)))
        let body = try JSON(parsing: try await response.body.collect())
        #expect(body["code"] == 409)
        #expect(test.down.isEmpty)
    }

    /// A mock that takes its time holds a connection as a handler does.
    @Test(arguments: ["handler", "mock"])
    func aPageThatWaitsForFiveRequestsIsLoggedOnce(_ by: String) async throws {
        let log = LogBook()
        let gateway = Gateway(logger: log.logger)
        let warning = "waits for 5 requests at once (/wait, /wait, /wait, /wait, /wait)"
        if by == "mock" {
            try gateway.mock(["wait": ["$reply": 1, "$delay": 3600000]])
        } else {
            try gateway.register(at: "/wait") {
                Answering { _ in
                    try await Task.sleep(for: .seconds(3600))
                    return Response()
                }
            }
        }
        let page = TestPage(gateway)
        let headers = Self.own(gateway, page)
        let requests = (0..<7).map { _ in
            Task { await gateway.respond(to: Request("/wait?_mobile_bridge=1", headers: headers)) }
        }
        await until { log.entries.contains { $0.contains(warning) } }
        await until { gateway.pages.requests.count(of: page.id) == 7 }
        for request in requests { request.cancel() }
        // When they are over, they have said what there was to say.
        for request in requests { _ = await request.value }
        #expect(log.entries.filter { $0.contains("requests at once") }.count == 1)
        #expect(gateway.pages.requests.count(of: page.id) == 0)
    }

    @Test func aCallWithoutTheTokenReachesNoHandler() async throws {
        let gateway = PageHandlers.gateway()
        for path in ["call", "messages"] {
            for wrong in [nil, "x", String(repeating: "0", count: 32)] {
                var headers = Self.own(gateway)
                headers[.pageToken] = wrong
                let response = await gateway.respond(
                    to: Request(
                        .post, "/__drawbridge__/\(path)", headers: headers,
                        body: .init(#"{"call":"echo","page":"x"}"#)))
                #expect(response.status == .forbidden)
            }
        }
        for stranger in Self.strangers.dropFirst() {
            var headers = stranger.headers
            headers[.pageToken] = gateway.access.token.text
            let (response, _) = try await Self.call(gateway, ["call": "echo"], headers)
            #expect(response.status == .forbidden, "\(stranger)")
        }
    }

    // MARK: Testers

    private static func ask(
        _ gateway: Gateway, _ method: HTTPRequest.Method, _ path: String, _ body: String = "",
        token: String? = nil
    ) async throws -> (status: Int, body: JSON) {
        let response = await gateway.respond(
            to: Request(
                method, "/__drawbridge__/pages\(path)",
                headers: [.authorization: "Bearer \(token ?? gateway.testerToken.text)"], body: .init(body)))
        return (response.status.code, try JSON(parsing: try await response.body.collect()))
    }

    @Test func aTesterSeesPagesAndCallsThem() async throws {
        let gateway = PageHandlers.gateway()
        let test = TestPage(gateway)
        let list = try await Self.ask(gateway, .get, "")
        #expect(list.body["data"]?[0]?["url"] == "http://localhost/a.html")
        #expect(list.body["data"]?[0]?["bridges"] == ["wvjb"])
        #expect(list.body["data"]?[0]?["userAgent"] == "Test")

        let called = Task {
            try await Self.ask(gateway, .post, "/\(test.id.prefix(8))/call", #"{"name":"share","data":[1]}"#)
        }
        let call = try await test.message { $0["call"] == "share" }
        #expect(call["data"] == [1])
        test.tell(["result": call["id"] ?? .null, "value": "yes"])
        #expect(try await called.value.body["data"] == "yes")

        let script = Task {
            try await Self.ask(gateway, .post, "/\(test.id)/evaluate", #"{"script":"1+1"}"#)
        }
        let evaluate = try await test.message { $0["evaluate"] == "1+1" }
        test.tell(["result": evaluate["id"] ?? .null, "error": ["code": 500, "message": "no eval"]])
        let failed = try await script.value
        #expect(failed.status == 502)
        #expect(failed.body == ["code": 500, "message": "no eval"])

        #expect(try await Self.ask(gateway, .post, "/\(test.id)/send", #"{"name":"n"}"#).status == 200)
        #expect(try await Self.ask(gateway, .post, "/\(test.id)/emit", #"{"event":"e"}"#).status == 200)
        _ = try await test.message { $0["event"] == "e" }

        // A tester names a bridge that is known, or that the page itself has named.
        let wrong = try await Self.ask(gateway, .post, "/\(test.id)/send", #"{"name":"n","by":"theirs"}"#)
        #expect(wrong.status == 400)
        #expect(
            wrong.body["message"]
                == "by: must be one of wvjb, wvjb4, message, function, queue")
        test.tell(["ready": "theirs"])
        let right = try await Self.ask(gateway, .post, "/\(test.id)/send", #"{"name":"n","by":"theirs"}"#)
        #expect(right.status == 200)
        _ = try await test.message { $0["bridge"] == "theirs" }
    }

    @Test func theListOfPagesHasTheNewestFirstWithItsStartTime() async throws {
        let gateway = PageHandlers.gateway()
        // Seconds are enough to order texts by; their fractions have as many digits as they need.
        func moment(_ time: JSON?) -> String { String(time?.stringValue?.prefix(19) ?? "") }
        let before = moment(.string(Date.now.timestamp))
        let (first, second) = (TestPage(gateway), TestPage(gateway))
        func list() async throws -> [JSON] {
            try await Self.ask(gateway, .get, "").body["data"]?.arrayValue ?? []
        }
        var pages = try await list()
        #expect(pages.map { $0["id"]?.stringValue } == [second.id, first.id])
        #expect(pages.map { $0["state"] } == ["here", "here"])
        let came = pages.map { $0["came"] }
        #expect(moment(came[0]) >= moment(came[1]) && moment(came[1]) >= before)
        #expect(pages.allSatisfy { moment($0["since"]) >= moment($0["came"]) })

        first.leaveWire()
        _ = try await second.post("messages", ["leaving": false])
        second.leaveWire()
        pages = try await list()
        #expect(pages.map { $0["state"] } == ["frozen", "away"])
        #expect(pages.map { $0["came"] } == came)
        #expect(pages.allSatisfy { moment($0["since"]) >= moment($0["came"]) })
        // It is back from the back button's memory.
        TestPage(gateway, id: second.id, saysHello: false).hello()
        #expect(try await list().first?["state"] == "here")
        _ = try await second.post("messages", ["leaving": true])
        // Else a slow machine forgets the leaving page first.
        if let page = gateway.pages[second.id] { Deadlines.shared.remove(page) }
        #expect(try await list().first?["state"] == "leaving")
    }

    @Test func wrongRequestsOfTestersAboutPagesAreExplained() async throws {
        let gateway = PageHandlers.gateway()
        let test = TestPage(gateway)
        #expect(try await Self.ask(gateway, .get, "/ffff").status == 404)
        #expect(try await Self.ask(gateway, .post, "/\(test.id)/dance", "{}").status == 404)
        #expect(try await Self.ask(gateway, .post, "/\(test.id)/call", "{}").status == 400)
        let late = try await Self.ask(gateway, .post, "/\(test.id)/call", #"{"name":"a","seconds":0.02}"#)
        #expect(late.status == 504)
        for token in ["", "x", gateway.access.token.text] {
            #expect(try await Self.ask(gateway, .get, "", token: token).status == 403)
            #expect(
                try await Self.ask(gateway, .post, "/\(test.id)/evaluate", "{}", token: token).status == 403)
        }
    }
}
