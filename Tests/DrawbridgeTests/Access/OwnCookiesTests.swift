import HTTPTypes
import Testing

@testable import Drawbridge

/// What everybody but the gateway itself sees of cookies.
@Suite("The gateway's own cookies") struct OwnCookiesTests {
    @Test(arguments: [
        ("a=1; drawbridge-8080=secret; b=2", "a=1; b=2"), ("drawbridge-8080=secret", nil),
        ("drawbridge-8080=secret;a=1", "a=1"), ("a=1;\tdrawbridge-8080=secret", "a=1"),
        ("__Host-drawbridge-443=secret; a=1", "a=1"), ("__host-DRAWBRIDGE-443=secret; a=1", "a=1"),
        ("=drawbridge-8080=secret; a=1", "a=1"), ("drawbridge-x; a=1", "a=1"),
        ("a=drawbridge-8080; b=2", "a=drawbridge-8080; b=2"), ("mydrawbridge-8080=1", "mydrawbridge-8080=1"),
        ("drawbridge=1", "drawbridge=1"), ("a=1", "a=1"),
    ])
    func handlersDoNotSeeTheGatewaysCookies(sent: String, seen: String?) async throws {
        let gateway = Gateway.testing(passThrough: [CookieMirror()])
        gateway.answer(at: "/seen") { request in
            Response(text: "\(request.headers[.cookie] ?? "none") \(request.cookies.keys.sorted())")
        }
        let headers: HTTPFields = [.cookie: sent]
        let native = await gateway.respond(to: Request("/seen?_mobile_bridge=1", headers: headers))
        #expect(try await native.text().hasPrefix(seen ?? "none"))
        #expect(try await !native.text().lowercased().contains("\"drawbridge-"))
        let behind = await gateway.respond(to: Request("/behind", headers: headers))
        #expect(try await behind.text() == seen ?? "none")
    }

    @Test(arguments: [
        "drawbridge-8080=x; Path=/", " drawbridge-8080=x", "Drawbridge-8080=x",
        "__Host-drawbridge-443=x; Secure",
        "=drawbridge-8080=x", "drawbridge-8080",
    ])
    func upstreamsCannotSetTheGatewaysCookies(cookie: String) async {
        let gateway = Gateway.testing(passThrough: [CookieSetter(cookie: cookie)])
        let response = await gateway.respond(to: Request("/x"))
        #expect(response.headers[values: .setCookie] == ["mine=1; Path=/"])
        #expect(response.headers[.contentType] == "text/plain")
    }

    private struct CookieMirror: Responder {
        func respond(to request: Request) async throws -> Response? {
            Response(text: request.headers[.cookie] ?? "none")
        }
    }

    private struct CookieSetter: Responder {
        let cookie: String

        func respond(to request: Request) async throws -> Response? {
            var headers: HTTPFields = [.contentType: "text/plain"]
            headers.append(HTTPField(name: .setCookie, value: "mine=1; Path=/"))
            headers.append(HTTPField(name: .setCookie, value: cookie))
            var response = Response(headers: headers)
            response.isRelayed = true
            return response
        }
    }
}
