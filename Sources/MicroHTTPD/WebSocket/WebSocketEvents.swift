/// The callbacks of a WebSocket.
///
/// They are called on the loop's thread, one after the other, and must not block.
package struct WebSocketEvents: Sendable {
    /// Called when the handshake is over; what was sent before goes out now.
    package var opened: @Sendable (WebSocket) -> Void
    /// A text, which is UTF-8.
    package var text: @Sendable (WebSocket, [UInt8]) -> Void
    package var binary: @Sendable (WebSocket, [UInt8]) -> Void
    /// Called once, and nothing after it; also when it never opened.
    package var closed: @Sendable (WebSocket, WebSocketEnd) -> Void

    /// Without a callback for texts, or for binary messages, such a message closes the socket with 1003.
    package init(
        opened: @escaping @Sendable (WebSocket) -> Void = { _ in },
        text: @escaping @Sendable (WebSocket, [UInt8]) -> Void = refuse,
        binary: @escaping @Sendable (WebSocket, [UInt8]) -> Void = refuse,
        closed: @escaping @Sendable (WebSocket, WebSocketEnd) -> Void = { _, _ in }
    ) {
        self.opened = opened
        self.text = text
        self.binary = binary
        self.closed = closed
    }

    /// Closes the socket, for messages of a kind that is not accepted.
    package static let refuse: @Sendable (WebSocket, [UInt8]) -> Void = { socket, _ in
        socket.close(.unsupported, "messages of this kind are not taken here")
    }
}

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
