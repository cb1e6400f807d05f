import Dispatch
public import Drawbridge
import FoundationEssentials
import Glibc
import Synchronization

/// Writes lines to a descriptor, each with the time of day, and never makes a loop wait for its reader.
///
/// Lines are gathered and written by a thread of their own. When more wait than are worth keeping, because a terminal
/// is slow or a pipe is full, lines are dropped, and the log says how many.
///
/// On a terminal the log may have a prompt: a line that stays below all others, and is written again after them.
public final class LogWriter: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        var clock = (second: -1, text: "")
        var format = LogFormat.text
        var prompt: String?
        var isPromptNew = false
        var isPromptOver = false
        /// True from the first news until they are written.
        var isTold = false
    }

    /// The standard error, where all logs of the process go.
    public static let standardError = LogWriter(to: STDERR_FILENO)

    /// More bytes than this are not kept waiting.
    private static let limit = 1 << 20

    /// What the output takes besides plain lines.
    package let style: LogStyle

    private let state = Mutex(State())
    /// True while the last line of the output is a prompt; held by whoever writes, so that no two do at once.
    private let isPromptShown = Mutex(false)
    private let output: Int32
    private let news = DispatchSemaphore(value: 0)

    /// Writes to a descriptor that stays open as long as the writer lives.
    ///
    /// - Parameter style: nil for what the output is.
    package init(to output: Int32, style: LogStyle? = nil) {
        self.output = output
        self.style = style ?? LogStyle(of: output)
        // It holds the writer weakly between two lines, and ends with it.
        DispatchQueue(label: "drawbridge.log").async { [weak self, news] in
            repeat {
                news.wait()
                // A burst of requests becomes one write.
                usleep(2000)
            } while self?.flush() != nil
        }
    }

    deinit { news.signal() }

    /// How lines are written; text at first.
    public var format: LogFormat {
        get { state.withLock { $0.format } }
        set { state.withLock { $0.format = newValue } }
    }

    /// Adds a line of words with the time of day before it; returns at once.
    ///
    /// In JSON they are the `message`.
    public func write(_ line: String, as kind: LineKind = .plain) {
        guard format == .text else {
            return write(["level": .string(kind.level), "message": .string(line)])
        }
        add { state in
            let codes = style.hasColors ? kind.codes : LineKind.plain.codes
            state.waiting += codes.begin.utf8
            state.waiting += Self.time(&state.clock).utf8
            // What a caller sent must not end a line or drive a terminal.
            state.waiting.append(harmless: line)
            state.waiting += codes.end.utf8
        }
    }

    /// Adds a line that is a JSON object, with the `time` as its first member; returns at once.
    public func write(_ members: JSON.Object) {
        var line: JSON.Object = ["time": .string(Date.now.timestamp)]
        for (name, value) in members { line[name] = value }
        add { $0.waiting += JSON.object(line).bytes }
    }

    /// Adds lines as they are, for what the program says of itself, and writes them now.
    package func say(_ lines: [String]) {
        change { state in
            for line in lines {
                state.waiting.append(harmless: line)
                state.waiting.append(UInt8(ascii: "\n"))
            }
        }
        flush()
    }

    private func add(_ line: (inout State) -> Void) {
        change { state in
            guard state.waiting.count < Self.limit else {
                state.dropped += 1
                return
            }
            line(&state)
            state.waiting.append(UInt8(ascii: "\n"))
        }
    }

    /// Sets the line that stays below the log, or takes it away; returns at once.
    ///
    /// The same prompt once more is written again, for after something else wrote to the terminal.
    package func setPrompt(_ prompt: String?) {
        guard style.drawsPrompt else { return }
        change { state in
            guard !state.isPromptOver else { return }
            state.prompt = prompt
            state.isPromptNew = true
        }
    }

    /// Writes what waits, now.
    public func flush() { isPromptShown.withLock { flush(&$0) } }

    /// Takes the prompt away for good, and writes what waits: for the last moment of the process.
    package func endPrompt() {
        guard style.drawsPrompt else { return }
        change { state in
            state.prompt = nil
            state.isPromptNew = true
            state.isPromptOver = true
        }
        // A write under way ends soon, unless its terminal is stopped; then it may never.
        for _ in 0..<100 {
            if isPromptShown.withLockIfAvailable({ flush(&$0) }) != nil { return }
            usleep(1000)
        }
    }

    private func change(_ body: (inout sending State) -> Void) {
        let isFirst = state.withLock { state in
            body(&state)
            defer { state.isTold = true }
            return !state.isTold
        }
        if isFirst { news.signal() }
    }

    private func flush(_ isPromptShown: inout Bool) {
        let (lines, prompt, isPromptNew) = state.withLock { state in
            var lines = state.waiting
            if state.dropped > 0 {
                let message = "\(state.dropped) lines of the log were dropped: its reader is too slow"
                lines +=
                    state.format == .text
                    ? Array(message.utf8)
                    : JSON.object(["level": "warning", "message": .string(message)]).bytes
                lines.append(UInt8(ascii: "\n"))
            }
            defer {
                state.waiting = []
                state.dropped = 0
                state.isTold = false
                state.isPromptNew = false
            }
            return (lines, state.prompt, state.isPromptNew)
        }
        guard !lines.isEmpty || isPromptNew else { return }
        var bytes: [UInt8] = []
        // In the background the last line is somebody else's: it is not ours to erase, and no place for a prompt.
        let isOurs = style.drawsPrompt && isInForeground
        if isOurs, isPromptShown { bytes += "\r\u{1B}[K".utf8 }
        bytes += lines
        isPromptShown = false
        if isOurs, let prompt {
            bytes.append(harmless: Self.end(of: prompt, columns: columns))
            isPromptShown = true
        }
        put(bytes)
    }

    private func put(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // A log that nobody takes is no reason to stop serving.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// What is no controlling terminal has no background.
    private var isInForeground: Bool {
        let group = tcgetpgrp(output)
        return group < 0 || group == getpgrp()
    }

    private var columns: Int {
        var size = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// As much of a prompt's end as one row takes: a second row would not be erased with the first.
    static func end(of prompt: String, columns: Int) -> String {
        var room = columns - 1
        let scalars = prompt.unicodeScalars
        var start = scalars.endIndex
        while start > scalars.startIndex {
            let before = scalars.index(before: start)
            // Any but the plainest may take two columns.
            room -= scalars[before].isASCII ? 1 : 2
            guard room >= 0 else { break }
            start = before
        }
        return String(scalars[start...])
    }

    private static func time(_ clock: inout (second: Int, text: String)) -> String {
        var now = time_t()
        _ = Glibc.time(&now)
        if clock.second != now {
            var parts = tm()
            localtime_r(&now, &parts)
            let text = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { ($0 < 10 ? "0" : "") + String($0) }
            clock = (now, text.joined(separator: ":") + " ")
        }
        return clock.text
    }
}
