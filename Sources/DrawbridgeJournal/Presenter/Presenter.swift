public import DrawbridgeJSON
public import DrawbridgeMessages

/// Asks the person at the app: in a terminal, in a window, or by what was written down before.
///
/// A handler asks by ``Request/present(_:)``, and does not know who answers.
public protocol Presenter: Sendable {
    /// Asks, and waits for the answer; a notice is only shown.
    ///
    /// Cancelling the task withdraws the question: its caller has gone.
    ///
    /// - Parameters:
    ///   - question: what the person is asked or shown.
    ///   - request: the request that needs the answer; it names the page that asks.
    /// - Returns: the choice as a string, or the fields as an object; nil when the person cancelled, when nobody can
    ///   be asked, and for a notice.
    /// - Throws: a `CancellationError` when the caller has gone; an ``HTTPError`` where an answer cannot be had.
    func present(_ question: Question, for request: Request) async throws -> JSON?

    /// Whether it has somebody to ask, or the answer itself; by default it has.
    ///
    /// Where nobody can be asked, and no program looks for questions, a question is cancelled at once.
    func canAnswer(_ question: Question) -> Bool
}

extension Presenter {
    /// True: most presenters have somebody to ask.
    public func canAnswer(_ question: Question) -> Bool { true }
}
