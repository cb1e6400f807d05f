import Drawbridge
import HTTPTypes
import Testing

@testable import DrawbridgePageRuntime

/// What native knows of a page in the app itself; the page's part is tried in hosts (BrowserTests, InAppTests).
struct InAppNoteTests {
    private static let android =
        "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 Version/4.0 Chrome/126.0 Mobile Safari/537.36 ShopApp/3.2"
    private static let apple =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148"
    private static let safari = "\(apple) Version/17.5 Safari/604.1"

    private static func script(
        _ runtime: PageRuntime, browser: String
    ) async throws -> String {
        let gateway = Gateway(passThrough: [], pageRuntime: runtime)
        let request = Request("/__drawbridge__/page.js?path=/", headers: [.userAgent: browser])
        return try await gateway.respond(to: request).text()
    }

    @Test(arguments: [
        (android, "Google"), (apple, "Apple"), (safari, nil),
        ("Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/26.0.0", nil), ("curl/8", nil),
        ("", nil),
    ])
    func aWebViewIsToldByItsUserAgent(_ browser: String, _ view: String?) async throws {
        let script = try await Self.script(PageRuntime(), browser: browser)
        #expect(script.contains(#""view":"\#(view ?? "")"#) == (view != nil))
        let byMocks = try await Self.script(PageRuntime(inApp: .mocks), browser: browser)
        #expect(!byMocks.contains(#""view":"#))
        #expect(byMocks.contains(#""inApp":"mocks""#))
    }

    @Test func theNameOfTheAppIsLeftOutWhereTheBrowserHasIt() async throws {
        let runtime = PageRuntime(userAgent: "{{userAgent}} ShopApp/4.0")
        #expect(
            try await Self.script(runtime, browser: Self.safari).contains(
                #""userAgent":"{{userAgent}} ShopApp/4.0""#))
        #expect(try await !Self.script(runtime, browser: Self.android).contains(#""userAgent":"#))
        // A name without the browser's own is said everywhere.
        let other = PageRuntime(userAgent: "Mozilla/5.0 Safari/604.1")
        #expect(try await Self.script(other, browser: Self.safari).contains(#""userAgent":"#))
    }

    @Test(arguments: [
        (PageRuntime(), android, false), (PageRuntime(inApp: .mocks), android, true),
        (PageRuntime(), safari, true),
    ])
    func framesOfTheAppsSchemesAreNotBlockedInItsWebView(
        _ runtime: PageRuntime, _ browser: String, _ isBlocked: Bool
    ) async throws {
        struct Document: Responder {
            func respond(to request: Request) async throws -> Response? {
                Response(headers: [.contentType: "text/html"], body: .bytes(Array("<p>x".utf8)))
            }
        }
        let gateway = Gateway(passThrough: [Document()], pageRuntime: runtime)
        let request = Request("/", headers: [.userAgent: browser, .secFetchDest: "document"])
        let response = await gateway.respond(to: request)
        let policy = response.headers[.contentSecurityPolicy] ?? ""
        #expect(policy.contains("frame-src http:") == isBlocked)
    }

    @Test func whoAnswersIsSaidOnceForEachBridgeAndBrowser() async throws {
        let log = LogBook()
        let gateway = Gateway(logger: log.logger)
        for name in ["there", "there", "absent", "fixed"] {
            let page = TestPage(gateway, userAgent: Self.android, from: "192.0.2.7")
            let app = JSON.string("_\(name)")
            page.tell(name == "there" ? ["app": app] : ["app": app, "state": .string(name)])
            _ = try await page.message { $0["log"]?.stringValue?.contains("_\(name)") == true }
        }
        let place = "/a.html (ShopApp/3.2, 192.0.2.7)"
        #expect(
            log.entries == [
                "notice: \(place): the app's own _there answers, mocks are not asked. To use mocks anyway: --in-app mocks",
                "notice: \(place) is in a web view without _absent: mocks answer. If the app gives its bridge to listed "
                    + "origins alone, open http://localhost:8080 by adb reverse, or list this one",
                "notice: \(place): the web view does not let scripts replace _fixed; the app's own answers",
            ])
    }

    @Test func theArrivalEventIsLeftToTheApp() async throws {
        let gateway = Gateway()
        let text = #"{"events": {"$load": [{"call": "setSafeArea", "data": {"top": 44}}]}}"#
        let file = try ReplyFile(LocatedJSON(parsing: Array(text.utf8)))
        gateway.reply(by: ReplyLayers(ReplyNames(), files: [file], scenario: []))
        let isCall: @Sendable (JSON) -> Bool = { $0["call"] == "setSafeArea" }
        let inApp = TestPage(gateway, saying: ["hasApp": true])
        _ = try await TestPage(gateway).message(isCall)
        #expect(!inApp.down.map(\.message).contains(where: isCall))
    }

    @Test func whoAnswersInTheAppIsSwitchedWhileItServes() async throws {
        let gateway = Gateway()
        func draw(_ query: String) async throws -> Response {
            await gateway.respond(
                to: Request(
                    .post, "/__drawbridge__/admissions\(query)",
                    headers: [.authorization: "Bearer \(gateway.testerToken.text)"]))
        }
        #expect(try await draw("").text().contains(#""inApp":"app""#))
        #expect(try await draw("?in-app=mocks").text().contains(#""inApp":"mocks""#))
        let script = try await gateway.respond(to: Request("/__drawbridge__/page.js?path=/")).text()
        #expect(script.contains(#""inApp":"mocks""#))
        #expect(try await draw("?in-app=phone").status == .badRequest)
        #expect(try await draw("").text().contains(#""inApp":"mocks""#))
    }

    @Test(arguments: [
        #"{"app": ""}"#, #"{"app": "x", "state": "gone"}"#,
        #"{"app": 1}"#, #"{"state": "absent"}"#,
    ])
    func whatTheRuntimeDoesNotSendIsNoNote(_ text: String) throws {
        #expect(try InAppNote(JSON(parsing: Array(text.utf8))) == nil)
        #expect(InAppNote(["app": .string(String(repeating: "x", count: 101))]) == nil)
    }
}
