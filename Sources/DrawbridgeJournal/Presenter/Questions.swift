import DrawbridgeJSON
import DrawbridgeMessages
import HTTPTypes
import Logging
import Synchronization

/// The questions that wait for an answer, which a person or a program may give.
///
/// The first answer wins; the question is then withdrawn everywhere else.
package final class Questions: Sendable {
    package struct Waiting: Sendable {
        package let number: Int
        package let question: Question
        package let session: Session
        /// The number of the asking call in the journal; nil without a journal.
        package let call: Int?
        /// The id and the path of the asking page; nil if the question does not come from a page.
        package let page: String?
        package let path: String?
        fileprivate let answers: AsyncStream<JournalRecord.Decided>.Continuation
    }

    private typealias Decided = JournalRecord.Decided

    private struct State {
        var waiting: [Int: Waiting] = [:]
        var last = 0
        /// Sessions in which a program has listed unanswered questions, so that no person is needed to answer, with
        /// the time when it last did; the latest is last.
        var watched: [(session: Session, since: ContinuousClock.Instant)] = []
        /// How many inspectors are open; they show the questions of all sessions.
        var inspectors = 0
    }

    /// The limits of waiting questions: for one page, for one session, and in total.
    static let mostOfPage = 20
    static let mostOfSession = 100
    static let most = 1000

    private let state = Mutex(State())
    /// How long a program watches a session after it has asked for its questions; only tests set another time.
    ///
    /// Without a limit, a page would wait forever for one that has gone.
    package let patience = Mutex(Duration.seconds(60))
    private let journal: Journal

    /// - Parameter journal: records the questions, and notifies inspectors of changes.
    package init(in journal: Journal) { self.journal = journal }

    /// Asks the presenter and any watching program at the same time, and returns the first answer.
    ///
    /// - Parameter page: the id and the path of the page that sent the request.
    package func present(
        _ question: Question, for request: Request, of page: (id: String?, path: String?),
        by presenter: any Presenter
    ) async throws -> JSON? {
        let session = request.session
        let hasPresenter = presenter.canAnswer(question)
        let isScripted = (presenter as? ScriptedPresenter)?.knowsAnswer(to: question) == true
        let person = isScripted ? "script" : "person"
        guard question.kind != .notice, hasPresenter || isWatched(session) else {
            let answer = try await presenter.present(question, for: request)
            if question.kind != .notice { note(question, (answer, by: "nobody"), for: request) }
            return answer
        }
        let (stream, answers) = AsyncStream.makeStream(of: Decided.self)
        let number = try open(question, for: request, of: page, answers)
        note(question, nil, for: request)
        // A presenter shows the question itself; without one it is logged.
        if !hasPresenter { tell(of: question, number, request) }
        defer { _ = take(number) }
        let decision = try await withThrowingTaskGroup(of: Decided.self) { group in
            group.addTask { [self] in
                while !hasPresenter, let end = watchEnds(in: session) { try await Task.sleep(until: end) }
                let answer = try await presenter.present(question, for: request)
                // If `take` returns nil, a program's answer was accepted meanwhile, and wins.
                if take(number) == nil { for await first in stream { return first } }
                return (answer, by: hasPresenter ? person : "nobody")
            }
            group.addTask {
                for await answer in stream { return answer }
                throw CancellationError()
            }
            defer { group.cancelAll() }
            return try await group.next() ?? (nil, by: person)
        }
        note(question, decision, for: request)
        return decision.choice
    }

    /// Records a question with the call that asks it.
    ///
    /// - Parameter decision: the answer; nil when the question begins to wait.
    package func note(_ question: Question, _ decision: JournalRecord.Decided?, for request: Request) {
        guard let number = request.record else { return }
        journal.note((question.name, decision), of: number)
        if decision?.by == "nobody" { journal.note(why: [Question.unasked], of: number) }
    }

    private func tell(of question: Question, _ number: Int, _ request: Request) {
        let isInspected = state.withLock { $0.inspectors > 0 }
        let way = isInspected ? "answer it in the inspector" : "waiting for a program to answer it"
        request.logger.notice("? \(number)  \(question.oneLine)  \(question.options); \(way)")
    }

    /// Removes a question; nil where it was answered already.
    private func take(_ number: Int) -> Waiting? {
        let taken = state.withLock { $0.waiting.removeValue(forKey: number) }
        if taken != nil { journal.touch(.questions) }
        return taken
    }

    /// The open questions of a session, oldest first; also marks the session as watched by a program.
    package func watch(_ session: Session) -> [Waiting] {
        state.withLock { state in
            state.watched.removeAll { $0.session == session }
            state.watched.append((session, .now))
            if state.watched.count > Session.most { state.watched.removeFirst() }
            return state.waiting.values.filter { $0.session == session }.sorted { $0.number < $1.number }
        }
    }

    package var waiting: [Waiting] { state.withLock { $0.waiting.values.sorted { $0.number < $1.number } } }

    package func inspect(_ isThere: Bool) { state.withLock { $0.inspectors += isThere ? 1 : -1 } }

    /// Answers a question.
    ///
    /// - Throws: a 404 if the question is no longer open; an ``AnswerError`` if the answer is not allowed.
    package func answer(_ number: Int, _ answer: JSON, in session: Session, by: String) throws {
        let found = state.withLock { $0.waiting[number] }
        guard let waiting = found, waiting.session == session else {
            let reason =
                found.map { "it waits in session \($0.session.name): add ?session=\($0.session.name)" }
                    ?? """
                    it was answered, its caller has left, or it never existed; GET \(OwnPath.questions.path) lists the open ones
                    """
            throw HTTPError(.notFound, "no question \(number) waits in session \(session.name): \(reason)")
        }
        let value = try waiting.question.answer(from: answer)
        guard take(number) != nil else {
            throw HTTPError(.conflict, "question \(number) has just been answered by somebody else")
        }
        waiting.answers.yield((value, by))
    }

    /// Marks a session as no longer watched by a program; its open questions go on waiting.
    package func reset(_ session: Session) {
        state.withLock { $0.watched.removeAll { $0.session == session } }
    }

    /// Whether a program watches for questions of a session, or an inspector is open.
    package func isWatched(_ session: Session) -> Bool {
        watchEnds(in: session) != nil
    }

    /// The time until which a program or an inspector may answer; nil if neither watches.
    private func watchEnds(in session: Session) -> ContinuousClock.Instant? {
        let patience = patience.withLock { $0 }
        return state.withLock { state in
            if state.inspectors > 0 { return .now + patience }
            let end = state.watched.first { $0.session == session }.map { $0.since + patience }
            return end.flatMap { $0 > .now ? $0 : nil }
        }
    }

    private func open(
        _ question: Question, for request: Request, of page: (id: String?, path: String?),
        _ answers: AsyncStream<Decided>.Continuation
    ) throws(HTTPError) -> Int {
        let session = request.session
        let number: Int? = state.withLock { state in
            let ofPage = page.id == nil ? 0 : state.waiting.values.count { $0.page == page.id }
            let ofSession = state.waiting.values.count { $0.session == session }
            guard state.waiting.count < Self.most, ofSession < Self.mostOfSession, ofPage < Self.mostOfPage
            else {
                return nil
            }
            state.last += 1
            state.waiting[state.last] = Waiting(
                number: state.last, question: question, session: session, call: request.record,
                page: page.id, path: page.path, answers: answers)
            return state.last
        }
        guard let number else {
            throw HTTPError(
                .serviceUnavailable,
                """
                \(question.name) is not asked: \(Self.mostOfPage) questions of this page wait already, or \
                \(Self.mostOfSession) of its session, or \(Self.most) of all; answer them first
                """)
        }
        journal.touch(.questions)
        return number
    }
}
