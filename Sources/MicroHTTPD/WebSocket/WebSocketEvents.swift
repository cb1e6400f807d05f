/// The callbacks of a WebSocket.
///
/// They are called one at a time on the loop's thread, and must not block.
package struct WebSocketEvents: Sendable {
    /// The handshake is finished; frames queued before are sent now.
    package var opened: @Sendable (WebSocket) -> Void
    package var text: @Sendable (WebSocket, [UInt8]) -> Void
    /// The last callback, called once, also if the socket never opened.
    package var closed: @Sendable (WebSocket, WebSocketEnd) -> Void

    package init(
        opened: @escaping @Sendable (WebSocket) -> Void = { _ in },
        text: @escaping @Sendable (WebSocket, [UInt8]) -> Void,
        closed: @escaping @Sendable (WebSocket, WebSocketEnd) -> Void = { _, _ in }
    ) {
        self.opened = opened
        self.text = text
        self.closed = closed
    }
}

package struct WebSocketEnd: Sendable, Equatable {
    /// The peer's code if it sent one, else the code for the reason of the end.
    package let code: WebSocketCloseCode
    package let reason: String
    /// True if both sides sent a close frame.
    package let wasClean: Bool

    package init(_ code: WebSocketCloseCode, _ reason: String = "", wasClean: Bool = false) {
        self.code = code
        self.reason = reason
        self.wasClean = wasClean
    }
}

/// A close code of a WebSocket (RFC 6455, section 7.4).
package struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let normal = Self(rawValue: 1000)
    /// The server stops, or the user leaves the page.
    package static let goingAway = Self(rawValue: 1001)
    package static let protocolError = Self(rawValue: 1002)
    /// A kind of message that the receiver does not accept.
    package static let unsupported = Self(rawValue: 1003)
    /// The close frame has no code; never sent.
    package static let none = Self(rawValue: 1005)
    /// The connection ended without a close frame; never sent.
    package static let abnormal = Self(rawValue: 1006)
    package static let invalidText = Self(rawValue: 1007)
    package static let policy = Self(rawValue: 1008)
    package static let tooLarge = Self(rawValue: 1009)
    package static let internalError = Self(rawValue: 1011)
    /// A limit is reached for now; the client may connect again later.
    package static let tryAgainLater = Self(rawValue: 1013)

    /// Whether the code may be in a close frame; others are used locally only.
    package var isSendable: Bool { [1000...1003, 1007...1014, 3000...4999].contains { $0 ~= rawValue } }
}

package struct WebSocketLimits: Sendable {
    /// The maximum size of a message in bytes, over all its frames; a larger one closes with 1009.
    package var message = 16 << 20

    /// The maximum number of frames of a message; more close with 1009.
    ///
    /// Empty frames use no memory, but without this limit a message of them would never end.
    package var frames = 1 << 20

    /// The maximum number of bytes in the queue; a message above it closes with 1013.
    ///
    /// An empty queue accepts a message of any size.
    package var waiting = 16 << 20

    /// Seconds of silence before a ping; after as many more without an answer the connection is aborted.
    package var silentSeconds = 30

    /// Seconds for the peer to send its close frame and to read the frames in the queue.
    package var closeSeconds = 5

    package init() {}
}
