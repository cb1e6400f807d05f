/// A gateway that others than this machine could call, without the page token.
public struct UnguardedAddress: Error, CustomStringConvertible {
    let address: String

    /// Says what to do.
    public var description: String {
        """
        other machines could call the handlers on \(address): listen on 127.0.0.1, or ask for the page token with \
        AccessPolicy(requiresToken: true)
        """
    }
}
