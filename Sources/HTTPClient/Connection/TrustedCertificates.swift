import CGnuTLS
import EventLoop

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
