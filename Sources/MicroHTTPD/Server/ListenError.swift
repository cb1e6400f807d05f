/// The server cannot listen where it should; says why and what to do.
public struct ListenError: Error, CustomStringConvertible {
    /// The whole sentence.
    public let description: String

    init(_ description: String) { self.description = description }
}
