import CGnuTLS
import Glibc

/// The encryption of a server's side of a connection; all calls block.
///
/// Its script's thread alone uses it: that makes it Sendable.
final class ServerSession: @unchecked Sendable {
    private var session: gnutls_session_t?
    private var credentials: gnutls_certificate_credentials_t?

    /// Agrees on keys over a connected socket.
    init(_ descriptor: Int32, _ identity: RawUpstream.Identity) throws {
        gnutls_certificate_allocate_credentials(&credentials)
        let code = gnutls_certificate_set_x509_key_file(
            credentials, identity.certificate, identity.key, GNUTLS_X509_FMT_PEM)
        guard code >= 0 else { throw Self.failure("certificate", code) }
        gnutls_init(&session, GNUTLS_SERVER.rawValue | UInt32(GNUTLS_NO_SIGNAL.rawValue))
        gnutls_priority_set_direct(session, identity.priorities, nil)
        gnutls_credentials_set(
            session, GNUTLS_CRD_CERTIFICATE, credentials.map { UnsafeMutableRawPointer($0) })
        var ticketKey = gnutls_datum_t()
        gnutls_session_ticket_key_generate(&ticketKey)
        gnutls_session_ticket_enable_server(session, &ticketKey)
        dbt_free(ticketKey.data)
        gnutls_transport_set_int2(session, descriptor, descriptor)
        var handshake: Int32
        repeat {
            handshake = gnutls_handshake(session)
        } while handshake < 0
            && gnutls_error_is_fatal(handshake) == 0
        guard handshake == 0 else { throw Self.failure("handshake", handshake) }
    }

    deinit {
        gnutls_deinit(session)
        gnutls_certificate_free_credentials(credentials)
    }

    /// Sends all.
    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                gnutls_record_send(session, $0.baseAddress, $0.count)
            }
            guard count >= 0 else {
                if gnutls_error_is_fatal(Int32(count)) == 0 { continue }
                throw Self.failure("send", Int32(count))
            }
            sent += count
        }
    }

    /// Reads as `recv` does.
    func receive(_ piece: inout [UInt8], atMost limit: Int) -> Int {
        while true {
            let count = gnutls_record_recv(session, &piece, limit)
            guard count < 0 else { return count }
            if count == Int(GNUTLS_E_AGAIN) {
                errno = EAGAIN
                return -1
            }
            if gnutls_error_is_fatal(Int32(count)) != 0 { return 0 }
        }
    }

    /// Says that nothing more will be sent.
    func finishSending() { gnutls_bye(session, GNUTLS_SHUT_WR) }

    private static func failure(_ action: String, _ code: Int32) -> RawClient.Failure {
        .malformed("\(action): \(String(cString: gnutls_strerror(code)))")
    }
}
