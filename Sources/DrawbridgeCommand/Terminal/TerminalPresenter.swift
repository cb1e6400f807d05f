import Drawbridge
import DrawbridgeServer
import Glibc
import Synchronization

/// Asks the person at the terminal: shows each question with a number, and takes typed lines as answers.
///
/// ```
/// 12:04:31 ? 3  alert  Delete?  Shall I?  [ok/cancel]
/// 3 ok
/// ```
///
/// It does no input or output itself: lines come in by ``take(_:)`` and go out by a closure; ``Keyboard`` reads them.
final class TerminalPresenter: Presenter {
    private struct State {
        var questions = WaitingQuestions()
        var isOver = false
        /// True when the person has stopped the program: waiting questions are withdrawn with their requests.
        var isLeaving = false
        /// The commands that can be typed besides answers; nil until the gateway is made.
        var words: TerminalWords?
    }

    /// How many questions `?` lists at most.
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
        guard isatty(input) == 1, isatty(output) == 1, Keyboard.standing(at: input) == .foreground else {
            return nil
        }
        let presenter = TerminalPresenter(next: next) { log.write($0, as: $1) }
        Keyboard(input, for: presenter).start()
        return presenter
    }

    /// Accepts commands for this gateway besides answers from now on.
    func takeWords(of gateway: Gateway, _ inspector: Inspector?) {
        let words = TerminalWords(gateway: gateway, inspector: inspector) { [print] in print($0, .plain) }
        state.withLock { $0.words = words }
    }

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

    /// Takes a typed line: `3 ok`, `ok`, `3 user=ann town=Bern`, `3 cancel`, a word, `?`.
    ///
    /// For a choice, a line is first tried as its answer and then as a word; for a form the other way around.
    func take(_ line: String) {
        let line = line.trimmed
        let (words, isChoice) = state.withLock { ($0.words, $0.questions.only?.isChoice ?? false) }
        if line == "?" { return list(words) }
        if !isChoice, words?.take(line) == true { return }
        switch state.withLock({ $0.questions.decide(line) }) {
        case .answered(let waiting, let answer):
            print(
                "\(waiting.number) \(waiting.question.name): \(waiting.question.summary(of: answer))", .plain)
            waiting.caller.resume(returning: answer)
        case .misunderstood(let hint):
            if isChoice, words?.take(line) == true { return }
            print(hint, .plain)
        case .unasked:
            print("no question waits\(words.map { ", and \($0.refusal(of: line))" } ?? "")", .plain)
        case .nothing: break
        }
    }

    /// Called when the terminal is closed: cancels waiting questions, and passes later ones to the next presenter.
    func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            return state.questions.removeAll()
        }
        for waiting in waiting {
            print("\(waiting.number) cancelled: nobody is at the terminal any more", .plain)
            waiting.caller.resume(returning: nil)
        }
    }

    /// Called when the program stops.
    ///
    /// Waiting questions stay unanswered, and are withdrawn when their requests are cancelled.
    func leave() { state.withLock { $0.isLeaving = true } }

    private func add(_ waiting: WaitingQuestion) {
        enum Outcome { case waits, nobodyAsks, nobodyAnswers }
        let outcome: Outcome = state.withLock { state in
            // The caller may have left before the question was added, when there was nothing to withdraw.
            if Task.isCancelled { return .nobodyAsks }
            if state.isOver { return .nobodyAnswers }
            state.questions.add(waiting)
            return .waits
        }
        switch outcome {
        case .waits:
            print(waiting.line, .question)
        case .nobodyAsks: waiting.caller.resume(throwing: CancellationError())
        case .nobodyAnswers: waiting.caller.resume(returning: nil)
        }
    }

    private func withdraw(_ number: Int) {
        let (withdrawn, isLeaving) = state.withLock { ($0.questions.withdraw(number), $0.isLeaving) }
        guard let withdrawn else { return }
        let why = isLeaving ? "the program stops" : "its caller has gone, or waits no longer"
        print("\(number) withdrawn: \(why)", .plain)
        withdrawn.caller.resume(throwing: CancellationError())
    }

    private func list(_ words: TerminalWords?) {
        let waiting = state.withLock { $0.questions.all }
        for waiting in waiting.prefix(Self.listed) { print(waiting.line, .question) }
        if waiting.count > Self.listed { print("and \(waiting.count - Self.listed) more", .plain) }
        if waiting.isEmpty { print("no question waits", .plain) }
        for line in words?.help ?? [] { print(line, .plain) }
    }
}
