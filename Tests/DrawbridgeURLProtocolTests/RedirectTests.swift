import Drawbridge
import DrawbridgeTesting
import DrawbridgeURLProtocol
import Foundation
import FoundationNetworking
import HTTPTypes
import TestSupport
import Testing

/// `urlProtocol(_:wasRedirectedTo:redirectResponse:)` is the caller's to follow.
@Suite(.timeLimit(.minutes(5))) struct RedirectTests {
    @Test(arguments: [(302, 302), (308, 308), (200, 302)])
    func aRedirectIsSentToTheCaller(status: Int, sent: Int) async throws {
        let path = ScriptedProtocol.script { $0.redirect(to: "http://localhost/next?a=b", status) }
        let response = await Gateway.scripted().respond(to: Request(path))
        #expect(response.status.code == sent)
        #expect(response.headers[.location] == "http://localhost/next?a=b")
        #expect(try await response.text().isEmpty)
    }
}
