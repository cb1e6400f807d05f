/// The client's side of a WebSocket, which may break every rule; its calls block.
package struct WebSocketClient: Sendable {
    package struct Frame: Equatable, Sendable {
        package var opcode: UInt8
        package var payload: [UInt8]

        package init(opcode: UInt8, payload: [UInt8]) {
            self.opcode = opcode
            self.payload = payload
        }

        package static func text(_ text: String) -> Frame { Frame(opcode: 1, payload: Array(text.utf8)) }

        /// Only a code.
        package static func close(_ code: Int) -> Frame {
            Frame(opcode: 8, payload: [UInt8(code >> 8), UInt8(code & 0xFF)])
        }

        /// The code of a close frame.
        package var code: Int? {
            opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil
        }
    }

    package let raw: RawClient

    /// - Parameter security: what to offer for TLS, as GnuTLS takes it; nil for none.
    package init(_ port: Int, security: String? = nil) throws {
        raw = try RawClient(port)
        if let security { try raw.secure(security) }
    }

    /// A client that is through with its handshake.
    ///
    /// - Parameter extra: what is sent together with it.
    package static func open(
        _ port: Int, _ path: String = "/", host: String = "a", security: String? = nil, fields: [String] = [],
        extra: [UInt8] = []
    ) throws -> WebSocketClient {
        let client = try WebSocketClient(port, security: security)
        try client.raw.send(Array(handshake(path, host: host, fields).utf8) + extra)
        let reply = try client.raw.head()
        guard reply.status == 101, reply["Sec-WebSocket-Accept"] == accept else {
            throw RawClient.Failure.malformed("\(reply)")
        }
        return client
    }

    /// What answers the key of ``handshake(_:host:_:)``.
    package static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    /// That of RFC 6455, section 1.2.
    package static func handshake(
        _ path: String = "/", host: String = "a", _ fields: [String] = []
    ) -> String {
        let lines = [
            "GET \(path) HTTP/1.1", "Host: \(host)", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        return (lines + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// A frame as it is sent.
    ///
    /// - Parameters:
    ///   - flags: the first byte but for the opcode.
    ///   - length: what the head says, where that is not the truth.
    package static func frame(
        _ opcode: UInt8, _ payload: [UInt8] = [], flags: UInt8 = 0x80, isMasked: Bool = true,
        length: Int? = nil
    ) -> [UInt8] {
        let mask: [UInt8] = isMasked ? [0x37, 0xFA, 0x21, 0x3D] : []
        let count = length ?? payload.count
        let bit: UInt8 = isMasked ? 0x80 : 0
        var bytes = [flags | opcode]
        switch count {
        case ..<126: bytes.append(bit | UInt8(count))
        case ..<65_536: bytes += [bit | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
        default:
            bytes.append(bit | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
        }
        bytes += mask
        guard isMasked else { return bytes + payload }
        let start = bytes.count
        bytes += payload
        for place in payload.indices { bytes[start + place] ^= mask[place & 3] }
        return bytes
    }

    package func send(_ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true) throws {
        try raw.send(Self.frame(opcode, payload, flags: isFinal ? 0x80 : 0))
    }

    package func send(_ text: String) throws { try send(1, Array(text.utf8)) }

    /// The next frame; a server's have no mask and are whole messages.
    package func receive() throws -> Frame {
        let head = try raw.bytes(2)
        guard head[0] & 0xF0 == 0x80, head[1] & 0x80 == 0 else {
            throw RawClient.Failure.malformed("the head of a frame: \(head)")
        }
        var count = Int(head[1])
        if count >= 126 {
            count = try raw.bytes(count == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
        }
        return Frame(opcode: head[0] & 0x0F, payload: try raw.bytes(count))
    }

    /// The next message; a ping before it, which comes where this client was slow, is answered.
    package func receiveMessage() throws -> Frame {
        while true {
            let frame = try receive()
            guard frame.opcode == 9 else { return frame }
            try send(10, frame.payload)
        }
    }

    /// The frames up to the end of the connection.
    package func receiveToEnd() throws -> [Frame] {
        var frames: [Frame] = []
        while true {
            do { frames.append(try receive()) } catch RawClient.Failure.closed(after: 0) { return frames }
        }
    }
}
