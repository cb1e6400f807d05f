/// What has become of a call of native's, or of what native asked a page.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum CallState: String, Sendable, CaseIterable {
    /// Nobody has answered yet.
    case waiting
    /// It has its answer.
    case answered
    /// It failed, or nobody has the name.
    case error
    /// Nobody ever answers.
    case silent
    /// Whoever called did not wait for the answer.
    case left
    /// The answer took longer than it may.
    case expired
}
