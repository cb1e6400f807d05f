import Drawbridge
import DrawbridgeServer
import Glibc
import Synchronization

/// Asks the person at the terminal: shows each question with a number, and takes typed lines as answers.
///
/// ```
/// 12:04:31 ? 3  alert  Delete?  Shall I?  [ok/cancel]
/// answer 3 [ok/cancel]> _
/// ```
///
/// It knows lines only: they come in by ``take(_:for:)`` and go out by a closure. ``Keyboard`` reads them from a
/// terminal.
final class TerminalPresenter: Presenter {
    private struct State {
        var questions = WaitingQuestions()
        var isOver = false
        /// True when the person has stopped the program: questions that wait are not asked any more, nor answered.
        var isLeaving = false
        var onChange: @Sendable () -> Void = {}
        /// What `i` does; nil where nothing.
        var onAskedForLink: (@Sendable () -> Void)?
    }

    /// So many are listed at once.
    private static let listed = 20

    private let state = Mutex(State())
    private let next: any Presenter
    private let print: @Sendable (String, LineKind) -> Void

    /// - Parameters:
    ///   - next: asked instead once nobody is at the terminal any more.
    ///   - print: gets each line that is shown, on any thread; it must not wait.
    init(
        next: any Presenter = ScriptedPresenter(), print: @escaping @Sendable (String, LineKind) -> Void
    ) {
        self.next = next
        self.print = print
    }

    /// The terminal that the process was started in, if a person can answer there.
    ///
    /// - Returns: nil unless both input and log are a terminal, and the process is in its foreground.
    static func ifThereIsOne(
        input: Int32 = STDIN_FILENO, output: Int32 = STDERR_FILENO, log: LogWriter = .standardError,
        next: any Presenter = ScriptedPresenter()
    ) -> TerminalPresenter? {
        let terminal = Terminal(input, editsLines: log.style.erasesLines)
        guard isatty(input) == 1, isatty(output) == 1, terminal.standing == .foreground else { return nil }
        let presenter = TerminalPresenter(next: next) { log.write($0, as: $1) }
        let prompt = log.style.erasesLines ? Prompt(below: log, on: output) : nil
        guard let keyboard = Keyboard(of: terminal, for: presenter, log: log, prompt: prompt) else {
            return nil
        }
        presenter.onChange { keyboard.look() }
        return presenter
    }

    /// Calls back whenever a question came or went, on any thread; the callback must not wait.
    func onChange(_ callback: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = callback } }

    /// Calls back when somebody types `i`, on any thread.
    func onAskedForLink(_ callback: @escaping @Sendable () -> Void) {
        state.withLock { $0.onAskedForLink = callback }
        changed()
    }

    /// Whether a line may be typed while no question waits.
    var takesLinesAlways: Bool { state.withLock { $0.onAskedForLink != nil && !$0.isOver && !$0.isLeaving } }

    /// Shows the question, and waits until it is answered or cancelled by a line.
    ///
    /// - Throws: a `CancellationError` when the caller has gone.
    func present(_ question: Question, for request: Request) async throws -> JSON? {
        let isOver = state.withLock { $0.isOver }
        if isOver { return try await next.present(question, for: request) }
        if question.kind == .notice {
            print(question.oneLine, .question)
            return nil
        }
        let number = state.withLock { $0.questions.nextNumber() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { caller in
                add(WaitingQuestion(number: number, question: question, caller: caller))
            }
        } onCancel: {
            withdraw(number)
        }
    }

    /// What can be typed now, and the question that a line without a number is for while it is seen; nil while no
    /// question waits.
    var asking: (prompt: String, only: Int?)? {
        state.withLock { state in
            state.isLeaving ? nil : state.questions.prompt.map { ($0, state.questions.only?.number) }
        }
    }

    /// Takes a typed line: `3 ok`, `ok`, `3 user=ann town=Bern`, `3 cancel`, `?`.
    ///
    /// - Parameter only: the question that a line without a number answers: the one whose prompt was there when the
    ///   person began to type, not another that took its place meanwhile.
    func take(_ line: String, for only: Int?) {
        let line = line.trimmed
        if line == "?" { return list() }
        switch state.withLock({ $0.questions.decide(line, for: only) }) {
        case .answered(let waiting, let answer):
            print(
                "\(waiting.number) \(waiting.question.name): \(waiting.question.summary(of: answer))", .plain)
            waiting.caller.resume(returning: answer)
            changed()
        case .misunderstood(let hint):
            if line == "i", let draw = state.withLock({ $0.onAskedForLink }) { return draw() }
            print(hint, .plain)
        case .nothing: break
        }
    }

    /// Nobody is there any more: cancels what waits, and leaves later questions to the next presenter.
    func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            return state.questions.removeAll()
        }
        for waiting in waiting {
            print("\(waiting.number) cancelled: nobody is at the terminal any more", .plain)
            waiting.caller.resume(returning: nil)
        }
        changed()
    }

    /// Asks nothing more, because the program stops.
    ///
    /// What waits has no answer, and is withdrawn with its request.
    func leave() {
        state.withLock { $0.isLeaving = true }
        changed()
    }

    private func add(_ waiting: WaitingQuestion) {
        enum Outcome { case waits, nobodyAsks, nobodyAnswers }
        let outcome: Outcome = state.withLock { state in
            // The caller may have gone before there was anything to withdraw.
            if Task.isCancelled { return .nobodyAsks }
            if state.isOver { return .nobodyAnswers }
            state.questions.add(waiting)
            return .waits
        }
        switch outcome {
        case .waits:
            print(waiting.line, .question)
            changed()
        case .nobodyAsks: waiting.caller.resume(throwing: CancellationError())
        case .nobodyAnswers: waiting.caller.resume(returning: nil)
        }
    }

    private func withdraw(_ number: Int) {
        let (withdrawn, isLeaving) = state.withLock { ($0.questions.remove(number), $0.isLeaving) }
        guard let withdrawn else { return }
        let why = isLeaving ? "the program stops" : "its caller has gone, or waits no longer"
        print("\(number) withdrawn: \(why)", .plain)
        withdrawn.caller.resume(throwing: CancellationError())
        changed()
    }

    private func list() {
        let waiting = state.withLock { $0.questions.all }
        for waiting in waiting.prefix(Self.listed) { print(waiting.line, .question) }
        if waiting.count > Self.listed { print("and \(waiting.count - Self.listed) more", .plain) }
        if waiting.isEmpty { print("no question waits", .plain) }
    }

    private func changed() { state.withLock { $0.onChange }() }
}
