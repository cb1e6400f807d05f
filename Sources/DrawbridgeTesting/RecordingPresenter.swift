public import Drawbridge
import Synchronization

/// Answers in a person's place, and keeps what it was asked.
public final class RecordingPresenter: Presenter {
    private let script: ScriptedPresenter
    private let questions = Mutex<[Question]>([])

    /// - Parameter answers: by the names of their questions; what has none is cancelled.
    public init(_ answers: [String: JSON] = [:]) { script = ScriptedPresenter(answers) }

    /// What was asked, in order.
    public var asked: [Question] { questions.withLock { $0 } }

    /// Answers at once.
    ///
    /// - Throws: a 500 that names the choices for an answer that is none of them.
    public func present(_ question: Question, for request: Request) async throws -> JSON? {
        questions.withLock { $0.append(question) }
        return try await script.present(question, for: request)
    }
}
