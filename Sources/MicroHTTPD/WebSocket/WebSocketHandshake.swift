import CGnuTLS
import Glibc
import HTTPGrammar

/// A valid request to open a WebSocket (RFC 6455, section 4.2.1).
///
/// ```swift
/// let handshake = try WebSocketHandshake(exchange.head)
/// exchange.upgrade(handshake, events: WebSocketEvents(text: { $0.send(text: $1) }))
/// ```
///
/// It does not check whether the client is allowed to (`Origin`, a token); that must be done before.
package struct WebSocketHandshake: Sendable {
    /// The subprotocols that the client offers, in its order of preference.
    package let protocols: [String]
    let accept: String

    /// True if `Upgrade` lists `websocket`, even if the handshake is invalid otherwise.
    package static func isAsked(by fields: HTTPFields) -> Bool {
        fields.contains { $0.name == .upgrade }
            && list(fields[values: .upgrade]).contains { $0.lowercased() == "websocket" }
    }

    package init(_ head: AuditedHead) throws(Refusal) {
        guard head.method == .get else {
            throw Refusal(
                .methodNotAllowed, "a WebSocket is opened with GET, not \(head.method)", [.allow: "GET"])
        }
        guard !head.isOldVersion else {
            throw Refusal(.badRequest, "a WebSocket is opened with HTTP/1.1, not 1.0")
        }
        guard Self.isAsked(by: head.headers) else {
            throw Refusal(
                .upgradeRequired, "this path is a WebSocket: send Upgrade: websocket", Self.version)
        }
        let options = Self.list(head.headers[values: .connection])
        guard options.contains(where: { $0.lowercased() == "upgrade" }) else {
            throw Refusal(.badRequest, "a WebSocket needs Connection: Upgrade")
        }
        guard head.framing == .none else {
            throw Refusal(.badRequest, "a WebSocket handshake must not have a body")
        }
        guard head.headers[values: .secWebSocketVersion] == ["13"] else {
            throw Refusal(
                .upgradeRequired, "the only supported Sec-WebSocket-Version is 13", Self.version)
        }
        let keys = head.headers[values: .secWebSocketKey]
        guard keys.count == 1, let key = keys.first, Self.isSixteenBytes(key) else {
            throw Refusal(.badRequest, "Sec-WebSocket-Key is not one key of 16 bytes in base64")
        }
        protocols = Self.list(head.headers[values: .secWebSocketProtocol])
        guard protocols.allSatisfy({ $0.utf8.allSatisfy(ASCIISet.token.contains) }),
            Set(protocols).count == protocols.count
        else {
            throw Refusal(
                .badRequest, "Sec-WebSocket-Protocol is not a list of tokens, each of them once")
        }
        guard let accept = Self.accept(key) else {
            throw Refusal(
                .internalServerError, "GnuTLS does not allow SHA-1 on this system; check its configuration")
        }
        self.accept = accept
    }

    private static let version: HTTPFields = [.secWebSocketVersion: "13"]

    /// The members of a comma-separated list over all its field lines (RFC 9110, section 5.6.1).
    private static func list(_ values: [String]) -> [String] {
        values.flatMap { value in
            value.split(separator: ",").map { String(Substring($0.utf8.trimmed)) }
        }.filter { !$0.isEmpty }
    }

    private static func accept(_ key: String) -> String? {
        let text = Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        guard gnutls_hash_fast(GNUTLS_DIG_SHA1, text, text.count, &digest) == 0 else { return nil }
        return digest.withUnsafeMutableBufferPointer { digest in
            var data = gnutls_datum_t(data: digest.baseAddress, size: UInt32(digest.count))
            var text = gnutls_datum_t()
            guard gnutls_base64_encode2(&data, &text) == 0 else { return nil }
            defer { free(text.data) }
            return String(
                decoding: UnsafeBufferPointer(start: text.data, count: Int(text.size)), as: UTF8.self)
        }
    }

    /// Whether a text is the base64 encoding of 16 bytes (RFC 4648, section 4).
    private static func isSixteenBytes(_ text: String) -> Bool {
        text.utf8.count == 24 && text.hasSuffix("==")
            && text.utf8.dropLast(2).allSatisfy {
                $0.isAlphanumeric || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
            }
    }
}

extension Exchange {
    /// Answers 101; after it the connection is a WebSocket.
    ///
    /// The exchange ends when its handler returns; the socket does not retain it.
    ///
    /// - Parameters:
    ///   - handshake: made from this exchange's head.
    ///   - subprotocol: one of ``WebSocketHandshake/protocols``, or nil.
    /// - Returns: the socket, on which you can send at once. It is closed if the client has disconnected or there is a
    ///   response already.
    @discardableResult package func upgrade(
        _ handshake: WebSocketHandshake, subprotocol: String? = nil,
        limits: WebSocketLimits = WebSocketLimits(), events: WebSocketEvents
    ) -> WebSocket {
        precondition(
            subprotocol.map(handshake.protocols.contains) ?? true,
            "the client does not offer this subprotocol")
        let socket = WebSocket(in: worker.upgrades, worker.server.bodyMemory, limits, events)
        var fields = "Upgrade\0websocket\0Sec-WebSocket-Accept\0\(handshake.accept)\0"
        if let subprotocol { fields += "Sec-WebSocket-Protocol\0\(subprotocol)\0" }
        let answer = Answer(.switchingProtocols, adding: Array(fields.utf8), .upgrade)
        loop.perform { self.upgrade(to: socket, answer) }
        return socket
    }
}
