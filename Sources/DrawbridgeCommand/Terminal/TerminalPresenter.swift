import Dispatch
import Drawbridge
import DrawbridgeServer
import Glibc
import HTTPGrammar
import Synchronization

/// Asks the person at the terminal: shows each question with a number, and takes typed lines as answers.
///
/// ```
/// 12:04:31 ? 3  alert  Delete?  Shall I?  [ok/cancel]
/// 3 ok
/// ```
///
/// It does no input or output itself: lines come in by ``take(_:)`` and go out by a closure.
final class TerminalPresenter: Presenter {
    private let state = Mutex(WaitingQuestions())
    private let print: @Sendable (String, LineKind) -> Void

    /// - Parameter print: gets each line that is shown, on any thread; it must not wait.
    init(print: @escaping @Sendable (String, LineKind) -> Void) { self.print = print }

    func takeWords(of gateway: Gateway, _ inspector: Inspector?, _ invitation: Invitation?) {
        let words = TerminalWords(
            gateway: gateway, inspector: inspector, invitation: invitation, show: print)
        state.withLock { $0.words = words }
    }

    func canAnswer(_ question: Question) -> Bool { state.withLock { !$0.isOver } }

    /// Shows the question, and waits until a line answers or cancels it, or the caller has gone.
    func present(_ question: Question, for request: Request) async throws -> JSON? {
        if state.withLock({ $0.isOver }) {
            return try await ScriptedPresenter().present(question, for: request)
        }
        if question.kind == .notice {
            print(question.oneLine, .question)
            return nil
        }
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
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
        let line = String(Substring(line.utf8.trimmed))
        let (words, isChoice) = state.withLock { ($0.words, $0.only?.isChoice ?? false) }
        if line == "?" { return list(words) }
        if !isChoice, words?.take(line) == true { return }
        switch state.withLock({ $0.decide(line) }) {
        case .answered(let waiting, let answer):
            // Never the values of a form, which may be secret.
            let shown = answer.map { $0.stringValue ?? "answered" } ?? "cancelled"
            print("\(waiting.number) \(waiting.question.name): \(shown)", .plain)
            waiting.caller.resume(returning: answer)
        case .misunderstood(let hint):
            if isChoice, words?.take(line) == true { return }
            print(hint, .plain)
        case .unasked:
            print("no question waits\(words.map { ", and \($0.refusal(of: line))" } ?? "")", .plain)
        case .nothing: break
        }
    }

    /// Called when the terminal is closed: cancels waiting questions, and later ones too.
    func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.all = [] }
            return state.all
        }
        for waiting in waiting {
            print("\(waiting.number) cancelled: nobody is at the terminal any more", .plain)
            waiting.caller.resume(returning: nil)
        }
    }

    private func add(_ waiting: WaitingQuestion) {
        let refusal: Result<JSON?, any Error>? = state.withLock { state in
            // The caller may have left before the question was added, when there was nothing to withdraw.
            if Task.isCancelled { return .failure(CancellationError()) }
            if state.isOver { return .success(nil) }
            state.all.append(waiting)
            return nil
        }
        if let refusal { waiting.caller.resume(with: refusal) } else { print(waiting.line, .question) }
    }

    private func withdraw(_ number: Int) {
        guard let withdrawn = state.withLock({ $0.withdraw(number) }) else { return }
        print("\(number) withdrawn: its caller has gone, or waits no longer", .plain)
        withdrawn.caller.resume(throwing: CancellationError())
    }

    private func list(_ words: TerminalWords?) {
        let waiting = state.withLock { $0.all }
        for waiting in waiting { print(waiting.line, .question) }
        if waiting.isEmpty { print("no question waits", .plain) }
        for line in words?.help ?? [] { print(line, .plain) }
    }
}

// The lines that are typed at a terminal, which does the line editing.
extension TerminalPresenter {
    /// Nil unless both input and log are a terminal, and the process is in its foreground, so that a person can answer.
    static func ifThereIsOne(
        input: Int32 = STDIN_FILENO, output: Int32 = STDERR_FILENO
    ) -> TerminalPresenter? {
        guard isatty(input) == 1, isatty(output) == 1, tcgetpgrp(input) == getpgrp() else { return nil }
        let presenter = TerminalPresenter { LogWriter.standardError.write($0, as: $1) }
        DispatchQueue(label: "drawbridge.terminal").async { presenter.takeLines(of: input) }
        return presenter
    }

    private func takeLines(of terminal: Int32) {
        // With SIGTTIN blocked, a read in the background fails, and does not stop the process.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTTIN)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var bytes = [UInt8](repeating: 0, count: 4096)
        while tcgetpgrp(terminal) >= 0 {
            // A terminal gives one line at a time, and none is longer.
            let count = read(terminal, &bytes, bytes.count)
            if count > 0 {
                take(String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
            } else {
                // There is no notification of a return to the foreground.
                usleep(250_000)
            }
        }
        end()
    }
}
