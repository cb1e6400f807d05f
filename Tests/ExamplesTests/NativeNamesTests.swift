import Drawbridge
import DrawbridgeServer
import DrawbridgeTesting
import DrawbridgeURLProtocol
import Foundation
import FoundationNetworking
import TestSupport
import Testing

@testable import native_names

/// The native halves of apps by their own names, on the public API.
@Suite(.timeLimit(.minutes(5))) struct NativeNamesTests {
    // MARK: WebViewJavascriptBridge

    @Test func aPageCallsWhatWasRegisteredByRegisterHandler() async throws {
        let page = PlayedPage(Gateway())
        let bridge = WebViewJavascriptBridge(page: try #require(page.page))
        let callback = Observed<WVJBResponseCallback?>(nil)
        try bridge.registerHandler("testObjcCallback") { data, done in done(["got": data]) }
        try bridge.registerHandler("later") { _, done in callback.change { $0 = done } }
        #expect(try await page.call("testObjcCallback", ["foo": "bar"]) == ["got": ["foo": "bar"]])
        async let later = page.call("later")
        try await callback.wait { $0 != nil }
        callback.value?("a minute later")
        #expect(try await later == "a minute later")
        bridge.removeHandler("testObjcCallback")
        await #expect(throws: HTTPError.self) { try await page.call("testObjcCallback") }
    }

    @Test func nativeCallsThePageByCallHandler() async throws {
        let page = PlayedPage(Gateway())
        let bridge = WebViewJavascriptBridge(page: try #require(page.page))
        page.on("testJavascriptHandler") { ["echo": $0] }
        let answer = Observed<JSON?>(nil)
        try bridge.callHandler("testJavascriptHandler", data: ["foo": "before ready"]) { value in
            answer.change { $0 = value }
        }
        try await answer.wait { $0 != nil }
        #expect(answer.value == ["echo": ["foo": "before ready"]])
        let isTold = Observed(false)
        page.on("_disableJavascriptAlertBoxSafetyTimeout") { _ in
            isTold.change { $0 = true }
            return .null
        }
        try bridge.disableJavscriptAlertBoxSafetyTimeout()
        try await isTold.wait { $0 }
    }

    // MARK: __jsbridge__

    @Test func oneClassAnswersAllActionsWithStatusTypeAndBytesOfItsOwn() async throws {
        let gateway = Gateway()
        try gateway.register(at: "/*") {
            JSBridgeHandler { action, data in (201, "text/x-app", Array("\(action) \(data)".utf8)) }
        }
        let body = #"{"action":"getUser","data":{"id":7}}"#
        for request in [
            Request(.post, "/", authority: "__jsbridge__", body: .init(body)),
            Request(.post, "/__jsbridge__", body: .init(body)),
        ] {
            let response = await gateway.respond(to: request)
            #expect(response.status == .created && response.headers[.contentType] == "text/x-app")
            #expect(try await response.text() == #"getUser {"id":7}"#)
        }
    }

    // MARK: WKScriptMessageHandler and JSMessage

    private struct Tracker: ScriptMessageHandler {
        let seen: Observed<[String]>

        func userContentController(_ controller: UserContentController, didReceive message: ScriptMessage) {
            seen.change { $0.append("\(message.name) \(message.body) of \(message.page?.title ?? "nobody")") }
            if message.body == "last" { controller.removeScriptMessageHandler(forName: message.name) }
        }
    }

    @Test func aScriptMessageHandlerReceivesTheMessagesOfItsName() async throws {
        let gateway = Gateway(pageRuntime: PageRuntime(messageHandlers: ["JSBridge", "tracker"]))
        let seen = Observed<[String]>([])
        try UserContentController(gateway: gateway).add(Tracker(seen: seen), name: "tracker")
        let page = PlayedPage(gateway, title: "Shop")
        page.send("tracker", ["event": "open"], by: .message)
        try await seen.wait { $0.count == 1 }
        #expect(try await page.call("tracker", "last", by: .message) == .null)
        #expect(seen.value == [#"tracker {"event":"open"} of Shop"#, #"tracker "last" of Shop"#])
        #expect(gateway.registered.isEmpty)
    }

    @Test func aJSMessageReachesThePageAndItsAnswerTheCallback() async throws {
        let played = PlayedPage(Gateway())
        let page = try #require(played.page)
        played.on("refresh") { ["done": $0] }
        let answer = Observed<JSON?>(nil)
        let message = JSMessage(action: "refresh", data: ["a": 1]) { value in answer.change { $0 = value } }
        try message.sendMsg(to: page)
        try await answer.wait { $0 != nil }
        #expect(answer.value == ["done": ["a": 1]])
        let told = Observed<JSON?>(nil)
        played.on("tell") { data in
            told.change { $0 = data }
            return .null
        }
        try JSMessage(action: "tell", data: ["b": 2]).sendMsg(to: page)
        try await told.wait { $0 != nil }
        #expect(told.value == ["b": 2])
    }

    // MARK: URLProtocol

    /// Answers when the test taps.
    private final class Alert: BORequestHandler {
        static let shown = Observed<[String: BOURLProtocol.Block]>([:])

        func handleURLProtocolRequest(_ request: URLRequest, block: @escaping BOURLProtocol.Block) {
            let name = request.url?.query ?? ""
            Self.shown.change { $0[name] = block }
        }

        static func tap(_ button: String, when fits: @escaping @Sendable (String) -> Bool) async throws {
            try await shown.wait { $0.keys.contains(where: fits) }
            for (name, block) in shown.value where fits(name) { block(200, "", button) }
        }
    }

    @Test func aURLProtocolClassAnswersOverHTTP() async throws {
        let gateway = Gateway()
        BOURLProtocol.registerHandler(Alert.self, path: "/alert")
        gateway.register(BOURLProtocol.self, deadline: nil)
        let server = try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false))
        let url = try #require(URL(string: "\(server.address)/alert?title=http&_mobile_bridge=1"))
        async let answer = URLSession.shared.data(from: url)
        try await Alert.tap("ok") { $0.contains("title=http") }
        #expect(
            String(decoding: try await answer.0, as: UTF8.self) == #"{"code":200,"data":"ok","message":""}"#)
        let nobody = try #require(URL(string: "\(server.address)/nobody?_mobile_bridge=1"))
        let missing = try await URLSession.shared.data(from: nobody).0
        #expect(String(decoding: missing, as: UTF8.self) == #"{"code":400,"message":"No response"}"#)
        let unflagged = await gateway.respond(to: Request("/alert"))
        #expect(unflagged.status == .notFound, "the class takes what has the flag")
        await server.stop()
    }

    @Test func itsHandlersAreHandlersOfTheGateway() async throws {
        let gateway = Gateway()
        try gateway.register(at: "/alert") { BOHandler(type: Alert.self, request: $0) }
        let page = PlayedPage(gateway)
        async let called = page.call("alert", ["title": "page"])
        try await Alert.tap("cancel") { $0.isEmpty }
        #expect(try await called == "cancel")
        async let flagged = gateway.respond(to: Request("/alert?title=flag&_mobile_bridge=1"))
        try await Alert.tap("ok") { $0.contains("title=flag") }
        #expect(try await flagged.output() == "ok")
    }
}
