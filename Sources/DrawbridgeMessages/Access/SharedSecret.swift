/// A secret of which the gateway's own secrets are made: if it comes from outside the process, they are the same in all
/// copies of a gateway and after a restart, and a new secret ends them all.
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
        let text = JSON.hexadecimal(UInt32(truncatingIfNeeded: now), digits: 8) + digits
        return text + value(for: "\(purpose) \(text)")
    }

    /// When a text was sealed; nil if that was not by this secret for this purpose.
    package func time(of text: String, for purpose: String) -> Int? {
        let (own, code) = (text.dropLast(32), String(text.suffix(32)))
        guard value(for: "\(purpose) \(own)").isSame(asSecret: code) else { return nil }
        return UInt32(own.prefix(8), radix: 16).map(Int.init)
    }
}
