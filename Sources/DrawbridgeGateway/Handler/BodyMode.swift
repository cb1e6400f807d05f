/// How a handler gets the body of its request.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum BodyMode: Sendable {
    /// As bytes, complete before the handler starts; more than the limit is a 413. Nil: the gateway's limit.
    case collected(upTo: Int?)

    /// As a stream, while it arrives, without a limit. Read it before you answer: what is left then is dropped.
    case streamed

    var isStreamed: Bool { if case .streamed = self { true } else { false } }
}
