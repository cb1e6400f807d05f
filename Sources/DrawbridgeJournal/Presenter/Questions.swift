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
        /// Where it is with the page over which it is shown; nil if it is not shown there.
        fileprivate(set) var screen: Screen?
        let answers: Answers.Continuation

        var isQuestion: Bool { question.kind != .notice }

        /// The question as a terminal and the log show it.
        package var line: String { "? \(number)  \(question.oneLine)  \(question.options)" }
    }

    /// Shows a question over its page, and returns what takes it away again; nil where the page has no channel yet.
    package typealias Show = @Sendable (Waiting) -> (@Sendable () -> Void)?

    /// Whether a question is shown over the page that asks.
    package enum Way: Sendable {
        /// It is not, for this reason; nil where no page asks.
        case elsewhere(because: String?)
        case page(Show)
    }

    enum Screen {
        /// Its page has until then to open its channel.
        case awaited(until: ContinuousClock.Instant)
        case shown(withdraw: @Sendable () -> Void)
    }

    typealias Answers = AsyncThrowingStream<JournalRecord.Decided, any Error>

    /// What the presenter is asked that runs in this task.
    @TaskLocal package static var presented: Waiting?

    struct State {
        var waiting: [Int: Waiting] = [:]
        var last = 0
        /// Sessions in which a program has listed unanswered questions, so that no person is needed to answer, with
        /// the time when it last did; the latest is last.
        var watched: [(session: Session, since: ContinuousClock.Instant)] = []
        /// How many inspectors are open; they show the questions of all sessions.
        var inspectors = 0
        /// The programs that answer a question, or wait for it; who came first is first.
        var answering: [(id: UInt64, wanted: String, session: Session)] = []
        /// What programs have said of sessions; the latest is last.
        var asking: [(session: Session, asking: Question.Asking)] = []

        /// Those that wait, oldest first, without the notices.
        var questions: [Waiting] { waiting.values.filter(\.isQuestion).sorted { $0.number < $1.number } }
    }

    /// The limits of waiting questions: for one page, for one session, and in total.
    static let mostOfPage = 20
    static let mostOfSession = 100
    static let most = 1000

    let state = Mutex(State())
    /// How long a program watches a session after it has asked for its questions; only tests set another time.
    ///
    /// Without a limit, a page would wait forever for one that has gone.
    package let patience = Mutex(Duration.seconds(60))
    let journal: Journal

    /// - Parameter journal: records the questions, and notifies inspectors of changes.
    package init(in journal: Journal) { self.journal = journal }

    /// Asks the page, the presenter and any watching program at the same time, and returns the first answer.
    ///
    /// - Parameters:
    ///   - page: the id and the path of the page that sent the request.
    ///   - way: whether it is shown over that page.
    package func present(
        _ question: Question, for request: Request, of page: (id: String?, path: String?),
        over way: Way = .elsewhere(because: nil), by presenter: any Presenter
    ) async throws -> JSON? {
        let session = request.session
        let hasPresenter = presenter.canAnswer(question)
        let isScripted = (presenter as? ScriptedPresenter)?.knowsAnswer(to: question) == true
        let person = isScripted ? "script" : "person"
        var show: Show?
        switch way {
        case .page(let its): if !isScripted || question.kind == .notice { show = its }
        case .elsewhere(let reason?) where !isScripted && question.kind != .notice:
            request.logger.info("\(question.name) is not asked over the page: \(reason)")
        case .elsewhere: break
        }
        if question.kind == .notice {
            _ = try await presenter.present(question, for: request)
            if let show { await self.show(question, for: request, of: page, by: show) }
            return nil
        }
        guard hasPresenter || show != nil || watchEnds(in: session) != nil else {
            let answer = try await unanswered(question, for: request, presenter)
            note(question, .init(choice: answer, by: "nobody"), for: request)
            return answer
        }
        let (waiting, answers) = try open(question, for: request, of: page, isShown: show != nil)
        let number = waiting.number
        note(question, nil, for: request)
        // A presenter shows the question itself; without one it is logged.
        if !hasPresenter { tell(of: waiting, request) }
        defer { _ = take(number) }
        if let show { self.show(number, by: show) }
        let decision = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                while !hasPresenter, let end = end(of: number, in: session) {
                    try await Task.sleep(until: end)
                }
                if !hasPresenter, waiting.screen != nil {
                    request.logger.notice(
                        "\(question.name): its page does not show it: no channel within \(Self.timeToConnect)"
                    )
                }
                do {
                    let answer =
                        hasPresenter
                        ? try await Self.$presented.withValue(waiting) {
                            try await presenter.present(question, for: request)
                        } : try await unanswered(question, for: request, presenter)
                    _ = take(number, answer, by: hasPresenter ? person : "nobody")
                } catch {
                    waiting.answers.finish(throwing: error)
                }
            }
            if let time = question.within {
                group.addTask { [self] in
                    try await Task.sleep(for: time)
                    _ = take(number, question.otherwise.map(JSON.string), by: "nobody")
                }
            }
            defer { group.cancelAll() }
            for try await decision in answers { return decision }
            throw CancellationError()
        }
        note(question, decision, for: request)
        return decision.choice
    }

    /// The answer to a question that nobody answers.
    private func unanswered(
        _ question: Question, for request: Request, _ presenter: any Presenter
    ) async throws -> JSON? {
        guard let last = question.otherwise else {
            return try await presenter.present(question, for: request)
        }
        request.logger.notice(
            """
            \(question.name): \(Question.unasked); took the last choice, \(last). Decide it by \
            --choose '\(question.name)=\(question.example)'
            """)
        return .string(last)
    }

    /// Shows a notice over its page, for whose channel it waits.
    private func show(
        _ notice: Question, for request: Request, of page: (id: String?, path: String?), by show: Show
    ) async {
        guard let (waiting, shown) = try? open(notice, for: request, of: page, isShown: true) else { return }
        defer { _ = take(waiting.number) }
        self.show(waiting.number, by: show)
        let end = Task {
            try await Task.sleep(for: Self.timeToConnect)
            waiting.answers.finish()
        }
        defer { end.cancel() }
        var first = shown.makeAsyncIterator()
        _ = try? await first.next()
    }

    /// How long a page may take to open its channel, from the call on.
    private static let timeToConnect = Duration.seconds(2)
    /// How often it is looked whether a page still shows a question that nobody else could answer.
    private static let timeToLook = Duration.seconds(5)

    /// Shows a question over its page, if that is there; else ``show(over:by:)`` does it when it comes.
    private func show(_ number: Int, by show: Show) {
        guard let waiting = state.withLock({ $0.waiting[number] }), let withdraw = show(waiting) else {
            return
        }
        let isThere = state.withLock { $0.waiting[number]?.screen = .shown(withdraw: withdraw) } != nil
        if waiting.question.kind == .notice { waiting.answers.yield(.init(choice: nil, by: "page")) }
        // It was answered meanwhile.
        if !isThere { withdraw() }
    }

    /// A page has come: shows the questions that wait for it.
    package func show(over page: String, by show: Show) {
        let waiting = state.withLock { $0.waiting.values.filter { $0.page == page && $0.screen != nil } }
        for waiting in waiting.sorted(by: { $0.number < $1.number }) { self.show(waiting.number, by: show) }
    }

    /// A page cannot show a question: others may still answer it.
    package func isNotShown(_ number: Int) { state.withLock { $0.waiting[number]?.screen = nil } }

    /// Whether this page asks the question, and it still waits.
    package func waits(_ number: Int, of page: String) -> Bool {
        state.withLock { $0.waiting[number]?.page == page }
    }

    /// Records a question with the call that asks it.
    ///
    /// - Parameter decision: the answer; nil when the question begins to wait.
    private func note(_ question: Question, _ decision: JournalRecord.Decided?, for request: Request) {
        guard let number = request.record else { return }
        journal.note(of: number) { record in
            record.asked = .init(question: question.name, decided: decision)
            if decision?.by == "nobody" { record.why.append(Question.unasked) }
        }
    }

    private func tell(of waiting: Waiting, _ request: Request) {
        let isInspected = state.withLock { $0.inspectors > 0 }
        let ways = [waiting.screen == nil ? nil : "in the page", isInspected ? "in the inspector" : nil]
        let way = ways.compactMap(\.self).joined(separator: " or ")
        request.logger.notice(
            "\(waiting.line); \(way.isEmpty ? "waiting for a program to answer it" : "answer it \(way)")")
    }

    /// Removes a question; nil where it was answered already.
    func take(_ number: Int) -> Waiting? {
        let taken = state.withLock { $0.waiting.removeValue(forKey: number) }
        if case .shown(let withdraw) = taken?.screen { withdraw() }
        if taken != nil { journal.touch(.questions) }
        return taken
    }

    /// Answers a question; returns false where it was answered already.
    func take(_ number: Int, _ answer: JSON?, by: String) -> Bool {
        take(number)?.answers.yield(.init(choice: answer, by: by)) != nil
    }

    /// The open questions of a session, oldest first; also marks the session as watched by a program.
    package func watch(_ session: Session) -> [Waiting] {
        state.withLock { state in
            state.watched.removeAll { $0.session == session }
            state.watched.append((session, .now))
            if state.watched.count > Session.most { state.watched.removeFirst() }
            return state.questions.filter { $0.session == session }
        }
    }

    package var waiting: [Waiting] { state.withLock { $0.questions } }

    package func inspect(_ isThere: Bool) { state.withLock { $0.inspectors += isThere ? 1 : -1 } }

    /// Forgets what programs have said of a session, and ends their waits; the calls that ask in it get an error.
    package func reset(_ session: Session) {
        let open = state.withLock { state in
            state.watched.removeAll { $0.session == session }
            state.answering.removeAll { $0.session == session }
            state.asking.removeAll { $0.session == session }
            return state.waiting.values.filter { $0.session == session }.map(\.number)
        }
        for waiting in open.compactMap({ take($0) }) {
            let message = "\(waiting.question.name): its session was reset before somebody answered"
            waiting.answers.finish(throwing: HTTPError(.serviceUnavailable, message))
        }
    }

    /// The time until which a program or an inspector may answer; nil if neither watches.
    package func watchEnds(in session: Session) -> ContinuousClock.Instant? {
        let patience = patience.withLock { $0 }
        return state.withLock { state in
            if state.inspectors > 0 { return .now + patience }
            let end = state.watched.first { $0.session == session }.map { $0.since + patience }
            return end.flatMap { $0 > .now ? $0 : nil }
        }
    }

    /// The time until which the page, a program or an inspector may answer; nil if none of them will.
    private func end(of number: Int, in session: Session) -> ContinuousClock.Instant? {
        switch state.withLock({ $0.waiting[number]?.screen }) {
        case .shown: .now + Self.timeToLook
        case .awaited(let end) where end > .now: end
        case .awaited, nil: watchEnds(in: session)
        }
    }

    private func open(
        _ question: Question, for request: Request, of page: (id: String?, path: String?), isShown: Bool
    ) throws(HTTPError) -> (Waiting, Answers) {
        let session = request.session
        let (stream, answers) = Answers.makeStream()
        let waiting: Waiting? = state.withLock { state in
            let ofPage = page.id == nil ? 0 : state.waiting.values.count { $0.page == page.id }
            let ofSession = state.waiting.values.count { $0.session == session }
            guard state.waiting.count < Self.most, ofSession < Self.mostOfSession, ofPage < Self.mostOfPage
            else { return nil }
            state.last += 1
            state.waiting[state.last] = Waiting(
                number: state.last, question: question, session: session, call: request.record,
                page: page.id, path: page.path,
                screen: isShown ? .awaited(until: .now + Self.timeToConnect) : nil, answers: answers)
            return state.waiting[state.last]
        }
        guard let waiting else {
            throw HTTPError(
                .serviceUnavailable,
                """
                \(question.name) is not asked: \(Self.mostOfPage) questions of this page wait already, or \
                \(Self.mostOfSession) of its session, or \(Self.most) of all; answer them first
                """)
        }
        journal.touch(.questions)
        return (waiting, stream)
    }
}
