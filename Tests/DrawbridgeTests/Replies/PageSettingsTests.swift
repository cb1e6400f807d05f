import HTTPTypes
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

/// What pages are given apart from mocks: globals, cookies, answers without an envelope.
@Suite("Globals and cookies of pages") struct PageSettingsTests {
    private struct Documents: Responder {
        func respond(to request: Request) async throws -> Response? {
            guard request.path != "/own.html" else {
                return Response(
                    headers: [.contentType: "text/html", .setCookie: "sid=mine"],
                    body: .bytes(Array("<p>a".utf8)))
            }
            return Response(text: "<!doctype html><p>a", contentType: "text/html")
        }
    }

    private static func gateway(_ text: String) throws -> Gateway {
        let gateway = Gateway(passThrough: [Documents()], logger: .quiet)
        gateway.reply(by: try SessionTests.layers(text))
        return gateway
    }

    private static let text = #"""
        {"globals": {"appInfo": {"version": "3.2"}, "b": 1}, "cookies": {"sid": "s1", "theme": "dark"},
         "pages": {"/pay*": {"globals": {"appInfo": {"version": "3.1"}}, "cookies": {"sid": "s2"}}}}
        """#

    @Test(arguments: [
        ("/a.html", #""globals":{"appInfo":{"version":"3.2"},"b":1}"#),
        ("/pay.html", #""globals":{"appInfo":{"version":"3.1"},"b":1}"#),
    ])
    func aPagesScriptGetsItsGlobals(_ path: String, _ part: String) async throws {
        let gateway = try Self.gateway(Self.text)
        let script = await gateway.respond(to: Request("/__drawbridge__/page.js?path=\(path)"))
        #expect(try await script.text().contains(part))
        let none = await Gateway.testing().respond(to: Request("/__drawbridge__/page.js?path=\(path)"))
        #expect(try await !none.text().contains(#""globals":"#))
    }

    private static func cookies(
        _ gateway: Gateway, _ path: String, cookie: String? = nil, use: String = "document"
    ) async -> [String] {
        var headers: HTTPFields = [.secFetchDest: use]
        if let cookie { headers[.cookie] = cookie }
        return await gateway.respond(to: Request(path, headers: headers)).headers[values: .setCookie]
    }

    @Test func aDocumentSetsTheCookiesThatItsRequestLacks() async throws {
        let gateway = try Self.gateway(Self.text)
        #expect(await Self.cookies(gateway, "/a.html") == ["sid=s1; Path=/", "theme=dark; Path=/"])
        #expect(await Self.cookies(gateway, "/pay.html") == ["sid=s2; Path=/", "theme=dark; Path=/"])
        #expect(await Self.cookies(gateway, "/a.html", cookie: "sid=x") == ["theme=dark; Path=/"])
        #expect(await Self.cookies(gateway, "/a.html", cookie: "theme=1; sid=x") == [])
        // What the page's own server sets, it knows better.
        #expect(await Self.cookies(gateway, "/own.html") == ["sid=mine", "theme=dark; Path=/"])
        #expect(await Self.cookies(gateway, "/a.html", use: "script") == [])
    }

    @Test func withoutAnEnvelopeAMockIsTheBareValueOrAnErrorStatus() async throws {
        let gateway = Gateway(answers: .bare, logger: .quiet)
        try gateway.mock([
            "getUser": ["code": 0, "data": 1], "none": .null,
            "fails": ["$error": ["code": 401, "message": "who?"]],
        ])
        let answer = await gateway.respond(to: Request("/getUser?_mobile_bridge=1"))
        #expect(try await answer.text() == #"{"code": 0, "data": 1}"#.replacing(" ", with: ""))
        #expect(answer.headers[.contentType] == "application/json")
        #expect(try await gateway.respond(to: Request("/none?_mobile_bridge=1")).text() == "null")
        let failed = await gateway.respond(to: Request("/fails?_mobile_bridge=1"))
        #expect(failed.status == .unauthorized)
        #expect(try await failed.text() == #"{"code":401,"message":"who?"}"#)
        #expect(await gateway.respond(to: Request("/missing?_mobile_bridge=1")).status == .badRequest)
    }

    @Test func aSaveChangesGlobalsAndCookiesOfPages() async throws {
        let gateway = try Self.gateway(Self.text)
        gateway.reply(by: try SessionTests.layers(#"{"replies": {"a": 1}}"#))
        #expect(await Self.cookies(gateway, "/a.html") == [])
        gateway.reply(by: try SessionTests.layers(#"{"cookies": {"new": "1"}}"#))
        #expect(await Self.cookies(gateway, "/a.html") == ["new=1; Path=/"])
    }
}
