package import CGnuTLS
import Glibc

/// The records of a TLS session, on a socket that does not block: they are read and written as `recv` and `send` do it.
///
/// The session gets bytes from the socket only while it is read through this object, which is used by the owner of the
/// connection, on one thread at a time, and lives as long as the session.
package final class TLSRecords {
    /// How many records without data (tickets, new keys) are read in a row before the peer is given up.
    private static let emptyLimit = 1000

    private let session: gnutls_session_t
    private let socket: Int32
    private var isReading = false
    /// True when the socket had no more bytes, the last time that GnuTLS asked for them.
    private var isDrained = false
    /// True when a record waits in the session, which must be sent before another is made.
    private var isSending = false
    /// True when the connection ended without a close_notify of the peer's: received data may be cut short
    /// (RFC 8446, section 6.1).
    package private(set) var wasCutOff = false

    package init(of session: gnutls_session_t, on socket: Int32) {
        self.session = session
        self.socket = socket
        gnutls_transport_set_ptr2(
            session, Unmanaged.passUnretained(self).toOpaque(),
            UnsafeMutableRawPointer(bitPattern: Int(socket)))
        gnutls_transport_set_pull_function(session) { box, bytes, count in
            guard let box else { return 0 }
            return Unmanaged<TLSRecords>.fromOpaque(box).takeUnretainedValue().receive(bytes, count)
        }
    }

    /// Lets the session read from the socket for something else than a record, such as a handshake.
    package func whileReading<Value>(_ body: () -> Value) -> Value {
        isReading = true
        defer { isReading = false }
        return body()
    }

    /// Reads as `recv` does: 0 at the end, -1 with `errno`, `EAGAIN` where there is nothing yet.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        whileReading {
            isDrained = false
            // After a record without bytes GnuTLS says "again", though the socket may have more: so it is asked once
            // more.
            for _ in 0..<Self.emptyLimit {
                let count = gnutls_record_recv(session, buffer.baseAddress, buffer.count)
                guard count < 0 else { return count }
                let code = Int32(count)
                if code == GNUTLS_E_AGAIN, isDrained {
                    errno = EAGAIN
                    return -1
                }
                if code == GNUTLS_E_PREMATURE_TERMINATION {
                    wasCutOff = true
                    return 0
                }
                if gnutls_error_is_fatal(code) != 0 { break }
            }
            errno = EPROTO
            return -1
        }
    }

    /// Takes the bytes that are decrypted already.
    package func pending() -> [UInt8] {
        var bytes: [UInt8] = []
        while case let count = gnutls_record_check_pending(session), count > 0 {
            var piece = [UInt8](repeating: 0, count: count)
            let taken = gnutls_record_recv(session, &piece, count)
            guard taken > 0 else { break }
            bytes += piece[..<taken]
        }
        return bytes
    }

    /// Sends as many bytes as fit a record, as `send` does; bytes that were not taken must come again.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        let count =
            isSending
            ? gnutls_record_send(session, nil, 0)
            : gnutls_record_send(session, bytes.baseAddress, bytes.count)
        guard count < 0 else {
            isSending = false
            return count
        }
        isSending = count == Int(GNUTLS_E_AGAIN) || count == Int(GNUTLS_E_INTERRUPTED)
        errno = isSending ? EAGAIN : EPROTO
        return -1
    }

    /// Sends a close_notify: nothing more is sent.
    package func finishSending() { gnutls_bye(session, GNUTLS_SHUT_WR) }

    /// Gives GnuTLS bytes of the socket.
    private func receive(_ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        guard isReading else {
            errno = EAGAIN
            return -1
        }
        let count = recv(socket, bytes, count, Int32(MSG_DONTWAIT))
        isDrained = count < 0 && errno == EAGAIN
        return count
    }
}
