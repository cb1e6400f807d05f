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

/// Why a WebSocket ends (RFC 6455, section 7.4).
package struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The connection has done what it was for.
    package static let normal = Self(rawValue: 1000)
    /// The server stops, or the page is left.
    package static let goingAway = Self(rawValue: 1001)
    package static let protocolError = Self(rawValue: 1002)
    /// Data of a kind that is not taken here.
    package static let unsupported = Self(rawValue: 1003)
    /// The peer gave none; never sent.
    package static let none = Self(rawValue: 1005)
    /// The connection ended without a close frame; never sent.
    package static let abnormal = Self(rawValue: 1006)
    /// Text that is not UTF-8.
    package static let invalidText = Self(rawValue: 1007)
    package static let policy = Self(rawValue: 1008)
    package static let tooLarge = Self(rawValue: 1009)
    package static let internalError = Self(rawValue: 1011)
    /// There is no room for now.
    package static let tryAgainLater = Self(rawValue: 1013)

    /// Whether the code may be sent in a frame; others only describe an end.
    package var isSendable: Bool { [1000...1003, 1007...1014, 3000...4999].contains { $0 ~= rawValue } }
}

package struct WebSocketLimits: Sendable {
    /// Bytes of a message, in one frame or many; more is a 1009.
    package var message = 16 << 20

    /// Frames of a message; more is a 1009.
    ///
    /// They take no memory, but a message of empty ones would never end.
    package var frames = 1 << 20

    /// Bytes that wait to be sent; a message beyond them closes the socket with 1013.
    ///
    /// One message is always taken when nothing waits.
    package var waiting = 16 << 20

    /// Seconds of silence before the peer is pinged, and again before it is given up.
    package var silentSeconds = 30

    /// Seconds for the peer to send its close frame, and to take what waits for it until then.
    package var closeSeconds = 5

    package init() {}
}
