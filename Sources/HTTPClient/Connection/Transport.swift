import Glibc

/// The bytes of one connection to a server, encrypted or not; no loop watches it by itself.
///
/// It belongs to whoever has the connection, one thread at a time.
package final class Transport {
    /// The socket, to be watched; only this object reads it.
    package let descriptor: Int32
    private let session: TLSSession?

    /// - Parameters:
    ///   - descriptor: connected, and not blocking; closed by ``close()``, or by whoever watches it.
    ///   - session: its encryption, after the handshake.
    init(_ descriptor: Int32, _ session: TLSSession?) {
        self.descriptor = descriptor
        self.session = session
    }

    /// Whether bytes can be there that the socket does not show.
    var isEncrypted: Bool { session != nil }

    /// True when a TLS connection ended without having said so, and what came may be cut short.
    var wasCutOff: Bool { session?.wasCutOff ?? false }

    /// Reads as `recv` does: 0 at the end, -1 with `errno`, `EAGAIN` where there is nothing yet.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if let session { return session.read(into: buffer) }
        return recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
    }

    /// Writes as `send` does; what was not taken comes again, with more behind it or not.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        if let session { return session.write(bytes) }
        return send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }

    /// Says that nothing more is sent.
    package func finishSending() {
        session?.finishSending()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the socket.
    package func close() { Glibc.close(descriptor) }

    /// Whether the server has neither closed the connection nor said anything on it, as is right between two requests.
    ///
    /// A ticket of TLS 1.3 makes the socket readable and is no word of the server's: so it is the session that is
    /// asked.
    var isQuiet: Bool {
        var byte: UInt8 = 0
        if let session {
            let count = withUnsafeMutableBytes(of: &byte) { session.read(into: $0) }
            return count < 0 && errno == EAGAIN
        }
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }
}
