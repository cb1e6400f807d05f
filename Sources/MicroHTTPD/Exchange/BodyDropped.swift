/// The rest of a body is not there any more, because the answer has begun.
public struct BodyDropped: Error, CustomStringConvertible {
    /// Says what to do.
    public let description =
        "the answer has begun, and what was left of the request's body was dropped; read it before you answer"
}
