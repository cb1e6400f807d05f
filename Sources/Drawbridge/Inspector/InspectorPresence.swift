/// Stands for an open inspector: while it exists, questions wait for the person there.
final class InspectorPresence: Sendable {
    private let questions: Questions

    init(_ questions: Questions) {
        self.questions = questions
        questions.inspect(true)
    }

    deinit { questions.inspect(false) }
}
