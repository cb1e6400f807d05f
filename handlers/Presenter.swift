public import Drawbridge

/// Asks the person at the app.
///
/// A handler that needs a person asks through this, and does not know whether the question appears in a terminal, in
/// a window or nowhere.
public protocol Presenter: Sendable {
    /// Asks, and waits for the answer.
    ///
    /// Cancelling the task withdraws the question: its caller has gone.
    ///
    /// - Returns: the choice as a string, or the fields as an object; nil when the person cancelled or nobody can be
    ///   asked.
    func present(_ question: Question) async throws -> JSON?
}

/// What a person is asked: to choose, or to fill in.
public struct Question: Sendable {
    /// The handler's name, by which a script answers: `alert`.
    public var name: String
    /// One line above the message.
    public var title: String
    /// The message.
    public var message: String
    /// What can be chosen; the first is the usual choice.
    public var choices: [String]
    /// The names of what is to be filled in.
    public var fields: [String]

    /// Makes a question.
    public init(
        _ name: String, title: String = "", message: String = "", choices: [String] = [],
        fields: [String] = []
    ) {
        self.name = name
        self.title = title
        self.message = message
        self.choices = choices
        self.fields = fields
    }
}
