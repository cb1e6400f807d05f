/// What became of a secret that a caller sent.
package enum Verdict: Sendable {
    case right
    case wrong
    /// The caller has sent so many wrong ones in this second that this one was not looked at.
    case throttled
}
