import Dispatch
import Drawbridge
import DrawbridgeTesting
import DrawbridgeURLProtocol
import Foundation
import FoundationNetworking
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// A class that was written for an app, with a path table and handler classes of its own, runs as it is (contract,
/// section 1).
@Suite(.timeLimit(.minutes(5))) struct AppProtocolTests {
    /// What a path leads to: made for each request, and done when it has answered.
    class BridgeHandler {
        let request: URLRequest
        let reply: (Int, String, Any?) -> Void

        required init(_ request: URLRequest, _ reply: @escaping (Int, String, Any?) -> Void) {
            self.request = request
            self.reply = reply
        }

        func start() {}
        func stop() {}
    }

    /// Shows an alert; a person answers whenever they like.
    final class AlertHandler: BridgeHandler {
        override func start() { screen.withLock { $0 = Alert(handler: self) } }
        override func stop() { screen.withLock { $0 = nil } }
    }

    /// Tapped on a thread of the person's, and that is all that is done with it there: hence Sendable.
    struct Alert: @unchecked Sendable {
        let handler: AlertHandler

        func tap(_ button: String) { handler.reply(200, "", ["result": button]) }
    }

    static let screen = Mutex<Alert?>(nil)

    final class EchoHandler: BridgeHandler {
        override func start() {
            let items = URLComponents(url: request.url!, resolvingAgainstBaseURL: false)?.queryItems ?? []
            reply(200, "", Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 }))
        }
    }

    final class BridgeProtocol: URLProtocol {
        static let handledKey = "BridgeProtocolHandled"
        nonisolated(unsafe) static var handlers: [String: BridgeHandler.Type] = [:]

        var handler: BridgeHandler?

        override class func canInit(with request: URLRequest) -> Bool {
            property(forKey: handledKey, in: request) == nil
                && request.url?.absoluteString.range(of: "_mobile_bridge=1") != nil
        }

        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            let marked = (request as NSURLRequest).mutableCopy() as! NSMutableURLRequest
            Self.setProperty(true, forKey: Self.handledKey, in: marked)
            guard let type = Self.handlers[request.url!.path] else { return answer(400, "No response", nil) }
            handler = type.init(marked as URLRequest) { [weak self] in self?.answer($0, $1, $2) }
            handler?.start()
        }

        override func stopLoading() {
            handler?.stop()
            handler = nil
        }

        private func answer(_ code: Int, _ message: String, _ data: Any?) {
            var object: [String: Any] = ["code": code, "message": message]
            object["data"] = data
            let body =
                (try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)) ?? Data()
            let fields = ["Content-Type": "text/json", "Content-Length": "\(body.count)"]
            let response = HTTPURLResponse(
                url: request.url!, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)!
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: body)
            client?.urlProtocolDidFinishLoading(self)
        }
    }

    @Test func handlersOfAnAppsClassMayAnswerAtOnceLaterOrNever() async throws {
        BridgeProtocol.handlers = ["/alert": AlertHandler.self, "/echo": EchoHandler.self]
        let gateway = Gateway.testing()
        gateway.answer(at: "/own") { _ in Response(text: "a handler of the gateway's") }
        gateway.register(BridgeProtocol.self, deadline: nil)

        let echo = await gateway.respond(to: Request("/echo?_mobile_bridge=1&a=b"))
        #expect(echo.headers[.contentType] == "text/json" && echo.headers[.cacheControl] == "no-store")
        #expect(echo.body.length == 63)
        #expect(try await echo.json()["data"] == ["_mobile_bridge": "1", "a": "b"])

        let missing = await gateway.respond(to: Request("/own?_mobile_bridge=1"))
        #expect(try await missing.text() == #"{"code":400,"message":"No response"}"#)
        #expect(
            try await gateway.respond(to: Request("/__jsbridge__/own")).text()
                == "a handler of the gateway's")

        async let alert = gateway.respond(to: Request("/alert?_mobile_bridge=1")).text()
        try await Self.shown().tap("ok")
        #expect(try await alert == #"{"code":200,"data":{"result":"ok"},"message":""}"#)
        await Self.gone()

        let leaving = Task { await gateway.respond(to: Request("/alert?_mobile_bridge=1")) }
        _ = try await Self.shown()
        leaving.cancel()
        await Self.gone()
        _ = await leaving.value
    }

    private static func shown() async throws -> Alert {
        await until { screen.withLock { $0 != nil } }
        return try #require(screen.withLock { $0 })
    }

    private static func gone() async {
        await until { screen.withLock { $0 == nil } }
    }
}
