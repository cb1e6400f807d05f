import Drawbridge

typealias WVJBResponseCallback = @Sendable (JSON) -> Void
typealias WVJBHandler = @Sendable (JSON, @escaping WVJBResponseCallback) -> Void

/// WebViewJavascriptBridge's native half by its own names, for one page.
struct WebViewJavascriptBridge {
    let page: Page

    func registerHandler(_ key: String, handler: @escaping WVJBHandler) throws {
        try page.handlers.register(at: "/\(key)") { WVJBBlock(block: handler) }
    }

    func removeHandler(_ key: String) { page.handlers.unregister("/\(key)") }

    func callHandler(_ key: String, data: JSON = .null, responseCallback: WVJBResponseCallback? = nil) throws
    {
        guard let responseCallback else { return try page.send(key, data, by: .wvjb) }
        Task { responseCallback(try await page.call(key, data, by: .wvjb, deadline: nil)) }
    }

    func disableJavscriptAlertBoxSafetyTimeout() throws {
        try page.send("_disableJavascriptAlertBoxSafetyTimeout", by: .wvjb)
    }
}

/// A block that answers by a callback, once, whenever it likes.
struct WVJBBlock: JSONHandler {
    static let options = HandlerOptions(deadline: nil)

    let block: WVJBHandler

    func handle(_ data: JSON) async throws -> JSON {
        await withCheckedContinuation { answer in block(data) { answer.resume(returning: $0) } }
    }
}
