import CGnuTLS
import Glibc

/// The encryption of one connection to a server (TLS 1.2 and 1.3), on a socket that does not block.
///
/// It belongs to whoever has the connection, one thread at a time.
final class TLSSession {
    /// How far a handshake is.
    enum Progress {
        case done
        case wantsToRead
        case wantsToWrite
        /// Why there is no connection that could be trusted.
        case failed(String)
    }

    private let session: gnutls_session_t
    /// Kept while GnuTLS reads it.
    private let certificates: TrustedCertificates
    private let host: UnsafeMutablePointer<CChar>
    private let socket: Int32
    /// True when the socket had nothing more, the last time that GnuTLS asked for bytes.
    fileprivate var isDrained = false
    /// A record waits in the session, and must go out before another is made.
    private var isSending = false
    /// True when the connection ended without the other side having said so: what came may be cut short
    /// (RFC 8446, section 6.1).
    private(set) var wasCutOff = false

    /// Begins a session on a connected socket, which stays its holder's.
    ///
    /// - Parameter host: the name or the IP address that the certificate must be for.
    init(_ socket: Int32, host: String, _ certificates: TrustedCertificates) throws(TransferError) {
        var session: gnutls_session_t?
        let flags = GNUTLS_CLIENT.rawValue | UInt32(GNUTLS_NONBLOCK) | UInt32(GNUTLS_NO_SIGNAL)
        guard gnutls_init(&session, flags) == 0, let session else {
            throw TransferError(.unreachable, "there is no memory for TLS")
        }
        self.session = session
        self.socket = socket
        self.certificates = certificates
        self.host = strdup(host)
        gnutls_priority_set_direct(session, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2", nil)
        gnutls_credentials_set(
            session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(certificates.credentials))
        // A server name is a name (RFC 6066, section 3).
        if SocketAddress(literal: host, port: 0) == nil {
            gnutls_server_name_set(session, GNUTLS_NAME_DNS, host, host.utf8.count)
        }
        if certificates.isChecked { gnutls_session_set_verify_cert(session, self.host, 0) }
        "http/1.1".withCString { name in
            var protocols = gnutls_datum_t(
                data: UnsafeMutableRawPointer(mutating: name).assumingMemoryBound(to: UInt8.self), size: 8)
            gnutls_alpn_set_protocols(session, &protocols, 1, 0)
        }
        gnutls_handshake_set_timeout(session, 0)
        // The session goes with this object, and asks for bytes only while that is used.
        gnutls_transport_set_ptr2(
            session, Unmanaged.passUnretained(self).toOpaque(),
            UnsafeMutableRawPointer(bitPattern: Int(socket)))
        gnutls_transport_set_pull_function(session, pull)
    }

    /// GnuTLS wants bytes.
    fileprivate func receive(_ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        let count = recv(socket, bytes, count, Int32(MSG_DONTWAIT))
        isDrained = count < 0 && errno == EAGAIN
        return count
    }

    deinit {
        gnutls_deinit(session)
        free(host)
    }

    /// Goes on with the handshake, as far as the socket lets it.
    func handshake() -> Progress {
        while true {
            let code = gnutls_handshake(session)
            if code == 0 { return .done }
            if code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED {
                return gnutls_record_get_direction(session) == 1 ? .wantsToWrite : .wantsToRead
            }
            guard gnutls_error_is_fatal(code) != 0 else { continue }
            return .failed(problem(code))
        }
    }

    /// Reads as `recv` does: 0 at the end, -1 with `errno`, `EAGAIN` where there is nothing yet.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        isDrained = false
        // There are records without bytes for us (tickets, new keys), behind which GnuTLS says that it is to be asked
        // again; who sends nothing else is no server.
        for _ in 0..<1000 {
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

    /// Says that nothing more is sent.
    func finishSending() { gnutls_bye(session, GNUTLS_SHUT_WR) }

    private func problem(_ code: Int32) -> String {
        guard code == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR else {
            return String(cString: gnutls_strerror(code))
        }
        var text = gnutls_datum_t()
        let status = gnutls_session_get_verify_cert_status(session)
        guard gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &text, 0) == 0,
            let data = text.data
        else { return String(cString: gnutls_strerror(code)) }
        defer { dbt_free(data) }
        let words = String(decoding: UnsafeBufferPointer(start: data, count: Int(text.size)), as: UTF8.self)
        return words.split(separator: " ").joined(separator: " ")
    }
}

/// The session wants bytes.
private func pull(
    _ box: gnutls_transport_ptr_t?, _ bytes: UnsafeMutableRawPointer?, _ count: Int
) -> Int {
    guard let box else { return 0 }
    return Unmanaged<TLSSession>.fromOpaque(box).takeUnretainedValue().receive(bytes, count)
}
