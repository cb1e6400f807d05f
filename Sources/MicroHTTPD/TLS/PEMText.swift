import EventLoop
import Glibc

/// A text with certificates or keys (RFC 7468), and a name for messages; never printed itself.
struct PEMText {
    let name: String
    let bytes: [UInt8]

    /// Chains of certificates have some kilobytes.
    private static let mostBytes = 1 << 20

    init(_ bytes: [UInt8], name: String) {
        self.name = name
        self.bytes = bytes
    }

    init(file path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw Self.unreadable(path)
            }
            bytes += piece[..<count]
            guard bytes.count <= Self.mostBytes else {
                throw UnusableIdentity("\(path) has more than 1 MB; give a PEM file")
            }
        }
        self.init(bytes, name: path)
    }

    private static func unreadable(_ path: String) -> UnusableIdentity {
        UnusableIdentity(
            "\(SystemError("cannot read \(path)")); give a PEM file that this user may read")
    }

    var hasCertificate: Bool { contains("-----BEGIN CERTIFICATE-----") }
    var hasKey: Bool { contains("PRIVATE KEY-----") }
    /// True for a key that needs a password, in the form of PKCS #8 or the older one.
    var isEncrypted: Bool {
        contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || contains("Proc-Type: 4,ENCRYPTED")
    }

    private func contains(_ text: String) -> Bool { bytes.firstRange(of: Array(text.utf8)) != nil }
}
