/// Why a transfer with another server failed, in a sentence for its log.
package struct TransferError: Error, CustomStringConvertible {
    /// What it is for whoever answers in its place.
    package enum Kind: Sendable {
        /// It could not be reached.
        case unreachable
        /// It did not answer in time.
        case late
        /// What it said is no HTTP, or broke off.
        case malformed
        /// It must not be asked.
        case forbidden
    }

    /// What it is.
    package let kind: Kind
    /// The sentence.
    package let description: String

    /// Makes an error.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
