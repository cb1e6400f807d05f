import Glibc
import HTTPGrammar

final class Answer: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        /// A part of an open file. `owner` closes the descriptor when it is released, so it is retained until then.
        case file(Int32, owner: any AnyObject & Sendable, offset: Int, length: Int)
        case stream(length: Int?)
        /// No body: after this head the connection becomes a WebSocket or a tunnel.
        case upgrade
    }

    let status: Int
    let headers: HTTPFields
    /// Header fields that many responses share, as C strings: name, value, next name.
    let fixed: [UInt8]
    /// Header fields of this response only, in the same form as `fixed`.
    let added: [UInt8]
    let body: Body

    init(
        _ status: HTTPResponse.Status, _ headers: HTTPFields = [:], fixed: [UInt8] = [],
        adding added: [UInt8] = [], _ body: Body
    ) {
        self.status = status.code
        self.headers = headers
        self.fixed = fixed
        self.added = added
        self.body = body
    }

    convenience init(_ head: HTTPResponse, _ body: Body, closing: Bool = false) {
        var headers = head.headerFields
        if closing { headers[.connection] = "close" }
        self.init(head.status, headers, body)
    }

    /// Passes the response to the library.
    ///
    /// Returns false if the library refuses it; the connection must then be closed. Call it only in the first or last
    /// call of the access handler, on the loop's thread.
    func queue(on connection: LibraryConnection, for exchange: Exchange?) -> Bool {
        if let exchange, headers.isEmpty, case .bytes(let bytes) = body,
            max(bytes.count, fixed.count) <= ReusableResponse.longest
        {
            return added.withUnsafeBytes { exchange.reuse(fixed, $0, bytes, status, on: connection) }
        }
        guard let response = make(for: exchange) else { return false }
        defer { response.release() }
        for field in headers where isSent(field) { add(field, to: response, exchange) }
        fixed.withUnsafeBytes { response.add($0) }
        added.withUnsafeBytes { response.add($0) }
        if exchange?.worker.closesConnections == true, !isUpgrade { response.closeAfterwards() }
        return connection.queue(response, status: status)
    }

    /// The complete response as bytes, for sending without the library; empty if the body is not in memory.
    var written: [UInt8] {
        guard case .bytes(let body) = body else { return [] }
        var text = "HTTP/1.1 \(status) \(LibraryResponse.reason(for: status))\r\n"
        for field in headers where isSent(field) && field.value.utf8.allSatisfy(\.isFieldByte) {
            text += "\(field.name): \(field.value)\r\n"
        }
        return Array("\(text)Content-Length: \(body.count)\r\n\r\n".utf8) + body
    }

    /// Whether a part of its file no longer exists.
    var isOfShortenedFile: Bool {
        guard case .file(let descriptor, owner: _, let offset, let length) = body else { return false }
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_size < offset + length
    }

    private var isUpgrade: Bool { if case .upgrade = body { true } else { false } }

    private func add(_ field: HTTPField, to response: LibraryResponse, _ exchange: Exchange?) {
        var name = field.name.rawName
        let isTaken = name.withUTF8 { name in
            field.withUnsafeBytesOfValue { value in response.add(name, value) }
        }
        if !isTaken {
            exchange?.worker.server.logger.error(
                "the header \(field.name) has a value that cannot be sent; it was left out")
        }
    }

    private func make(for exchange: Exchange?) -> LibraryResponse? {
        switch body {
        case .bytes(let bytes):
            return bytes.withUnsafeBytes { LibraryResponse(copying: $0) }
        case .file(let original, owner: _, let offset, let length):
            // A duplicate, because the library closes the descriptor after sending.
            let descriptor = fcntl(original, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { return nil }
            let response = LibraryResponse(file: descriptor, offset: offset, length: length)
            if response == nil { close(descriptor) }
            return response
        case .stream(let length):
            guard let exchange else { return nil }
            let response = LibraryResponse(from: exchange, length: length)
            // Without a length the library would answer HEAD with the last chunk too, which the client would parse as
            // the next response.
            if length == nil, exchange.head.method == .head { response?.endByClosing() }
            return response
        case .upgrade:
            return .upgrade
        }
    }

    /// Whether to send a field; framing fields are the engine's, the library cannot send empty values, and it writes
    /// the `Connection` of a 101 itself.
    private func isSent(_ field: HTTPField) -> Bool {
        // Compares the length first: it rules out most names cheaply.
        switch field.name.canonicalName.utf8.count {
        case 2 where field.name == .te: false
        case 7 where field.name == .trailer: false
        case 7 where field.name == .upgrade: isUpgrade && !field.value.isEmpty
        case 10 where field.name == .connection: !isUpgrade && field.value == "close"
        case 14 where field.name == .contentLength: false
        case 17 where field.name == .transferEncoding: false
        default: !field.value.isEmpty
        }
    }
}

/// The source of a response body that the engine reads while it sends, such as an upstream's connection on its loop.
///
/// It calls ``Exchange/bodyIsReady()`` when it has bytes again after a read returned 0. All is called on the loop.
package protocol BodySource: AnyObject, Sendable {
    /// Copies available bytes; returns their number, 0 if none have arrived, -1 at the end, -2 if the body is aborted.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int

    /// Called once, when the engine reads no more: at the end, or because the client has disconnected.
    func isDone()
}
