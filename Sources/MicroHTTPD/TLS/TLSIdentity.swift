import CGnuTLS
import Glibc

/// A TLS server's certificate chain and private key.
///
/// ```swift
/// let identity = try TLSIdentity(certificateFile: "cert.pem", keyFile: "key.pem")
/// try await gateway.run(ServerConfiguration(port: 8443, tls: identity))
/// ```
public struct TLSIdentity: Sendable {
    private let certificates: [UInt8]
    private let key: [UInt8]

    /// TLS 1.3, and of TLS 1.2 only ciphers with forward secrecy and AEAD (RFC 9325, section 4).
    private static let priorities = """
        NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-DHE-RSA\
        :-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305
        """

    /// Reads two PEM files, and checks that they fit together and can be used.
    ///
    /// - Parameters:
    ///   - certificateFile: the server's certificate, followed by its chain.
    ///   - keyFile: its private key, not encrypted.
    /// - Throws: an error whose text says what to do.
    public init(certificateFile: String, keyFile: String) throws {
        try self.init(PEMText.read(certificateFile), PEMText.read(keyFile))
    }

    /// Takes two PEM texts, and checks that they fit together and can be used.
    ///
    /// - Parameters:
    ///   - certificates: the server's certificate, followed by its chain.
    ///   - key: its private key, not encrypted.
    /// - Throws: an error whose text says what to do.
    public init(certificates: [UInt8], key: [UInt8]) throws {
        try self.init(
            PEMText(name: "the certificate's text", bytes: certificates),
            PEMText(name: "the key's text", bytes: key))
    }

    /// Takes two texts without a check; if they cannot be used, starting a server fails.
    package init(uncheckedCertificates certificates: [UInt8], key: [UInt8]) {
        self.certificates = certificates
        self.key = key
    }

    private init(_ certificates: PEMText, _ key: PEMText) throws {
        guard certificates.has("-----BEGIN CERTIFICATE-----") else {
            throw ListenError(
                "\(certificates.name) has no certificate; give a PEM file with -----BEGIN CERTIFICATE-----")
        }
        // With a passphrase, in PKCS #8 or the traditional format.
        guard !key.has("-----BEGIN ENCRYPTED PRIVATE KEY-----"), !key.has("Proc-Type: 4,ENCRYPTED") else {
            throw ListenError(
                "the key in \(key.name) is encrypted; decrypt it: openssl pkey -in ENCRYPTED -out DECRYPTED")
        }
        guard key.has("PRIVATE KEY-----") else {
            throw ListenError(
                "\(key.name) has no private key; give a PEM file with -----BEGIN PRIVATE KEY-----")
        }
        self.init(uncheckedCertificates: certificates.bytes, key: key.bytes)
        try check(certificates.name, key.name)
    }

    /// Loads both into GnuTLS, as libmicrohttpd will do later.
    private func check(_ certificateName: String, _ keyName: String) throws {
        var credentials: gnutls_certificate_credentials_t?
        guard gnutls_certificate_allocate_credentials(&credentials) == GNUTLS_E_SUCCESS, let credentials
        else {
            throw SystemError("cannot check the certificate", code: ENOMEM)
        }
        defer { gnutls_certificate_free_credentials(credentials) }
        // The pointers are mutable for C only: GnuTLS copies the texts. GnuTLS 3.7 reads beyond a key that ends with
        // DEK-Info, up to a NUL, so a NUL follows each text.
        var (certificateText, keyText) = (certificates + [0], key + [0])
        let code = certificateText.withUnsafeMutableBufferPointer { certificates in
            keyText.withUnsafeMutableBufferPointer { key in
                var certificates = gnutls_datum_t(
                    data: certificates.baseAddress, size: UInt32(certificates.count - 1))
                var key = gnutls_datum_t(data: key.baseAddress, size: UInt32(key.count - 1))
                return gnutls_certificate_set_x509_key_mem(
                    credentials, &certificates, &key, GNUTLS_X509_FMT_PEM)
            }
        }
        guard code != GNUTLS_E_CERTIFICATE_KEY_MISMATCH else {
            throw ListenError(
                """
                the key in \(keyName) does not belong to the certificate in \(certificateName); give the key that it \
                was made with
                """)
        }
        guard code >= 0 else {
            throw ListenError(
                """
                \(certificateName) and \(keyName) cannot be used: \(String(cString: gnutls_strerror(code))) Give a \
                certificate and its key as PEM
                """)
        }
        if let end = Self.expiration(credentials), end < time(nil) {
            throw ListenError(
                "the certificate in \(certificateName) expired on \(Self.day(end)); get or make a new one")
        }
    }

    /// The expiration time of the server's certificate; nil if it cannot be parsed.
    private static func expiration(_ credentials: gnutls_certificate_credentials_t) -> time_t? {
        var encoded = gnutls_datum_t()
        var certificate: gnutls_x509_crt_t?
        guard gnutls_certificate_get_crt_raw(credentials, 0, 0, &encoded) >= 0,
            gnutls_x509_crt_init(&certificate) >= 0, let certificate
        else { return nil }
        defer { gnutls_x509_crt_deinit(certificate) }
        guard gnutls_x509_crt_import(certificate, &encoded, GNUTLS_X509_FMT_DER) >= 0 else { return nil }
        let end = gnutls_x509_crt_get_expiration_time(certificate)
        return end >= 0 ? end : nil
    }

    private static func day(_ time: time_t) -> String {
        var time = time
        var parts = tm()
        gmtime_r(&time, &parts)
        func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(twoDigits(parts.tm_mon + 1))-\(twoDigits(parts.tm_mday))"
    }

    /// Passes the PEM texts and GnuTLS's priority string as C strings, which are valid during the call only.
    func withTexts<Result>(
        _ body: (
            _ certificates: UnsafePointer<CChar>, _ key: UnsafePointer<CChar>,
            _ priorities: UnsafePointer<CChar>
        ) -> Result
    ) -> Result {
        Self.withText(certificates) { certificates in
            Self.withText(key) { key in Self.priorities.withCString { body(certificates, key, $0) } }
        }
    }

    private static func withText<Result>(
        _ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Result
    ) -> Result {
        (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

// So that printing a configuration does not print the key.
extension TLSIdentity: CustomStringConvertible, CustomReflectable {
    /// A text without certificate and key.
    public var description: String { "a certificate with its key" }

    /// Has no children, so that `dump` and debuggers do not show the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// PEM text with certificates or keys (RFC 7468), and the name of its source, to be used in errors instead of the text.
struct PEMText {
    let name: String
    let bytes: [UInt8]

    /// The maximum file size; a certificate chain has a few kilobytes.
    private static let mostBytes = 1 << 20

    static func read(_ path: String) throws -> PEMText {
        guard let bytes = Linux.contents(of: path, atMost: Self.mostBytes) else {
            throw ListenError(
                "\(SystemError("cannot read \(path)")); give a PEM file that this user may read")
        }
        guard bytes.count <= Self.mostBytes else {
            throw ListenError("\(path) has more than 1 MB; give a PEM file")
        }
        return PEMText(name: path, bytes: bytes)
    }

    func has(_ text: String) -> Bool { bytes.firstRange(of: Array(text.utf8)) != nil }
}
