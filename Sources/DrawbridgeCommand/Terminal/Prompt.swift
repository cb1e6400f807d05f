import Dispatch
import DrawbridgeServer
import Glibc
import Synchronization

/// A line that stays below a log on a terminal, and is written again after the log's lines.
final class Prompt: LogSurroundings {
    private struct Line {
        let text: String
        let subject: Int?
    }

    private struct State {
        var line: Line?
        var isNew = false
        var isOver = false
        /// True while the last line of the output is the prompt.
        var isShown = false
        /// What the prompt is about that the output shows now.
        var subject: Int?
        /// True while the log's thread has taken the prompt, and writes it.
        var isWriting = false
    }

    private let state = Mutex(State())
    private let log: LogWriter
    private let output: Int32

    /// A prompt below this log, which does not keep it.
    ///
    /// - Parameter output: the terminal that the log writes to.
    init(below log: LogWriter, on output: Int32) {
        self.log = log
        self.output = output
        log.surroundings = self
    }

    /// Sets the line that stays below the log; returns at once.
    ///
    /// A prompt that is there already is written again, since something else may have written to the terminal.
    ///
    /// - Parameter subject: what ``subjectOnScreen`` is once the prompt is there to be seen.
    func show(_ text: String, about subject: Int? = nil) { set(Line(text: text, subject: subject)) }

    /// Takes the line away; returns at once.
    func hide() { set(nil) }

    private func set(_ line: Line?) {
        let isOver = state.withLock { state in
            if !state.isOver {
                state.line = line
                state.isNew = true
            }
            return state.isOver
        }
        if !isOver { log.renew() }
    }

    /// Takes the prompt away for good, and writes what waits: for the last moment of the process.
    func end() {
        state.withLock { state in
            state.line = nil
            state.isNew = true
            state.isOver = true
        }
        log.flush(within: .milliseconds(100))
    }

    /// What the prompt is about that a person sees.
    ///
    /// While the terminal is stopped, that is an older prompt than the one that was set.
    var subjectOnScreen: Int? {
        // A write under way ends soon, and is waited for. If the terminal is stopped it may never end, so not for ever.
        for _ in 0..<100 {
            let (isWriting, subject) = state.withLock { ($0.isWriting, $0.subject) }
            if !isWriting { return subject }
            usleep(1000)
        }
        return state.withLock { $0.subject }
    }

    func write(_ take: () -> [UInt8], by put: ([UInt8]) -> Void) {
        let (line, isNew, wasShown) = state.withLock { state in
            defer {
                state.isNew = false
                state.isWriting = true
            }
            return (state.line, state.isNew, state.isShown)
        }
        let lines = take()
        var shown = wasShown ? line : nil
        if !lines.isEmpty || isNew {
            // In the background the last line is somebody else's: it is not ours to erase, and no place for a prompt.
            let isOurs = isInForeground
            shown = isOurs ? line : nil
            var bytes: [UInt8] = isOurs && wasShown ? Array("\r\u{1B}[K".utf8) : []
            bytes += lines
            if let shown { bytes.append(harmless: Self.end(of: shown.text, columns: columns)) }
            put(bytes)
        }
        state.withLock { [shown] state in
            state.isShown = shown != nil
            state.subject = shown?.subject
            state.isWriting = false
        }
    }

    /// Whether this process may use the terminal; true too where the output is no controlling terminal.
    private var isInForeground: Bool {
        let group = tcgetpgrp(output)
        return group < 0 || group == getpgrp()
    }

    private var columns: Int {
        // Rows, columns, and two that nobody sets (ioctl_tty(2)). Their structure is not Glibc's alone to Swift: with
        // some orders of files the compiler would not find its members.
        var size: [UInt16] = [0, 0, 0, 0]
        guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size[1] > 0 else { return 80 }
        return Int(size[1])
    }

    /// As much of a prompt's end as one row takes: a second row would not be erased with the first.
    static func end(of prompt: String, columns: Int) -> String {
        var room = columns - 1
        let scalars = prompt.unicodeScalars
        var start = scalars.endIndex
        while start > scalars.startIndex {
            let before = scalars.index(before: start)
            // A character outside ASCII may take two columns.
            room -= scalars[before].isASCII ? 1 : 2
            guard room >= 0 else { break }
            start = before
        }
        return String(scalars[start...])
    }
}
