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
    private let news: News
    private let isStarted = Atomic(false)

    /// Nil where the process has no descriptors left.
    init?(of terminal: Terminal, for presenter: TerminalPresenter, log: LogWriter) {
        guard let news = News() else { return nil }
        self.news = news
        self.terminal = terminal
        self.presenter = presenter
        self.log = log
    }

    /// Looks at what waits now; returns at once.
    func look() {
        if !isStarted.exchange(true, ordering: .relaxed) { start() }
        news.tell()
    }

    private func start() {
        Self.last.withLock { $0 = self }
        // Every way out of the process but a crash passes here.
        atexit { Keyboard.last.withLock { $0 }?.leaveForGood() }
        // Whoever presses Ctrl-C answers nothing more, and the stop need not wait for it.
        on(SIGINT) { $0.presenter.end() }
        // A shell had the terminal meanwhile.
        on(SIGCONT) { $0.news.tell() }
        DispatchQueue(label: "drawbridge.terminal").async { self.run() }
    }

    private func on(_ number: Int32, _ handle: @escaping @Sendable (Keyboard) -> Void) {
        let source = DispatchSource.makeSignalSource(signal: number)
        // The handler keeps the source, which lives as long as the process.
        source.setEventHandler { withExtendedLifetime(source) { handle(self) } }
        source.resume()
    }

    private func run() -> Never {
        var editor = LineEditor()
        // The question that a line without a number is for; it is that when the line begins.
        var only: Int?
        // The last prompt, where it is a line like others.
        var shown = ""
        while true {
            guard let prompt = presenter.prompt else {
                log.setPrompt(nil)
                terminal.leave()
                editor = LineEditor()
                shown = ""
                news.wait()
                continue
            }
            switch terminal.enter() {
            case .foreground: show(prompt, editor.text, unless: &shown)
            case .background:
                log.setPrompt(nil)
                // Nothing tells that the foreground is ours again, unless we were stopped too.
                news.wait(milliseconds: 250)
                continue
            case .gone:
                presenter.end()
                continue
            }
            switch terminal.read(unless: news) {
            case .bytes(let bytes):
                for byte in bytes {
                    if editor.text.isEmpty { only = presenter.onlyNumber }
                    if let line = editor.take(byte) { presenter.take(line, for: only) }
                }
            case .nothing: break
            case .gone: presenter.end()
            }
        }
    }

    private func show(_ prompt: String, _ typed: String, unless shown: inout String) {
        if log.style.drawsPrompt {
            log.setPrompt(prompt + typed)
        } else if prompt != shown {
            log.write(prompt)
            shown = prompt
        }
    }

    private func leaveForGood() {
        terminal.leave(forGood: true)
        log.endPrompt()
    }
}
