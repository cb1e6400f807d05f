/// How a WebSocket ended.
package struct WebSocketEnd: Sendable, Equatable {
    /// The peer's code where it gave one, else that of whatever ended it.
    package let code: WebSocketCloseCode
    package let reason: String
    /// True when both sides said that they close.
    package let wasClean: Bool

    package init(_ code: WebSocketCloseCode, _ reason: String = "", wasClean: Bool = false) {
        self.code = code
        self.reason = reason
        self.wasClean = wasClean
    }
}
