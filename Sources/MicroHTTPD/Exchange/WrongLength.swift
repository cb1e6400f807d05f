/// A stream that had more or fewer bytes than were declared; its transfer was broken off.
public struct WrongLength: Error, CustomStringConvertible {
    /// The length in the head of the answer.
    public let declared: Int
    /// How many bytes were written until the difference showed.
    public let written: Int

    /// Both numbers, and what to do.
    public var description: String {
        "a stream of \(declared) bytes was given \(written); declare the right length, or none"
    }
}
