import CGnuTLS
import Glibc

/// Reads and writes the records of a TLS session on a non-blocking socket, with the results of `recv` and `send`.
///
/// The session gets bytes from the socket only during a read through this object. The owner of the connection uses it
/// on one thread at a time, and it lives as long as the session.
package final class TLSRecords {
    /// The maximum number of records without data (tickets, key updates) in a row; after that the read fails.
    private static let emptyLimit = 1000

    private let session: gnutls_session_t
    private let socket: Int32
    private var isReading = false
    /// True if the socket had no more bytes when GnuTLS last read from it.
    private var isDrained = false
    /// True while GnuTLS holds a record that is partly sent; it must be finished before the next one.
    private var isSending = false
    /// True if the connection ended without a close_notify from the peer, so received data may be truncated (RFC 8446,
    /// section 6.1).
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

    /// Lets the session read from the socket during `body`, for a handshake for example.
    package func whileReading<Value>(_ body: () -> Value) -> Value {
        isReading = true
        defer { isReading = false }
        return body()
    }

    /// Reads like `recv`: 0 at the end, -1 with `errno`, `EAGAIN` if there are no bytes yet.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        whileReading {
            isDrained = false
            // GnuTLS returns EAGAIN after a record without data too, so it is called until the socket itself is empty.
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

    /// Returns the bytes that are already decrypted, without reading from the socket.
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

    /// Writes like `send`, at most one record; after `EAGAIN`, pass the same bytes again.
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

    /// Sends a close_notify; nothing may be written after it.
    package func finishSending() { gnutls_bye(session, GNUTLS_SHUT_WR) }

    /// GnuTLS's pull function: reads from the socket, or says `EAGAIN` outside of a read.
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
