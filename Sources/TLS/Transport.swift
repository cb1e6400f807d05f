import Glibc

/// Reads and writes the bytes of one connection, with TLS or without; its owner watches the socket on a loop.
///
/// The owner of the connection uses it on one thread at a time.
package final class Transport {
    /// The socket, for watching only: with TLS, nothing else may read from it.
    package let descriptor: Int32
    private let records: TLSRecords?
    private let session: AnyObject?
    private let end: (() -> Void)?

    /// - Parameters:
    ///   - descriptor: a connected socket; closed by ``close()``, or by the object that watches it.
    ///   - records: the TLS session after its handshake; nil without TLS.
    ///   - session: an object that must live as long as `records`.
    ///   - end: called by ``close()`` instead of closing the socket, if something else owns that.
    package init(
        _ descriptor: Int32, _ records: TLSRecords? = nil, of session: AnyObject? = nil,
        closing end: (() -> Void)? = nil
    ) {
        self.descriptor = descriptor
        self.records = records
        self.session = session
        self.end = end
    }

    /// Whether it uses TLS; then decrypted bytes may be available although the socket is not readable.
    package var isEncrypted: Bool { records != nil }

    /// True if a TLS connection ended without a close_notify, so received data may be truncated.
    package var wasCutOff: Bool { records?.wasCutOff ?? false }

    /// Reads like `recv`: 0 at the end, -1 with `errno`, `EAGAIN` if there are no bytes yet.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if let records { return records.read(into: buffer) }
        return recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
    }

    /// Writes like `send`; bytes that were not written must be passed again, possibly with more after them.
    ///
    /// - Parameter isLast: if false, the kernel may wait for more bytes (`MSG_MORE`).
    package func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool = true) -> Int {
        if let records { return records.write(bytes) }
        let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL | (isLast ? 0 : MSG_MORE))
        return send(descriptor, bytes.baseAddress, bytes.count, flags)
    }

    /// Shuts down the sending direction, with a close_notify under TLS.
    package func finishSending() {
        records?.finishSending()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    package func close() { if let end { end() } else { Glibc.close(descriptor) } }

    /// True if the peer has neither closed the connection nor sent data: an idle connection may be used again.
    ///
    /// Under TLS the session is read instead of the socket: a session ticket of TLS 1.3 makes the socket readable too.
    package var isQuiet: Bool {
        var byte: UInt8 = 0
        if let records {
            let count = withUnsafeMutableBytes(of: &byte) { records.read(into: $0) }
            return count < 0 && errno == EAGAIN
        }
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }
}
