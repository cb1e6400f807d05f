@testable import MicroHTTPD

/// Certificates and keys as PEM: whatever else a text is, it is refused with a reason.
enum IdentityTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let text = PEMText(name: "the text", bytes: bytes)
        let marks = String(decoding: bytes, as: UTF8.self)
        let (hasCertificate, hasKey) = (text.has("-----BEGIN CERTIFICATE-----"), text.has("PRIVATE KEY-----"))
        let isEncrypted = text.has("BEGIN ENCRYPTED PRIVATE KEY-----") || text.has("Proc-Type: 4,ENCRYPTED")
        check(hasCertificate == marks.contains("-----BEGIN CERTIFICATE-----"), "\(bytes)")
        check(hasKey == marks.contains("PRIVATE KEY-----"), "\(bytes)")
        do {
            _ = try TLSIdentity(certificates: bytes, key: bytes)
            check(hasCertificate && hasKey && !isEncrypted, "\(marks) is taken")
        } catch let error as ListenError {
            check(!error.description.isEmpty, "\(marks) is refused without a word")
        } catch {
            fatalError("\(error) is no unusable identity")
        }
    }
}
