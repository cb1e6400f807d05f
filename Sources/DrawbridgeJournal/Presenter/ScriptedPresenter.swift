/// Answers questions with answers that were written beforehand, so that no person is needed.
///
/// ```swift
/// let gateway = Gateway(presenter: ScriptedPresenter(["alert": "ok", "login": ["user": "ann"]]))
/// ```
///
/// A question without a written answer goes to the next presenter. If there is none, it is cancelled at once, and the
/// log names the option that would answer it.
public struct ScriptedPresenter: Presenter {
    private let answers: [String: JSON]
    private let next: (any Presenter)?

    /// Makes a presenter; the keys of `answers` are names of questions, and `next` is asked for all other questions.
    public init(_ answers: [String: JSON] = [:], next: (any Presenter)? = nil) {
        self.answers = answers
        self.next = next
    }

    /// Whether there is a written answer, or the next presenter has one or can ask a person.
    public func canAnswer(_ question: Question) -> Bool {
        answers[question.name] != nil || next?.canAnswer(question) == true
    }

    /// Whether there is a written answer here or in the next presenter, so that no person is asked.
    func knowsAnswer(to question: Question) -> Bool {
        answers[question.name] != nil || (next as? ScriptedPresenter)?.knowsAnswer(to: question) == true
    }

    /// Answers at once, or asks the next presenter.
    ///
    /// - Throws: an ``HTTPError`` 500 if the written answer is not allowed; it names the allowed ones.
    public func present(_ question: Question, for request: Request) async throws -> JSON? {
        if let answer = answers[question.name], question.kind != .notice {
            do {
                return try question.answer(from: answer)
            } catch {
                throw HTTPError(
                    .internalServerError,
                    "\(error); change --choose \(question.name)=… or the answer in the code")
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

extension Presenter where Self == ScriptedPresenter {
    /// Asks nobody: each question is cancelled at once, and the log says how to answer it.
    public static var nobody: ScriptedPresenter { ScriptedPresenter() }
}
