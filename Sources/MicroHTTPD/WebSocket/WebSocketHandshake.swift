import CGnuTLS
import EventLoop
import Glibc
import HTTPGrammar
package import HTTPTypes

/// A valid request for a WebSocket (RFC 6455, section 4.2.1).
///
/// ```swift
/// let handshake = try WebSocketHandshake(exchange.head)
/// exchange.upgrade(handshake, events: WebSocketEvents(text: { $0.send(text: $1) }))
/// ```
///
/// Whether this caller may have one (`Origin`, a token) is decided before.
package struct WebSocketHandshake: Sendable {
    /// The subprotocols that are offered, in the order of preference.
    package let protocols: [String]
    /// The value of `Sec-WebSocket-Accept`.
    let accept: String

    /// True when a request with these fields asks for a WebSocket, well or badly.
    package static func isAsked(by fields: HTTPFields) -> Bool {
        fields.contains { $0.name == .upgrade }
            && list(fields[values: .upgrade]).contains { $0.lowercased() == "websocket" }
    }

    package init(_ head: AuditedHead) throws(Refusal) {
        guard head.method == .get else {
            throw Refusal(
                .methodNotAllowed, "a WebSocket is asked for with GET, not \(head.method)", [.allow: "GET"])
        }
        guard !head.isOldVersion else {
            throw Refusal(.badRequest, "a WebSocket is asked for with HTTP/1.1, not 1.0")
        }
        guard Self.isAsked(by: head.headers) else {
            throw Refusal(
                .upgradeRequired, "there is a WebSocket here: send Upgrade: websocket", Self.version)
        }
        let options = Self.list(head.headers[values: .connection])
        guard options.contains(where: { $0.lowercased() == "upgrade" }) else {
            throw Refusal(.badRequest, "a WebSocket needs Connection: Upgrade")
        }
        guard head.framing == .none else {
            throw Refusal(.badRequest, "a request for a WebSocket has no body")
        }
        guard head.headers[values: .secWebSocketVersion] == ["13"] else {
            throw Refusal(
                .upgradeRequired, "the only version of WebSockets here is 13", Self.version)
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
            throw Refusal(.internalServerError, "GnuTLS computes no SHA-1 here; see its policy")
        }
        self.accept = accept
    }

    private static let version: HTTPFields = [.secWebSocketVersion: "13"]

    /// The elements of a list over all its lines (RFC 9110, section 5.6.1).
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

    /// Whether a text is the base64 of sixteen bytes (RFC 4648, section 4).
    private static func isSixteenBytes(_ text: String) -> Bool {
        text.utf8.count == 24 && text.hasSuffix("==")
            && text.utf8.dropLast(2).allSatisfy {
                $0.isAlphanumeric || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
            }
    }
}

extension Exchange {
    /// Answers 101 and goes on as a WebSocket, instead of any other answer.
    ///
    /// The exchange is over when its handler has returned, as with any answer: the socket does not hold it.
    ///
    /// - Parameters:
    ///   - handshake: that of this exchange's head.
    ///   - subprotocol: one of those that are offered, or nil.
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
