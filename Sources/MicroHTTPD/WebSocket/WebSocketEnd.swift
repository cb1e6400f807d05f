package struct WebSocketEnd: Sendable, Equatable {
    /// The peer's code where it sent one, else the code for the cause.
    package let code: WebSocketCloseCode
    package let reason: String
    /// True when both sides sent a close frame.
    package let wasClean: Bool

    package init(_ code: WebSocketCloseCode, _ reason: String = "", wasClean: Bool = false) {
        self.code = code
        self.reason = reason
        self.wasClean = wasClean
    }
}
