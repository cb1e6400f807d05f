import Dispatch
import DrawbridgeServer
import Glibc

// The lines that are typed at a terminal, which does the line editing.
extension TerminalPresenter {
    /// A presenter at the terminal in which the process was started, if a person can answer there.
    ///
    /// - Returns: nil unless both input and log are a terminal, and the process is in its foreground.
    static func ifThereIsOne(
        input: Int32 = STDIN_FILENO, output: Int32 = STDERR_FILENO
    ) -> TerminalPresenter? {
        guard isatty(input) == 1, isatty(output) == 1, tcgetpgrp(input) == getpgrp() else { return nil }
        let presenter = TerminalPresenter { LogWriter.standardError.write($0, as: $1) }
        DispatchQueue(label: "drawbridge.terminal").async { presenter.takeLines(of: input) }
        return presenter
    }

    /// Takes lines on this thread until the terminal is closed.
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
