/// A certificate or a private key that a server cannot use; says why and what to do.
public struct UnusableIdentity: Error, CustomStringConvertible {
    /// The whole sentence.
    public let description: String

    init(_ description: String) { self.description = description }
}
