/// A secret from outside the process, of which the gateway's own secrets are made: they are the same in all copies of a
/// gateway and after a restart, and a new secret ends them all.
package struct SharedSecret: Sendable {
    private let key: [UInt8]

    /// - Parameter text: at least 32 bytes; a shorter text gives nil.
    package init?(_ text: String) {
        guard text.utf8.count >= 32 else { return nil }
        key = Array(text.utf8)
    }

    /// Makes the secret for a purpose: 128 bits as 32 hexadecimal digits, which tell nothing of other purposes'.
    package func value(for purpose: String) -> String {
        SHA256.code(of: Array("drawbridge \(purpose)".utf8), key: key).prefix(16)
            .map { JSON.hexadecimal($0, digits: 2) }.joined()
    }
}
