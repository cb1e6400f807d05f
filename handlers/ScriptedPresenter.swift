public import Drawbridge
public import Logging

/// Answers with what was written down before: `alert=ok`, `login={"user":"ann"}`.
///
/// A question without an answer is cancelled at once, and the log names the option that would answer it.
public struct ScriptedPresenter: Presenter {
    private let answers: [String: JSON]
    private let logger: Logger

    /// Reads answers of the form `name=value`; a value is JSON, or else a plain string.
    ///
    /// - Throws: ``InvalidAnswer`` for what has no name.
    public init(_ answers: [String] = [], logger: Logger = Logger(label: "drawbridge")) throws {
        var known: [String: JSON] = [:]
        for text in answers {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw InvalidAnswer(text: text)
            }
            let value = String(text[text.index(after: equals)...])
            known[String(text[..<equals])] = (try? JSON(parsing: Array(value.utf8))) ?? .string(value)
        }
        self.answers = known
        self.logger = logger
    }

    /// Answers at once.
    public func present(_ question: Question) async throws -> JSON? {
        guard let answer = answers[question.name] else {
            let example = question.choices.first ?? "{\"\(question.fields.first ?? "field")\":\"…\"}"
            logger.notice(
                "\(question.name) was cancelled: there is nobody to ask; answer it with --answer '\(question.name)=\(example)'"
            )
            return nil
        }
        return answer
    }
}

/// An answer that no question can find.
public struct InvalidAnswer: Error, CustomStringConvertible {
    let text: String

    /// Says how to write it.
    public var description: String { "\(text) is no answer: write name=value, for instance alert=ok" }
}
