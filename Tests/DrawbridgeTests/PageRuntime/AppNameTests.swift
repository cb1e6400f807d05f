import HTTPTypes
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

/// The name of the app's web view, in the page and in what goes to whoever lies behind the gateway.
@Suite(.timeLimit(.minutes(5))) struct AppNameTests {
    /// Says by which name it was asked, and with which hints.
    private struct Named: Responder {
        func respond(to request: Request) async throws -> Response? {
            guard !request.path.hasPrefix("/__") else { return nil }
            let hints = request.headers.filter { $0.name.canonicalName.hasPrefix("sec-ch-ua") }.count
            return Response(text: "\(request.headers[.userAgent] ?? "none"), \(hints) hints")
        }
    }

    private static let browser: HTTPFields = {
        var fields: HTTPFields = [.userAgent: "Mozilla/5.0 Own/1", .secFetchSite: "same-origin"]
        for name in ["Sec-CH-UA", "sec-ch-ua-platform"] { fields[HTTPField.Name(name)!] = "x" }
        return fields
    }()

    private static func asked(_ gateway: Gateway, _ path: String, _ more: HTTPFields = [:]) async throws
        -> String
    {
        var fields = browser
        for field in more { fields[field.name] = field.value }
        return try await gateway.respond(to: Request(path, headers: fields)).text()
    }

    @Test func theAppsUserAgentIsForwardedWithoutClientHints() async throws {
        let gateway = Gateway(
            passThrough: [Named()], pageRuntime: PageRuntime(userAgent: "{{userAgent}} ShopApp/3.2"),
            logger: .quiet)
        #expect(try await Self.asked(gateway, "/a") == "Mozilla/5.0 Own/1 ShopApp/3.2, 0 hints")
        let plain = Gateway(passThrough: [Named()], logger: .quiet)
        #expect(try await Self.asked(plain, "/a") == "Mozilla/5.0 Own/1, 2 hints")
    }

    @Test func aPageNamedInAFileHasItsOwnUserAgentInAllItsRequests() async throws {
        let gateway = Gateway(passThrough: [Named()], logger: .quiet)
        gateway.reply(
            by: try SessionTests.layers(
                #"{"userAgent": "All/1", "pages": {"/pay*": {"userAgent": "Pay/2"}}}"#))
        #expect(try await Self.asked(gateway, "/a", [.secFetchDest: "document"]) == "All/1, 0 hints")
        #expect(try await Self.asked(gateway, "/pay.html", [.secFetchDest: "document"]) == "Pay/2, 0 hints")
        #expect(
            try await Self.asked(gateway, "/api", [.referer: "http://localhost/pay.html?a=1"])
                == "Pay/2, 0 hints")
        let script = try await gateway.respond(to: Request("/__drawbridge__/page.js?path=/pay.html")).text()
        #expect(script.contains(#""userAgent":"Pay/2""#))
    }

    @Test(arguments: ["", "Shop\r\nX: y", "Schuhe ü", "{{user}} App", "{{userAgent}} {{input}}"])
    func aUserAgentThatIsNotAValidFieldValueIsRefused(_ text: String) {
        #expect(AppName(text) == nil)
    }

    /// Who may ask is decided by what the browser has sent: no browser may ask what programs may.
    @Test func accessIsDecidedByTheBrowsersOwnUserAgent() async throws {
        let gateway = Gateway(
            passThrough: [Named()], pageRuntime: PageRuntime(userAgent: "curl/8"), logger: .quiet)
        let bearer: HTTPFields = [.authorization: "Bearer \(gateway.testerToken.text)"]
        var program = Request("/__drawbridge__/calls", headers: bearer)
        program.headers[.userAgent] = "curl/8"
        #expect(await gateway.respond(to: program).status != .forbidden)
        var browser = Request("/__drawbridge__/calls", headers: bearer)
        browser.headers[.userAgent] = "Mozilla/5.0 Own/1"
        browser.headers[.acceptLanguage] = "de"
        #expect(await gateway.respond(to: browser).status == .forbidden)
    }
}
