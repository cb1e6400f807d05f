import Glibc

/// The bytes of one connection, encrypted or not; no loop watches it by itself.
///
/// It is used by the owner of the connection, on one thread at a time.
package final class Transport {
    /// The socket, to be watched; only this object reads it.
    package let descriptor: Int32
    private let records: TLSRecords?
    private let session: AnyObject?
    private let end: (() -> Void)?

    /// - Parameters:
    ///   - descriptor: connected; closed by ``close()``, or by the object that watches it.
    ///   - records: its encryption, after the handshake; nil for none.
    ///   - session: what has to be held as long as the records are used.
    ///   - end: called by ``close()``, where the socket is somebody else's; nil to close it.
    package init(
        _ descriptor: Int32, _ records: TLSRecords? = nil, of session: AnyObject? = nil,
        closing end: (() -> Void)? = nil
    ) {
        self.descriptor = descriptor
        self.records = records
        self.session = session
        self.end = end
    }

    /// Whether it is TLS, which may have decrypted bytes while the socket has none to read.
    package var isEncrypted: Bool { records != nil }

    /// True when a TLS connection ended without a close_notify: received data may be cut short.
    package var wasCutOff: Bool { records?.wasCutOff ?? false }

    /// Reads as `recv` does: 0 at the end, -1 with `errno`, `EAGAIN` where there is nothing yet.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if let records { return records.read(into: buffer) }
        return recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
    }

    /// Writes as `send` does; bytes that were not taken have to come again, perhaps with more behind them.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Int { write(bytes, isLast: true) }

    /// Writes; unless these bytes are the last for now, the system may wait for more to send with them.
    package func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Int {
        if let records { return records.write(bytes) }
        let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL | (isLast ? 0 : MSG_MORE))
        return send(descriptor, bytes.baseAddress, bytes.count, flags)
    }

    /// Tells the peer that nothing more is sent.
    package func finishSending() {
        records?.finishSending()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    package func close() { if let end { end() } else { Glibc.close(descriptor) } }

    /// Whether the peer has neither closed the connection nor sent anything on it, as is right between two requests.
    ///
    /// A session ticket of TLS 1.3 makes the socket readable, and is not data: so the session is asked, and not the
    /// socket.
    package var isQuiet: Bool {
        var byte: UInt8 = 0
        if let records {
            let count = withUnsafeMutableBytes(of: &byte) { records.read(into: $0) }
            return count < 0 && errno == EAGAIN
        }
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }
}
