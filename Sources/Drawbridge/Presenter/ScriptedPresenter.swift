public import Logging

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
    private let logger: Logger

    /// Makes a presenter of the answers by the names of their questions.
    public init(
        _ answers: [String: JSON] = [:], next: (any Presenter)? = nil,
        logger: Logger = Logger(label: "drawbridge")
    ) {
        self.answers = answers
        self.next = next
        self.logger = logger
    }

    /// Answers at once.
    ///
    /// - Throws: a 500 that names the choices for an answer that is none of them.
    public func present(_ question: Question) async throws -> JSON? {
        if let answer = answers[question.name], !question.isNotice {
            do {
                return try question.answer(from: answer)
            } catch {
                throw HTTPError(.internalServerError, "\(error); change --answer \(question.name)=…")
            }
        }
        if let next { return try await next.present(question) }
        if question.isNotice {
            logger.info("\(question.line)")
            return nil
        }
        let example = question.choices.first ?? "{\"\(question.fields.first ?? "field")\":\"…\"}"
        logger.notice(
            "\(question.name) was cancelled: there is nobody to ask; answer it with --answer '\(question.name)=\(example)'"
        )
        return nil
    }
}

extension Question {
    /// Name, title and message in one line.
    package var line: String {
        [name, title, message].filter { !$0.isEmpty }.joined(separator: "  ")
    }
}
