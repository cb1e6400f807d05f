import CGnuTLS
import CMicroHTTPD
import Glibc

/// The encrypted connection behind an upgrade; on the loop's thread, and until the library is told to close it.
///
/// libmicrohttpd would forward between the connection and a pair of sockets. But 0.9.75 does that through eight bytes
/// of memory, each four a record of its own, and never says that the peer has gone. It does it by reading from the
/// session: so the session has bytes only for who asks here, and the library finds none, and forwards nothing.
final class TLSStream: TunnelEnd {
    let connection: Connection
    private let handle: OpaquePointer
    private let session: OpaquePointer
    fileprivate var isReading = false
    /// A record waits in the session, and must go out before another is made.
    private var isSending = false

    /// - Parameter handle: what the library is told by that it may close.
    init?(_ connection: Connection, _ handle: OpaquePointer) {
        guard let session = dbr_tls_session(connection.handle) else { return nil }
        self.connection = connection
        self.handle = handle
        self.session = session
        // The connection keeps this as long as the session may ask for bytes.
        gnutls_transport_set_ptr2(
            session, Unmanaged.passUnretained(self).toOpaque(),
            UnsafeMutableRawPointer(bitPattern: Int(connection.socket)))
        gnutls_transport_set_pull_function(session, pull)
        connection.stream = self
    }

    var descriptor: Int32 { connection.socket }

    /// What is decrypted, and would be found by the library.
    func pending() -> [UInt8] {
        var bytes: [UInt8] = []
        while case let count = gnutls_record_check_pending(session), count > 0 {
            var piece = [UInt8](repeating: 0, count: count)
            let taken = gnutls_record_recv(session, &piece, count)
            guard taken > 0 else { break }
            bytes += piece[..<taken]
        }
        return bytes
    }

    /// Reads a record, for which there must be room, as `recv` reads.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        isReading = true
        defer { isReading = false }
        // There are records without bytes for us.
        for _ in 0..<16 {
            let count = gnutls_record_recv(session, buffer.baseAddress, buffer.count)
            guard count < 0 else { return count }
            let code = Int32(count)
            if code == GNUTLS_E_AGAIN { break }
            if code == GNUTLS_E_PREMATURE_TERMINATION { return 0 }
            guard gnutls_error_is_fatal(code) == 0 else {
                errno = EPROTO
                return -1
            }
        }
        errno = EAGAIN
        return -1
    }

    /// Sends what fits a record, as `send` does; what was not taken must come again.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
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

    /// Says that nothing more will be sent.
    func finishSending() {
        gnutls_bye(session, GNUTLS_SHUT_WR)
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Lets the library close it, in one of its next runs.
    func close() { dbr_end_upgrade(handle) }
}

/// The session wants bytes.
private func pull(
    _ box: gnutls_transport_ptr_t?, _ bytes: UnsafeMutableRawPointer?, _ count: Int
) -> Int {
    guard let box else { return 0 }
    let stream = Unmanaged<TLSStream>.fromOpaque(box).takeUnretainedValue()
    guard stream.isReading else {
        errno = EAGAIN
        return -1
    }
    return recv(stream.descriptor, bytes, count, Int32(MSG_DONTWAIT))
}
