import Glibc
import TLS

/// The bytes of one connection to a server, encrypted or not; no loop watches it by itself.
///
/// It is used by the owner of the connection, on one thread at a time.
package final class Transport {
    /// The socket, to be watched; only this object reads it.
    package let descriptor: Int32
    private let session: TLSSession?

    /// - Parameters:
    ///   - descriptor: connected, and not blocking; closed by ``close()``, or by the object that watches it.
    ///   - session: its encryption, after the handshake.
    init(_ descriptor: Int32, _ session: TLSSession?) {
        self.descriptor = descriptor
        self.session = session
    }

    /// Whether it is TLS, which may have decrypted bytes while the socket has none to read.
    var isEncrypted: Bool { session != nil }

    /// True when a TLS connection ended without a close_notify: received data may be cut short.
    var wasCutOff: Bool { session?.records.wasCutOff ?? false }

    /// Reads as `recv` does: 0 at the end, -1 with `errno`, `EAGAIN` where there is nothing yet.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if let session { return session.records.read(into: buffer) }
        return recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
    }

    /// Writes as `send` does; bytes that were not taken have to come again, perhaps with more behind them.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        if let session { return session.records.write(bytes) }
        return send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }

    package func finishSending() {
        session?.records.finishSending()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    package func close() { Glibc.close(descriptor) }

    /// Whether the server has neither closed the connection nor sent anything on it, as is right between two requests.
    ///
    /// A session ticket of TLS 1.3 makes the socket readable, and is not data: so the session is asked, and not the
    /// socket.
    var isQuiet: Bool {
        var byte: UInt8 = 0
        if let session {
            let count = withUnsafeMutableBytes(of: &byte) { session.records.read(into: $0) }
            return count < 0 && errno == EAGAIN
        }
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }
}
