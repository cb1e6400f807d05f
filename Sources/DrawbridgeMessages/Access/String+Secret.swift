extension String {
    /// 128 bits from the system's generator, as 32 hexadecimal digits.
    package static func random128() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in JSON.hexadecimal(generator.next() as UInt64, digits: 16) }.joined()
    }

    /// Whether a candidate is this secret, in a time that does not depend on where the difference is.
    package func isSame(asSecret candidate: String) -> Bool {
        let (own, other) = (utf8, candidate.utf8)
        guard other.count == own.count else { return false }
        return zip(other, own).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
