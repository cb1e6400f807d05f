import Dispatch
import Glibc
import Synchronization

/// Shows questions at the terminal with a number each, and parses typed lines as answers.
///
/// ```
/// 12:04:31 ? 3  alert  Delete?  Shall I?  [ok/cancel]
/// 3 ok
/// ```
///
/// It does no input or output itself: lines come in through ``take(_:)`` and are shown by a closure.
final class TerminalPresenter: Presenter {
    private let state = Mutex(WaitingQuestions())
    private let print: @Sendable (String, LineKind) -> Void

    /// - Parameter print: shows a line. Called on any thread; must not block.
    init(print: @escaping @Sendable (String, LineKind) -> Void) { self.print = print }

    func takeWords(of gateway: Gateway, _ inspector: Inspector?, _ invitation: Invitation?) {
        let words = TerminalWords(
            gateway: gateway, inspector: inspector, invitation: invitation, show: print)
        state.withLock { $0.words = words }
    }

    func canAnswer(_ question: Question) -> Bool { state.withLock { !$0.isOver } }

    /// Shows a question, and waits until a line or somebody else answers it, or until the request is cancelled.
    func present(_ question: Question, for request: Request) async throws -> JSON? {
        if question.kind == .notice, canAnswer(question) {
            print(question.oneLine, .question)
            return nil
        }
        try Task.checkCancellation()
        guard let waiting = Questions.presented, state.withLock({ $0.ask(waiting.number) }) else {
            return try await ScriptedPresenter().present(question, for: request)
        }
        print(waiting.line, .question)
        defer {
            if state.withLock({ $0.withdraw(waiting.number) }) {
                print(
                    "\(waiting.number) withdrawn: its caller has gone, or it was answered elsewhere", .plain)
            }
        }
        // The answer that a line gives cancels this task, too.
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    /// Handles a typed line: `3 ok`, `ok`, `3 user=ann town=Bern`, `3 cancel`, a command, or `?`.
    ///
    /// If a choice is waiting, a line is first tried as its answer, then as a command; with a form in reverse.
    func take(_ line: String) {
        let line = String(Substring(line.utf8.trimmed))
        let (words, isChoice) = state.withLock { ($0.words, $0.only?.isChoice ?? false) }
        if line == "?" { return list(words) }
        if !isChoice, words?.take(line) == true { return }
        switch state.withLock({ $0.decide(line) }) {
        case .answered(let waiting, let answer):
            // Values of a form are not shown, because they may be secret.
            let shown = answer.map { $0.stringValue ?? "answered" } ?? "cancelled"
            print("\(waiting.number) \(waiting.question.name): \(shown)", .plain)
        case .misunderstood(let hint):
            if isChoice, words?.take(line) == true { return }
            print(hint, .plain)
        case .unasked:
            print("no question waits\(words.map { ", and \($0.refusal(of: line))" } ?? "")", .plain)
        case .nothing: break
        }
    }

    /// Called when the terminal is closed; cancels all questions, those that come later too.
    func end() {
        for number in state.withLock({ $0.end() }) {
            print("\(number) cancelled: the terminal was closed", .plain)
        }
    }

    private func list(_ words: TerminalWords?) {
        let waiting = state.withLock { $0.waiting }
        for waiting in waiting { print(waiting.line, .question) }
        if waiting.isEmpty { print("no question waits", .plain) }
        for line in words?.help ?? [] { print(line, .plain) }
    }
}

// Reading lines. The terminal itself does the line editing.
extension TerminalPresenter {
    /// Nil unless input and log are a terminal and the process is in its foreground, so that somebody can answer.
    static func ifThereIsOne(
        input: Int32 = STDIN_FILENO, output: Int32 = STDERR_FILENO
    ) -> TerminalPresenter? {
        guard isatty(input) == 1, isatty(output) == 1, tcgetpgrp(input) == getpgrp() else { return nil }
        let presenter = TerminalPresenter { LogWriter.standardError.write($0, as: $1) }
        DispatchQueue(label: "drawbridge.terminal").async { presenter.takeLines(of: input) }
        return presenter
    }

    private func takeLines(of terminal: Int32) {
        // Blocked, so that a read in the background fails instead of stopping the process.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTTIN)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var bytes = [UInt8](repeating: 0, count: 4096)
        while tcgetpgrp(terminal) >= 0 {
            // A terminal delivers one line per read, and limits a line to 4096 bytes.
            let count = read(terminal, &bytes, bytes.count)
            if count > 0 {
                take(String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
            } else {
                // In the background: poll, because there is no notification of a return to the foreground.
                usleep(250_000)
            }
        }
        end()
    }
}
