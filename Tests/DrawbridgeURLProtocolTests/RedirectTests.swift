import Drawbridge
import DrawbridgeTesting
import DrawbridgeURLProtocol
import Foundation
import FoundationNetworking
import HTTPTypes
import TestSupport
import Testing

/// `urlProtocol(_:wasRedirectedTo:redirectResponse:)`: to the caller, or followed by the gateway.
@Suite(.timeLimit(.minutes(5))) struct RedirectTests {
    @Test(arguments: [(302, 302), (308, 308), (200, 302)])
    func aRedirectIsSentToTheCaller(status: Int, sent: Int) async throws {
        let path = ScriptedProtocol.script { $0.redirect(to: "http://localhost/next?a=b", status) }
        let response = await Gateway.scripted().respond(to: Request(path))
        #expect(response.status.code == sent)
        #expect(response.headers[.location] == "http://localhost/next?a=b")
        #expect(try await response.text().isEmpty)
    }

    @Test func theGatewayFollowsARedirectToAnotherClassOrHandler() async throws {
        let end = ScriptedProtocol.script { $0.answer("the end") }
        let path = ScriptedProtocol.script { $0.redirect(to: "http://localhost\(end)") }
        let gateway = Gateway.scripted(.followed)
        gateway.answer(at: "/handler") { request in Response(text: "cookie \(request.cookies["a"] ?? "")") }
        let toHandler = ScriptedProtocol.script {
            $0.redirect(to: "http://localhost/handler?_mobile_bridge=1")
        }
        #expect(try await gateway.respond(to: Request(path)).text() == "the end")
        let response = await gateway.respond(to: Request(toHandler, headers: [.cookie: "a=b"]))
        #expect(try await response.text() == "cookie b")
    }

    @Test func aCallerWithAccessHasAccessAfterARedirect() async throws {
        let access = AccessPolicy(requiresToken: true)
        let gateway = Gateway.testing(access: access)
        gateway.register(ScriptedProtocol.self, redirects: .followed)
        let end = ScriptedProtocol.script { $0.answer("the end") }
        let path = ScriptedProtocol.script { $0.redirect(to: "http://localhost\(end)") }
        let token: HTTPFields = [HTTPField.Name("X-Drawbridge-Token")!: access.token.text]
        #expect(try await gateway.respond(to: Request(path, headers: token)).text() == "the end")
        #expect(await gateway.respond(to: Request(path)).status == .forbidden)
    }

    @Test func aRedirectToAnotherHostIsSentToTheCaller() async throws {
        let path = ScriptedProtocol.script { $0.redirect(to: "https://other.example/") }
        let response = await Gateway.scripted(.followed).respond(to: Request(path))
        #expect(response.status == .found)
        #expect(response.headers[.location] == "https://other.example/")
    }

    @Test func aLoopOfRedirectsEnds() async throws {
        let journal = Notebook()
        let path = ScriptedProtocol.script { scripted in
            journal.note("start")
            scripted.redirect(to: scripted.request.url!.absoluteString)
        }
        let response = await Gateway.scripted(.followed).respond(to: Request(path))
        #expect(response.status == .badGateway)
        #expect(try await response.text().contains("redirected more than 20 times"))
        #expect(journal.entries.count == 21)
    }
}
