/// Where a handler runs.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum Execution: Sendable {
    /// On the loop that read the request: the fastest way, for code that computes briefly and awaits the rest.
    case loop

    /// On a thread of its own, for code that blocks or computes long.
    case thread
}
