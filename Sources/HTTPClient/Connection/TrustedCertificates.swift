import CGnuTLS
import EventLoop
import Glibc

/// Parsed certificates of authorities, which TLS sessions share.
///
/// Nothing changes them once they are made, since nobody else has the pointer; sessions on other threads only read
/// them, for which GnuTLS needs no lock (its manual, section "Thread safety"). That makes it Sendable, which no pointer
/// of C's is by itself.
final class TrustedCertificates: @unchecked Sendable {
    private let credentials: gnutls_certificate_credentials_t
    let isChecked: Bool

    /// Reads certificates; that takes tens of milliseconds.
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
                    this system trusts no certificates; install the package ca-certificates, or name a file of them \
                    with --upstream-ca
                    """)
            }
        case .file(let path):
            let count = gnutls_certificate_set_x509_trust_file(credentials, path, GNUTLS_X509_FMT_PEM)
            if count <= 0 {
                let why = count == 0 ? "it has none" : String(cString: gnutls_strerror(count))
                throw TransferError(
                    .unreachable,
                    "\(path) cannot be read as certificates (\(why)); let --upstream-ca name a file of PEM")
            }
        }
    }

    /// Lets a session verify by them; its owner has to hold this object as long as the session.
    func give(to session: gnutls_session_t) {
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
    }

    deinit { gnutls_certificate_free_credentials(credentials) }

    /// The process's certificates for a kind of trust: parsed once, and again when their file has changed.
    static func of(_ trust: Origin.Trust) throws(TransferError) -> TrustedCertificates {
        let stamp = stamp(of: trust)
        if let known = store.withLock({ $0[trust] }), known.stamp == stamp { return known.certificates }
        let certificates = try TrustedCertificates(trust)
        store.withLock { $0[trust] = (certificates, stamp) }
        return certificates
    }

    /// Whether ``of(_:)`` has them without reading.
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
