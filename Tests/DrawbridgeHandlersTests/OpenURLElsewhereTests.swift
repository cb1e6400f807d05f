import DrawbridgeHandlers
import HTTPTypes
import Synchronization
import Testing

@testable import Drawbridge

/// Whoever holds a phone sees nothing of what is opened on the gateway's machine.
@Suite struct OpenURLElsewhereTests {
    private final class Opened: Sendable {
        let urls = Mutex<[String]>([])
    }

    @Test func nothingIsOpenedForPagesOfOtherDevices() async throws {
        let gateway = Gateway(
            access: AccessPolicy(allowedHosts: ["pages.test"]),
            presenter: ScriptedPresenter(["openURL": "ok"]))
        let opened = Opened()
        try gateway.register(at: "/openURL") { request in
            OpenURLHandler(request: request) { url in opened.urls.withLock { $0.append(url) } }
        }
        let (_, cookie) = gateway.admissions.admit(
            ticket: gateway.admissions.drawTicket(), address: "192.0.2.7", browser: "")!
        func answer(from address: String) async throws -> JSON {
            let request = Request(
                .post, "/openURL?_mobile_bridge=1", authority: "pages.test:80",
                headers: [
                    .contentType: "application/json", .pageToken: gateway.access.token.text,
                    .cookie: "drawbridge-80=\(cookie)",
                ], body: .init(#"{"url": "https://example.com"}"#), remoteAddress: address)
            return try JSON(parsing: await gateway.respond(to: request).body.collect(upTo: 1 << 20))
        }
        let elsewhere = try await answer(from: "192.0.2.7")
        #expect(elsewhere["code"] == 403)
        #expect(
            elsewhere["message"]?.stringValue?.contains("gateway's own machine; open") == true, "\(elsewhere)"
        )
        #expect(opened.urls.withLock { $0 } == [])
        #expect(try await answer(from: "127.0.0.1")["code"] == 200)
        #expect(opened.urls.withLock { $0 } == ["https://example.com"])
    }
}
