import Synchronization

/// The questions that wait for an answer, which a program may give in a person's place.
///
/// Whoever answers first counts; the question is withdrawn from all others.
final class Questions: Sendable {
    /// A question that waits.
    struct Waiting: Sendable {
        let number: Int
        let question: Question
        let session: Session
        /// The page that asks, and the path at which it is; nil where it is none.
        let page: String?
        let path: String?
        fileprivate let answers: AsyncStream<JournalRecord.Decided>.Continuation
    }

    private typealias Decided = JournalRecord.Decided

    private struct State {
        var waiting: [Int: Waiting] = [:]
        var last = 0
        /// Sessions in which a program looks for questions, so that nobody needs a person there, and since when it has not;
        /// the newest last.
        var watched: [(session: Session, since: ContinuousClock.Instant)] = []
        var patience = Duration.seconds(60)
        /// How many people look for questions of all sessions.
        var inspectors = 0
    }

    /// So many wait at once of one page, of one session, and of all.
    static let mostOfPage = 20
    static let mostOfSession = 100
    static let most = 1000

    private let state = Mutex(State())
    private let journal: Journal

    /// - Parameter journal: where they stand while they wait.
    init(in journal: Journal) { self.journal = journal }

    /// Asks whoever can be asked.
    ///
    /// - Parameter presenter: asks a person, or knows the answer.
    func present(
        _ question: Question, for request: Request, by presenter: any Presenter
    ) async throws -> JSON? {
        let session = request.session
        let hasPresenter = presenter.canAnswer(question)
        let isScripted = (presenter as? ScriptedPresenter)?.knowsAnswer(to: question) == true
        let person = isScripted ? "script" : "person"
        guard question.kind != .notice, hasPresenter || isWatched(session) else {
            let answer = try await presenter.present(question, for: request)
            if question.kind != .notice { note(Decided(choice: answer, by: "nobody"), question, request) }
            return answer
        }
        let (stream, answers) = AsyncStream.makeStream(of: Decided.self)
        let number = try open(question, session, of: request, answers)
        note(nil, question, request)
        journal.touch(.questions)
        defer {
            _ = take(number)
            journal.touch(.questions)
        }
        let decision = try await withThrowingTaskGroup(of: Decided.self) { group in
            if hasPresenter {
                group.addTask { [self] in
                    let answer = Decided(
                        choice: try await presenter.present(question, for: request), by: person)
                    // Who answers first counts: a program that was told so has answered.
                    if take(number) == nil { for await first in stream { return first } }
                    return answer
                }
            }
            group.addTask {
                for await answer in stream { return answer }
                throw CancellationError()
            }
            if !hasPresenter {
                group.addTask { [self] in
                    while let end = watchEnds(in: session) { try await Task.sleep(until: end) }
                    let answer = Decided(
                        choice: try await presenter.present(question, for: request), by: "nobody")
                    if take(number) == nil { for await first in stream { return first } }
                    return answer
                }
            }
            defer { group.cancelAll() }
            return try await group.next() ?? Decided(choice: nil, by: person)
        }
        note(decision, question, request)
        return decision.choice
    }

    /// - Parameter decision: nil where the question begins to wait.
    private func note(_ decision: Decided?, _ question: Question, _ request: Request) {
        guard let number = request.record else { return }
        journal.note(.init(question: question.name, decided: decision), of: number)
    }

    /// Takes a question out, once.
    private func take(_ number: Int) -> Waiting? {
        state.withLock { $0.waiting.removeValue(forKey: number) }
    }

    /// The questions of a session, the oldest first; from now on a program looks for them there.
    func watch(_ session: Session) -> [Waiting] {
        state.withLock { state in
            state.watched.removeAll { $0.session == session }
            state.watched.append((session, .now))
            if state.watched.count > ReplyBook.mostSessions { state.watched.removeFirst() }
            return state.waiting.values.filter { $0.session == session }.sorted { $0.number < $1.number }
        }
    }

    /// All questions that wait, the oldest first.
    var waiting: [Waiting] { state.withLock { $0.waiting.values.sorted { $0.number < $1.number } } }

    /// A person looks for the questions of all sessions, or does not any more.
    func inspect(_ isThere: Bool) { state.withLock { $0.inspectors += isThere ? 1 : -1 } }

    /// Answers a question.
    ///
    /// - Throws: a 404 where it does not wait any more, and an ``AnswerError`` for what is no answer to it.
    func answer(_ number: Int, _ answer: JSON, in session: Session, by: String) throws {
        let found = state.withLock { $0.waiting[number] }
        guard let waiting = found, waiting.session == session else {
            let reason =
                found.map { "it waits in session \($0.session.name): add ?session=\($0.session.name)" }
                    ?? """
                    it was answered, its caller has left, or it never was; GET \(OwnPath.questions.path) lists those that wait
                    """
            throw HTTPError(.notFound, "no question \(number) waits in session \(session.name): \(reason)")
        }
        let value = try waiting.question.answer(from: answer)
        guard take(number) != nil else {
            throw HTTPError(.conflict, "question \(number) was answered just now")
        }
        waiting.answers.yield(Decided(choice: value, by: by))
    }

    /// Nobody looks for questions of a session any more; those that wait go on.
    func reset(_ session: Session) { state.withLock { $0.watched.removeAll { $0.session == session } } }

    /// Whether a program looks for the questions of a session, or a person for those of all.
    func isWatched(_ session: Session) -> Bool {
        watchEnds(in: session) != nil
    }

    /// So long after it has looked a program is taken for one that looks again; a page would else wait for ever for one that
    /// has gone.
    ///
    /// Another time is for tests.
    var patience: Duration {
        get { state.withLock { $0.patience } }
        set { state.withLock { $0.patience = newValue } }
    }

    /// Until when somebody is counted on who answers in a person's place; nil where nobody is.
    private func watchEnds(in session: Session) -> ContinuousClock.Instant? {
        state.withLock { state in
            if state.inspectors > 0 { return .now + state.patience }
            let end = state.watched.first { $0.session == session }.map { $0.since + state.patience }
            return end.flatMap { $0 > .now ? $0 : nil }
        }
    }

    private func open(
        _ question: Question, _ session: Session, of request: Request,
        _ answers: AsyncStream<Decided>.Continuation
    ) throws(HTTPError) -> Int {
        let page = request.page?.id
        let number: Int? = state.withLock { state in
            let ofPage = page == nil ? 0 : state.waiting.values.count { $0.page == page }
            let ofSession = state.waiting.values.count { $0.session == session }
            guard state.waiting.count < Self.most, ofSession < Self.mostOfSession, ofPage < Self.mostOfPage
            else {
                return nil
            }
            state.last += 1
            state.waiting[state.last] = Waiting(
                number: state.last, question: question, session: session, page: page,
                path: request.pagePath, answers: answers)
            return state.last
        }
        if let number { return number }
        throw HTTPError(
            .serviceUnavailable,
            """
            \(question.name) is not asked: \(Self.mostOfPage) questions of this page wait already, or \(Self.mostOfSession) \
            of its session, or \(Self.most) of all; answer them first
            """)
    }

    /// How many wait.
    var count: Int { state.withLock { $0.waiting.count } }
}
