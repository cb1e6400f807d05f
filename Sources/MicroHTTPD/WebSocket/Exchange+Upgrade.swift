import EventLoop
import HTTPTypes

extension Exchange {
    /// Answers 101 and goes on as a WebSocket, instead of any other answer.
    ///
    /// The exchange is over when its handler has returned, as with any answer: the socket does not hold it.
    ///
    /// - Parameters:
    ///   - handshake: that of this exchange's head.
    ///   - subprotocol: one of those that are offered, or nil.
    ///   - limits: what is taken from the peer.
    ///   - events: the callbacks; called on the exchange's loop.
    /// - Returns: the socket, by which can be sent at once; where the caller has left or was answered before, it is
    ///   closed.
    @discardableResult package func upgrade(
        _ handshake: WebSocketHandshake, subprotocol: String? = nil,
        limits: WebSocketLimits = WebSocketLimits(), events: WebSocketEvents
    ) -> WebSocket {
        precondition(
            subprotocol.map(handshake.protocols.contains) ?? true, "a subprotocol that is not offered")
        let socket = WebSocket(in: worker.upgrades, worker.server.bodyMemory, limits, events)
        var fields = "Upgrade\0websocket\0Sec-WebSocket-Accept\0\(handshake.accept)\0"
        if let subprotocol { fields += "Sec-WebSocket-Protocol\0\(subprotocol)\0" }
        let answer = Answer(.switchingProtocols, adding: Array(fields.utf8), .upgrade)
        loop.perform { self.upgrade(to: socket, answer) }
        return socket
    }
}
