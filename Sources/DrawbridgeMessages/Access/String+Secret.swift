extension String {
    /// Whether a candidate is this secret, in a time that does not depend on where the difference is.
    package func isSame(asSecret candidate: String) -> Bool {
        let (own, other) = (utf8, candidate.utf8)
        guard other.count == own.count else { return false }
        return zip(other, own).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
