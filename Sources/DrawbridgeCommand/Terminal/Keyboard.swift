import Dispatch
import DrawbridgeServer
import Glibc
import Synchronization

/// Reads what is typed while questions wait, and keeps the prompt below the log.
///
/// It lives as long as the process, on a thread that starts with the first question.
final class Keyboard: Sendable {
    /// The one whose terminal is put in order when the process ends.
    private static let last = Mutex<Keyboard?>(nil)

    private let terminal: Terminal
    private let presenter: TerminalPresenter
    private let log: LogWriter
    /// Nil where a line cannot be erased, and the prompt is one like others.
    private let prompt: Prompt?
    private let wakeup: Wakeup
    private let isStarted = Atomic(false)

    /// Nil where the process has no descriptors left.
    init?(of terminal: Terminal, for presenter: TerminalPresenter, log: LogWriter, prompt: Prompt?) {
        guard let wakeup = Wakeup() else { return nil }
        self.wakeup = wakeup
        self.terminal = terminal
        self.presenter = presenter
        self.log = log
        self.prompt = prompt
    }

    /// Looks at what waits now; returns at once.
    func look() {
        if !isStarted.exchange(true, ordering: .relaxed) { start() }
        wakeup.wake()
    }

    private func start() {
        Self.last.withLock { $0 = self }
        // Every end by exit passes here; signals that end the process do not.
        atexit { Keyboard.last.withLock { $0 }?.leaveForGood() }
        DispatchQueue(label: "drawbridge.terminal").async {
            // First the signals: one that comes before them ends the process while the terminal is untouched.
            self.takeSignals()
            self.run()
        }
    }

    private func takeSignals() {
        for number in [SIGHUP, SIGQUIT] { leaveBeforeEnding(by: number) }
        // Whoever presses Ctrl-C answers nothing more. Their questions are no answers either: callers get what the stop
        // gives them, as with SIGTERM.
        onSignal(SIGINT) { self.presenter.leave() }
        // While the process was stopped, a shell had the terminal and may have changed its mode. So it is looked at
        // again.
        onSignal(SIGCONT) { self.wakeup.wake() }
    }

    /// Puts the terminal in order before a signal ends the process, as it then does.
    private func leaveBeforeEnding(by number: Int32) {
        var before = sigaction()
        sigaction(number, nil, &before)
        // What is ignored, as by nohup, ends nothing.
        guard unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) != 1 else { return }
        onSignal(number) { [before] in
            self.leaveForGood()
            var before = before
            sigaction(number, &before, nil)
            // Threads of a Dispatch queue block signals, and this signal must end the process.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, number)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            raise(number)
        }
    }

    private func run() -> Never {
        var editor = LineEditor()
        // The question that a line without a number is for: the one on the screen when the line begins.
        var only: Int?
        // The last prompt, and what it is about, where it is a line like others.
        var shown: (prompt: String, only: Int?)?
        while true {
            guard let asking = presenter.asking else {
                prompt?.hide()
                terminal.leave()
                editor = LineEditor()
                shown = nil
                for line in idle() { presenter.take(line, for: nil) }
                continue
            }
            switch terminal.enter() {
            case .foreground: show(asking, editor.text, unless: &shown)
            case .background:
                prompt?.hide()
                // Nothing tells that the foreground is ours again, unless we were stopped too.
                wakeup.wait(milliseconds: 250)
                continue
            case .gone:
                presenter.end()
                continue
            }
            switch terminal.read(unless: wakeup) {
            case .bytes(let bytes):
                let seen = if let prompt { prompt.subjectOnScreen } else { shown?.only }
                for byte in bytes {
                    if editor.text.isEmpty { only = seen }
                    if let line = editor.take(byte) { presenter.take(line, for: only) }
                }
            case .nothing: break
            case .gone: presenter.end()
            }
        }
    }

    /// Waits while no question does; returns what was typed meanwhile, in lines that the terminal itself has edited.
    private func idle() -> [String] {
        guard presenter.takesLinesAlways else {
            wakeup.wait()
            return []
        }
        guard terminal.standing == .foreground else {
            // Nothing tells that the foreground is ours again, unless we were stopped too.
            wakeup.wait(milliseconds: 1000)
            return []
        }
        switch terminal.read(unless: wakeup) {
        case .bytes(let bytes):
            var editor = LineEditor()
            return bytes.compactMap { editor.take($0) }
        case .nothing: return []
        case .gone:
            presenter.end()
            return []
        }
    }

    private func show(
        _ asking: (prompt: String, only: Int?), _ typed: String,
        unless shown: inout (prompt: String, only: Int?)?
    ) {
        if let prompt {
            prompt.show(asking.prompt + typed, about: asking.only)
        } else if asking.prompt != shown?.prompt {
            log.write(asking.prompt)
            shown = asking
        }
    }

    private func leaveForGood() {
        terminal.leave(forGood: true)
        prompt?.end()
    }
}
