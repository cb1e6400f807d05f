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
