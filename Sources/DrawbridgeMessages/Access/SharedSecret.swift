/// A secret from outside the process, of which the gateway's own secrets are made: they are the same in all copies of a
/// gateway and after a restart, and a new secret ends them all.
package struct SharedSecret: Sendable {
    private let key: [UInt8]

    package init() { key = Array(String.random128().utf8) }

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

    /// Makes a text that every gateway with this secret recognises: the second, at most 14 digits, and their code.
    package func seal(_ digits: Substring, for purpose: String, at now: Int) -> String {
        let text = JSON.hexadecimal(UInt32(now), digits: 8) + digits
        return text + value(for: "\(purpose) \(text)")
    }

    /// Whether a text was sealed less than so many seconds ago; the clocks of two machines may differ by a minute.
    package func isSealed(_ text: String, for purpose: String, at now: Int, within seconds: Int) -> Bool {
        let (own, code) = (text.dropLast(32), String(text.suffix(32)))
        guard text.utf8.count <= 54, value(for: "\(purpose) \(own)").isSame(asSecret: code) else {
            return false
        }
        return UInt32(own.prefix(8), radix: 16).map { -60..<seconds ~= now - Int($0) } ?? false
    }
}
