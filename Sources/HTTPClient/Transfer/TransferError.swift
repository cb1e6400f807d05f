/// Why a transfer with another server failed, in a sentence for its log.
package struct TransferError: Error, CustomStringConvertible {
    /// The kinds of failures, by which a status for the caller is chosen.
    package enum Kind: Sendable {
        /// The server could not be reached.
        case unreachable
        /// It did not answer in time.
        case late
        /// Its answer is no HTTP, or broke off.
        case malformed
        /// Its address is not allowed.
        case forbidden
    }

    package let kind: Kind
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
