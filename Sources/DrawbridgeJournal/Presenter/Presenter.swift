/// Asks the person who uses the app: in a terminal, in a window, or with answers that were written beforehand.
///
/// A handler asks with ``Request/present(_:)``, and does not know which presenter answers.
public protocol Presenter: Sendable {
    /// Shows the question and waits for the answer; does not wait if it is a notice.
    ///
    /// The task is cancelled when the caller of the request has gone; the question is then withdrawn.
    ///
    /// - Parameters:
    ///   - question: the question or notice.
    ///   - request: the request that needs the answer; it identifies the page.
    /// - Returns: the choice as a string, or the fields as an object; nil if the person cancelled, if nobody can be
    /// asked, and for a notice.
    /// - Throws: a `CancellationError` if the caller has gone; an ``HTTPError`` if no answer can be had.
    func present(_ question: Question, for request: Request) async throws -> JSON?

    /// Whether a person or a written answer is available for the question; true by default.
    ///
    /// If not, and no program or inspector watches for questions either, the question is cancelled at once.
    func canAnswer(_ question: Question) -> Bool
}

extension Presenter {
    /// The default: true, since most presenters have a person to ask.
    public func canAnswer(_ question: Question) -> Bool { true }
}
