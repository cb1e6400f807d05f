/// Asks the person at the app.
///
/// A handler that needs a person asks through this, and does not know whether the question appears in a terminal, in
/// a window or nowhere:
///
/// ```swift
/// let answer = try await request.presenter.present(
///     Question("delete", message: "Delete all?", choices: ["ok", "cancel"]))
/// ```
public protocol Presenter: Sendable {
    /// Asks, and waits for the answer; a question with nothing to choose and nothing to fill in is only shown.
    ///
    /// Cancelling the task withdraws the question: its caller has gone.
    ///
    /// - Returns: the choice as a string, or the fields as an object; nil when the person cancelled, when nobody can
    ///   be asked, and for what is only shown.
    func present(_ question: Question) async throws -> JSON?
}
