public import DrawbridgeJSON
public import DrawbridgeMessages
import HTTPTypes
import Logging

/// Answers with what was written down before, in a person's place.
///
/// ```swift
/// let gateway = Gateway(presenter: ScriptedPresenter(["alert": "ok", "login": ["user": "ann"]]))
/// ```
///
/// What it has no answer to goes on to another presenter. Where there is none the question is cancelled at once, and
/// the log names the option that would answer it.
public struct ScriptedPresenter: Presenter {
    private let answers: [String: JSON]
    private let next: (any Presenter)?

    /// Makes a presenter of the answers by the names of their questions.
    public init(_ answers: [String: JSON] = [:], next: (any Presenter)? = nil) {
        self.answers = answers
        self.next = next
    }

    /// Whether the answer was written down, or the next presenter can be asked.
    public func canAnswer(_ question: Question) -> Bool {
        answers[question.name] != nil || next?.canAnswer(question) == true
    }

    /// Whether the answer was written down, here or in the next one, so that no person is asked.
    func knowsAnswer(to question: Question) -> Bool {
        answers[question.name] != nil || (next as? ScriptedPresenter)?.knowsAnswer(to: question) == true
    }

    /// Answers at once.
    ///
    /// - Throws: a 500 that names the choices for an answer that is none of them.
    public func present(_ question: Question, for request: Request) async throws -> JSON? {
        if let answer = answers[question.name], question.kind != .notice {
            do {
                return try question.answer(from: answer)
            } catch {
                throw HTTPError(
                    .internalServerError,
                    "\(error); change --choose \(question.name)=…, in code the answer of that name")
            }
        }
        if let next { return try await next.present(question, for: request) }
        if question.kind == .notice {
            request.logger.info("\(question.line)")
        } else {
            request.logger.warning(
                """
                \(question.name): \(Question.unasked); it was cancelled. Use \
                --choose '\(question.name)=\(question.example)', or mock \(question.name); in code \
                Gateway(presenter: …)
                """)
        }
        return nil
    }
}
