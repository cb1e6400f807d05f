import Synchronization

/// A presenter that answers like `ScriptedPresenter`, and records all questions.
public final class RecordingPresenter: Presenter {
    private let script: ScriptedPresenter
    private let questions = Mutex<[Question]>([])

    /// - Parameter answers: the answers by name of the question; a question without one is cancelled.
    public init(_ answers: [String: JSON] = [:]) { script = ScriptedPresenter(answers) }

    /// The questions and notices so far, in order.
    public var asked: [Question] { questions.withLock { $0 } }

    /// Records the question, and answers at once.
    ///
    /// - Throws: an `HTTPError` 500 if the scripted answer is not allowed; it names the allowed ones.
    public func present(_ question: Question, for request: Request) async throws -> JSON? {
        questions.withLock { $0.append(question) }
        return try await script.present(question, for: request)
    }
}
