import Glibc
import HTTPGrammar
import HTTPTypes
import Logging

final class Answer: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        /// The owner keeps the descriptor open.
        case file(Int32, owner: any AnyObject & Sendable, offset: Int, length: Int)
        case stream(length: Int?)
        /// No body, since the connection is handed over.
        case upgrade
    }

    let status: Int
    let headers: HTTPFields
    /// More header fields, which other answers have too, as C strings: a name, its value, the next name.
    let fixed: [UInt8]
    /// More header fields of this answer alone, written as `fixed` is.
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

    /// - Parameter closing: whether the connection ends with it.
    convenience init(_ head: HTTPResponse, _ body: Body, closing: Bool = false) {
        var headers = head.headerFields
        if closing { headers[.connection] = "close" }
        self.init(head.status, headers, body)
    }

    /// Hands the answer to the library.
    ///
    /// Returns false when the library does not take it, and the connection must close. Only on the first and the last
    /// call of the access handler, on the loop's thread.
    func queue(on connection: LibraryConnection, for exchange: Exchange?) -> Bool {
        if let exchange, headers.isEmpty, case .bytes(let bytes) = body,
            bytes.count <= ReusableResponse.longest
        {
            return added.withUnsafeBytes { exchange.reuse(fixed, $0, bytes, status, on: connection) }
        }
        guard let response = make(for: exchange) else { return false }
        defer { response.release() }
        for field in headers where isSent(field) { add(field, to: response, exchange) }
        fixed.withUnsafeBytes { response.add($0) }
        added.withUnsafeBytes { response.add($0) }
        return connection.queue(response, status: status)
    }

    /// The bytes of a whole answer, for sending it past the library; empty where its body is not in memory.
    var written: [UInt8] {
        guard case .bytes(let body) = body else { return [] }
        var text = "HTTP/1.1 \(status) \(LibraryResponse.reason(for: status))\r\n"
        for field in headers where isSent(field) && field.value.utf8.allSatisfy(\.isFieldByte) {
            text += "\(field.name): \(field.value)\r\n"
        }
        return Array("\(text)Content-Length: \(body.count)\r\n\r\n".utf8) + body
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
            // A duplicate, since the library closes the descriptor of a file that it sends.
            let descriptor = fcntl(original, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { return nil }
            let response = LibraryResponse(file: descriptor, offset: offset, length: length)
            if response == nil { close(descriptor) }
            return response
        case .stream(let length):
            guard let exchange else { return nil }
            let response = LibraryResponse(from: exchange, length: length)
            // To HEAD too the library would send the last chunk, which the caller would take for the next answer.
            if length == nil, exchange.head.method == .head { response?.endByClosing() }
            return response
        case .upgrade:
            return .upgrade
        }
    }

    /// Whether a field is sent: none that frames the body, which the engine writes, no empty value, which this library
    /// cannot send, and no `Connection` of a 101, which the library writes itself.
    private func isSent(_ field: HTTPField) -> Bool {
        // Most names are told apart by their length.
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

/// The source of an answer's body that the engine fetches as it sends it: bytes that come from elsewhere on the same
/// loop.
///
/// It calls ``Exchange/bodyIsReady()`` when it has bytes again after it had none. All of it is called on the loop's
/// thread.
package protocol BodySource: AnyObject, Sendable {
    /// Copies available bytes, and returns how many: 0 for none yet, -1 at the end, -2 where it breaks off.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int

    /// Called once, when nothing more is fetched: at the end, or when the reader has left.
    func isDone()
}
