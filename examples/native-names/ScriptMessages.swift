import Drawbridge

/// What `WKScriptMessageHandler` gets: `window.webkit.messageHandlers.<name>.postMessage(body)`.
struct ScriptMessage: Sendable {
    let name: String
    let body: JSON
    let page: Page?
}

protocol ScriptMessageHandler: Sendable {
    @MainActor func userContentController(
        _ controller: UserContentController, didReceive message: ScriptMessage)
}

/// `WKUserContentController` by its own names.
///
/// Which names pages find is the page runtime's: `PageRuntime(messageHandlers: ["JSBridge", "tracker"])`.
struct UserContentController: Sendable {
    let gateway: Gateway

    func add(_ handler: any ScriptMessageHandler, name: String) throws {
        try gateway.register(at: "/\(name)") { request in
            Receiver(request: request, controller: self, handler: handler, name: name)
        }
    }

    func removeScriptMessageHandler(forName name: String) { gateway.unregister("/\(name)") }

    private struct Receiver: JSONHandler {
        let request: Request
        let controller: UserContentController
        let handler: any ScriptMessageHandler
        let name: String

        // WebKit calls on the main thread, and so does this.
        @MainActor func handle(_ body: JSON) async throws -> Nothing {
            let message = ScriptMessage(name: name, body: body, page: request.page)
            handler.userContentController(controller, didReceive: message)
            return Nothing()
        }
    }
}

/// A message of the JSBridge: both sides say `action` and `data`, and a `callbackId` where they want an answer.
struct JSMessage: Sendable {
    typealias Callback = @Sendable (JSON) -> Void

    let action: String
    var data: JSON = [:]
    /// Where the answer goes; the page runtime makes the `callbackId` for it.
    var callback: Callback?

    /// Reaches `bridge.handleNativeMsg` of the page, and so `new bridgeMsgListener.<action>(msg)`.
    func sendMsg(to page: Page) throws {
        guard let callback else { return try page.send(action, data, by: .message) }
        Task { callback(try await page.call(action, data, by: .message)) }
    }
}
