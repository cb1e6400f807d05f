import CMicroHTTPD
import Glibc
import HTTPTypes

extension Exchange {
    /// Answers 101 and goes on as a WebSocket, instead of any other answer.
    ///
    /// The exchange is over when whoever answers it has returned, as with any answer: the socket does not keep it.
    ///
    /// - Parameters:
    ///   - handshake: that of this exchange's head.
    ///   - subprotocol: one of those that are offered, or nil.
    ///   - limits: what is taken from the peer.
    ///   - events: what is done with what comes; called on the exchange's loop.
    /// - Returns: the socket, to which may be sent at once; where the caller has gone or was answered before, it is
    ///   closed.
    @discardableResult package func upgrade(
        _ handshake: WebSocketHandshake, subprotocol: String? = nil,
        limits: WebSocketLimits = WebSocketLimits(), events: WebSocketEvents
    ) -> WebSocket {
        precondition(
            subprotocol.map(handshake.protocols.contains) ?? true, "a subprotocol that is not offered")
        let socket = WebSocket(subprotocol, from: remoteAddress, in: worker.webSockets, limits, events)
        var fields = "Upgrade\0websocket\0Sec-WebSocket-Accept\0\(handshake.accept)\0"
        if let subprotocol { fields += "Sec-WebSocket-Protocol\0\(subprotocol)\0" }
        let answer = Answer(.switchingProtocols, [:], adding: Array(fields.utf8), .upgrade)
        loop.perform { self.upgrade(to: socket, answer) }
        return socket
    }

    /// The 101 is sent; called by the library.
    ///
    /// - Parameters:
    ///   - socket: the connection, or under TLS the end of a pair.
    ///   - handle: what ends it.
    ///   - extra: what came behind the handshake.
    func handOver(_ socket: Int32, _ handle: OpaquePointer, extra: [UInt8]) {
        guard let upgrading else {
            dbr_end_upgrade(handle)
            return
        }
        self.upgrading = nil
        let caller = handedOver()
        if let stream = TLSStream(caller, handle) {
            return worker.webSockets.add(upgrading, .encrypted(stream), extra: extra + stream.pending())
        }
        // The library forgets the connection with its memory, and the duplicate stays.
        let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        let error = SystemError("cannot keep the connection")
        dbr_end_upgrade(handle)
        loop.setRunDue()
        guard own >= 0 else { return upgrading.abort("\(error)") }
        worker.webSockets.add(upgrading, .own(own), extra: extra)
    }
}

/// A handshake is over, and the connection is ours; on the loop's thread.
func connectionUpgraded(
    _ box: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ extra: UnsafePointer<CChar>?, _ size: Int, _ socket: Int32, _ handle: OpaquePointer?
) {
    guard let context, let handle else { return }
    let bytes = Array(UnsafeRawBufferPointer(start: extra, count: extra == nil ? 0 : size))
    Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().handOver(socket, handle, extra: bytes)
}
