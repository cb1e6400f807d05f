/// The result of checking a secret that a caller sent.
package enum Verdict: Sendable {
    case right
    case wrong
    /// Not compared, since the caller has sent too many wrong ones in this second.
    case throttled
}
