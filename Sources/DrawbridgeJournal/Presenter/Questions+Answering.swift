import Synchronization

// Answers of pages and programs, and what programs say of sessions.
extension Questions {
    /// Answers the question of this number, or the oldest of this name, for which it waits; who comes first is first.
    ///
    /// - Throws: a 404 if there is none in time, a 410 after a reset; an ``AnswerError`` if the answer is not allowed.
    package func answer(
        _ wanted: String, within seconds: Double, _ answer: JSON, in session: Session, by: String
    ) async throws {
        if let number = Int(plain: wanted) { return try self.answer(number, answer, in: session, by: by) }
        _ = watch(session)
        let id = UInt64.random(in: 0 ... .max)
        state.withLock { $0.answering.append((id, wanted, session)) }
        defer {
            state.withLock { $0.answering.removeAll { $0.id == id } }
            journal.touch(.questions)
        }
        var outcome = Result<Bool, any Error>.success(false)
        let deadline = ContinuousClock.now + .seconds(seconds)
        _ = try await journal.wait(for: RecordFilter(kinds: []), until: deadline, hearsTopics: true) {
            outcome = Result { try answerNext(wanted, id, answer, in: session, by: by) }
            return (try? outcome.get()) != false
        }
        if try outcome.get() { return }
        try Task.checkCancellation()
        throw unknown(wanted, in: session)
    }

    /// - Returns: whether a question of this name waits for the program with this id, which is answered then.
    private func answerNext(
        _ wanted: String, _ id: UInt64, _ answer: JSON, in session: Session, by: String
    ) throws -> Bool {
        let number = try state.withLock { state -> Int? in
            let queue = state.answering.filter { ($0.wanted, $0.session) == (wanted, session) }
            guard let place = queue.firstIndex(where: { $0.id == id }) else {
                throw HTTPError(.gone, "a reset of session \(session.name) has ended the wait")
            }
            return state.questions.filter { $0.session == session && $0.question.name == wanted }
                .dropFirst(place).first?.number
        }
        guard let number else { return false }
        do {
            try self.answer(number, answer, in: session, by: by)
            return true
        } catch is HTTPError {
            // Somebody else was faster.
            return false
        }
    }

    private func unknown(_ wanted: String, in session: Session) -> HTTPError {
        let open = waiting.filter {
            $0.session == session || ["\($0.number)", $0.question.name].contains(wanted)
        }
        .prefix(20)
        .map { "\($0.number) \($0.question.name.cut(to: 40)) in session \($0.session.name)" }
        let none = "none waits there; GET \(OwnPath.questions.path) first, so that questions wait"
        let rest = open.isEmpty ? none : "those that wait: \(open.joined(separator: ", "))"
        return HTTPError(
            .notFound, "no question \(wanted.cut(to: 40)) waits in session \(session.name); \(rest)")
    }

    /// Answers a question.
    ///
    /// - Throws: a 404 if it does not wait any more; an ``AnswerError`` if the answer is not allowed.
    package func answer(_ number: Int, _ answer: JSON, in session: Session, by: String) throws {
        let found = state.withLock { $0.waiting[number] }
        guard let found, found.session == session, found.isQuestion else {
            throw unknown("\(number)", in: session)
        }
        let value = try found.question.answer(from: answer)
        guard take(number, value, by: by) else { throw unknown("\(number)", in: session) }
    }

    /// Says over which pages the questions of a session are shown.
    package func ask(_ asking: Question.Asking, in session: Session) {
        state.withLock { state in
            state.asking.removeAll { $0.session == session }
            state.asking.append((session, asking))
            if state.asking.count > Session.most { state.asking.removeFirst() }
        }
    }

    /// What a program has said by `ask`; nil if nothing.
    package func asking(in session: Session) -> Question.Asking? {
        state.withLock { $0.asking.first { $0.session == session }?.asking }
    }
}
