/// Somebody looks with an inspector, so questions wait for them.
final class InspectorPresence: Sendable {
    private let questions: Questions

    init(_ questions: Questions) {
        self.questions = questions
        questions.inspect(true)
    }

    deinit { questions.inspect(false) }
}
