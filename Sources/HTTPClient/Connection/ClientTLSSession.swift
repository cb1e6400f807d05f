import CGnuTLS
import EventLoop
import Glibc
import TLS

/// The client side of a TLS session (1.2 and 1.3) on a non-blocking socket.
///
/// The owner of the connection uses it on one thread at a time.
final class ClientTLSSession {
    enum Progress {
        case done
        case wantsToRead
        case wantsToWrite
        case failed(String)
    }

    private let session: gnutls_session_t
    /// Retained, because GnuTLS uses their memory.
    private let certificates: TrustedCertificates
    private let host: UnsafeMutablePointer<CChar>
    let records: TLSRecords

    /// Makes a session on a connected socket; the socket's owner closes it.
    ///
    /// - Parameter host: the host name or IP address that the certificate must match.
    init(_ socket: Int32, host: String, _ certificates: TrustedCertificates) throws(TransferError) {
        var session: gnutls_session_t?
        let flags = GNUTLS_CLIENT.rawValue | UInt32(GNUTLS_NONBLOCK) | UInt32(GNUTLS_NO_SIGNAL)
        guard gnutls_init(&session, flags) == 0, let session else {
            throw TransferError(.unreachable, "there is no memory for TLS")
        }
        self.session = session
        records = TLSRecords(of: session, on: socket)
        self.certificates = certificates
        self.host = strdup(host)
        gnutls_priority_set_direct(session, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2", nil)
        certificates.give(to: session)
        // SNI may not contain an IP address (RFC 6066, section 3).
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
    }

    deinit {
        gnutls_deinit(session)
        free(host)
    }

    /// Continues the handshake until it is done or the socket would block.
    func handshake() -> Progress {
        while true {
            let code = records.whileReading { gnutls_handshake(session) }
            if code == 0 { return .done }
            if code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED {
                return gnutls_record_get_direction(session) == 1 ? .wantsToWrite : .wantsToRead
            }
            guard gnutls_error_is_fatal(code) != 0 else { continue }
            return .failed(problem(code))
        }
    }

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

/// Parsed CA certificates, shared by TLS sessions.
///
/// Sendable, because the credentials are never changed after `init`: no other code has the pointer, and sessions only
/// read them, for which GnuTLS needs no lock (its manual, section "Thread safety").
final class TrustedCertificates: @unchecked Sendable {
    private let credentials: gnutls_certificate_credentials_t
    let isChecked: Bool

    /// Reads and parses certificates, which takes tens of milliseconds.
    ///
    /// - Throws: an error whose description says what to do.
    init(_ trust: Origin.Trust) throws(TransferError) {
        var credentials: gnutls_certificate_credentials_t?
        guard gnutls_certificate_allocate_credentials(&credentials) == 0, let credentials else {
            throw TransferError(.unreachable, "there is no memory for certificates")
        }
        self.credentials = credentials
        isChecked = trust != .anybody
        switch trust {
        case .anybody: break
        case .system:
            let count = gnutls_certificate_set_x509_system_trust(credentials)
            if count <= 0 {
                throw TransferError(
                    .unreachable,
                    """
                    this system has no CA certificates; install the package ca-certificates, or give a PEM file of them \
                    with --upstream-ca
                    """)
            }
        case .file(let path):
            let count = gnutls_certificate_set_x509_trust_file(credentials, path, GNUTLS_X509_FMT_PEM)
            if count <= 0 {
                let why = count == 0 ? "it has none" : String(cString: gnutls_strerror(count))
                throw TransferError(
                    .unreachable,
                    "\(path) has no PEM certificates (\(why)); give a file that has, with --upstream-ca")
            }
        }
    }

    /// Makes a session verify with these certificates; the session's owner must retain this object as long.
    func give(to session: gnutls_session_t) {
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
    }

    deinit { gnutls_certificate_free_credentials(credentials) }

    /// The shared certificates for a kind of trust; they are parsed once, and again after their file has changed.
    static func of(_ trust: Origin.Trust) throws(TransferError) -> TrustedCertificates {
        let stamp = stamp(of: trust)
        if let known = store.withLock({ $0[trust] }), known.stamp == stamp { return known.certificates }
        let certificates = try TrustedCertificates(trust)
        store.withLock { $0[trust] = (certificates, stamp) }
        return certificates
    }

    /// Whether ``of(_:)`` has the certificates in memory, so that it returns without reading their file.
    static func isKnown(_ trust: Origin.Trust) -> Bool {
        store.withLock { $0[trust] }.map { $0.stamp == stamp(of: trust) } ?? false
    }

    private static func stamp(of trust: Origin.Trust) -> FileStamp? {
        if case .file(let path) = trust { FileStamp(path) } else { nil }
    }

    private static let store = Guarded<
        [Origin.Trust: (certificates: TrustedCertificates, stamp: FileStamp?)]
    >([:])
}
