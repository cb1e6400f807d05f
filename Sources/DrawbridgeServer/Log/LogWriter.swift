package import Dispatch
package import Drawbridge
import FoundationEssentials
import Glibc
import Synchronization

/// Writes lines to a descriptor, each with the time of day, and never makes a loop wait for its reader.
///
/// Lines are collected and written by a thread of their own, the only one that ever waits for the reader: the process
/// must be able to end even if nobody reads any more. When too many lines wait, because a terminal is slow or a pipe
/// is full, further ones are dropped, and the log says how many.
public final class LogWriter: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        /// Lines whose text is made when they are written, each with its offset in `waiting`.
        var unwritten: [(place: Int, make: @Sendable (_ columns: Int?) -> String)] = []
        var unwrittenBytes = 0
        var dropped = 0
        var clock = (second: -1, text: "")
        var format = LogFormat.text
        /// Signalled when what waits now is written.
        var flushes: [DispatchSemaphore] = []
        /// True when the thread was signalled, and has not taken the lines yet.
        var isTold = false
    }

    /// The standard error, where all logs of the process go.
    public static let standardError = LogWriter(to: STDERR_FILENO)

    /// How many bytes may wait; beyond that, lines are dropped.
    private static let limit = 1 << 20

    private let hasColors: Bool
    private let state = Mutex(State())
    private let output: Int32
    private let news = DispatchSemaphore(value: 0)

    /// Writes to a descriptor that stays open as long as the writer lives.
    ///
    /// - Parameter hasColors: nil to decide by the output.
    package init(to output: Int32, hasColors: Bool? = nil) {
        self.output = output
        self.hasColors = hasColors ?? Self.showsColors(output)
        // The thread holds the writer weakly while it waits for lines, and ends when the writer is gone.
        DispatchQueue(label: "drawbridge.log").async { [weak self, news] in
            repeat {
                news.wait()
                // A burst of requests becomes one write.
                usleep(2000)
            } while self?.writeAll() != nil
        }
    }

    deinit { news.signal() }

    /// Whether an output can show colours: whether it is a terminal, and by `TERM` and `NO_COLOR` (no-color.org).
    static func showsColors(
        _ output: Int32,
        environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    ) -> Bool {
        let isPlain =
            ["", "dumb"].contains(environment("TERM") ?? "") || !(environment("NO_COLOR") ?? "").isEmpty
        return isatty(output) == 1 && !isPlain
    }

    /// How lines are written; text at first.
    public var format: LogFormat {
        get { state.withLock { $0.format } }
        set { state.withLock { $0.format = newValue } }
    }

    /// Adds a line of text with the time of day before it; returns at once.
    ///
    /// In JSON it is the `message`.
    package func write(_ line: String, as kind: LineKind = .plain) {
        guard format == .text else {
            return write(["level": .string(kind.level), "message": .string(line)])
        }
        // What a caller sent must not end a line or drive a terminal.
        add(as: kind) { $0.waiting.append(harmless: line) }
    }

    /// Adds a plain line of harmless bytes with the time of day before it; returns at once.
    package func write(_ line: [UInt8], as kind: LineKind) { add(as: kind) { $0.waiting += line } }

    /// Adds a line whose text is made when it is written, with the present time before it; returns at once.
    ///
    /// - Parameters:
    ///   - bytes: about how much memory it takes until then.
    ///   - make: gets the number of columns for it in a terminal; nil where the output is not a terminal.
    func write(
        as kind: LineKind, bytes: Int, _ make: @escaping @Sendable (_ columns: Int?) -> String
    ) {
        add(as: kind) { state in
            // A second space, so that columns follow the time.
            state.waiting.append(UInt8(ascii: " "))
            state.unwritten.append((state.waiting.count, make))
            state.unwrittenBytes += bytes
        }
    }

    /// Adds a line that is a JSON object, with the `time` as its first member; returns at once.
    package func write(_ members: JSON.Object) {
        var line: JSON.Object = ["time": .string(Date.now.timestamp)]
        for (name, value) in members { line[name] = value }
        // The text is made outside the lock, so that other threads need not wait for it.
        var bytes: [UInt8] = []
        bytes.append(harmless: .object(line))
        add { $0.waiting += bytes }
    }

    /// Adds lines without the time, for messages of the program itself, and writes them now, as ``flush()`` does.
    ///
    /// - Parameters:
    ///   - lines: without their ends.
    ///   - patience: how long a reader may take; longer at the end of the process, whose error should not get lost.
    package func say(_ lines: [String], within patience: DispatchTimeInterval = .milliseconds(500)) {
        change { state in
            for line in lines {
                state.waiting.append(harmless: line)
                state.waiting.append(UInt8(ascii: "\n"))
            }
        }
        flush(within: patience)
    }

    private func add(as kind: LineKind, _ line: (inout State) -> Void) {
        let color = hasColors ? kind.color : nil
        add { state in
            if let color { state.waiting += color.utf8 }
            state.waiting += Self.time(&state.clock).utf8
            line(&state)
            if color != nil { state.waiting += "\u{1B}[m".utf8 }
        }
    }

    private func add(_ line: (inout State) -> Void) {
        change { state in
            guard state.waiting.count + state.unwrittenBytes < Self.limit else {
                state.dropped += 1
                return
            }
            line(&state)
            state.waiting.append(UInt8(ascii: "\n"))
        }
    }

    /// Writes what waits, now; gives up after half a second if nobody reads it.
    public func flush() { flush(within: .milliseconds(500)) }

    /// Waits until the thread has written what waits now, but not for ever.
    package func flush(within patience: DispatchTimeInterval) {
        let isWritten = DispatchSemaphore(value: 0)
        change { $0.flushes.append(isWritten) }
        _ = isWritten.wait(timeout: .now() + patience)
    }

    private func change(_ body: (inout sending State) -> Void) {
        let isFirst = state.withLock { state in
            body(&state)
            defer { state.isTold = true }
            return !state.isTold
        }
        if isFirst { news.signal() }
    }

    /// Writes what waits, on the thread of the log alone.
    private func writeAll() {
        let taken = state.withLock { state in
            defer { state = State(clock: state.clock, format: state.format) }
            return state
        }
        put(lines(of: taken))
        for flush in taken.flushes { flush.signal() }
    }

    private func lines(of taken: State) -> [UInt8] {
        var lines = taken.waiting
        if taken.dropped > 0 {
            let message = "\(taken.dropped) lines of the log were dropped: its reader is too slow"
            switch taken.format {
            case .text: lines += message.utf8
            case .json: lines.append(harmless: ["level": "warning", "message": .string(message)])
            }
            lines.append(UInt8(ascii: "\n"))
        }
        guard !taken.unwritten.isEmpty else { return lines }
        let columns = columns
        var (written, place) = ([UInt8](), 0)
        for line in taken.unwritten {
            written += lines[place..<line.place]
            written.append(harmless: line.make(columns))
            place = line.place
        }
        return written + lines[place...]
    }

    /// The columns of a terminal that a line has after its time; nil where the output is none.
    private var columns: Int? {
        // Rows, columns, and two unused numbers (ioctl_tty(2)). The C struct `winsize` would do, but Swift imports it
        // from several modules: the order of files decides whether the compiler finds its members.
        var size: [UInt16] = [0, 0, 0, 0]
        guard isatty(output) == 1, ioctl(output, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        let all = size[1] > 0 ? Int(size[1]) : 80
        return max(all - Self.timeColumns, 20)
    }

    /// The width of what is before such a line: `12:04:31` and two spaces.
    private static let timeColumns = 10

    private func put(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // Another program that shares the output may have made it non-blocking.
            if count < 0, errno == EAGAIN {
                var wait = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
                continue
            }
            // A log that cannot be written is no reason to stop serving.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
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

/// How the log is written.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum LogFormat: String, Sendable, CaseIterable {
    /// Lines for people: `12:04:31 GET /echo  handler EchoHandler  200  3 ms  184 B  request=abc-1`.
    case text
    /// One JSON object in each line, for programs.
    case json
}

/// What a line of the log is: a terminal shows each kind in its own colour.
package enum LineKind: Sendable, Hashable {
    /// Any other message; no colour.
    case plain
    /// A call of native's; green.
    case call
    /// A call that nobody answered, or that failed; red.
    case failedCall
    /// A request that is not for native; faint.
    case passed
    /// A warning; yellow.
    case warning
    /// An error; red.
    case error
    /// What a person is asked or shown; bold and cyan.
    case question
    /// A picture made of characters; white on black whatever the terminal's colours.
    case picture

    /// The `level` in a line of JSON.
    var level: String {
        switch self {
        case .plain, .question, .picture, .call, .failedCall, .passed: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// The escape code before a line (ECMA-48, 8.3.117); nil for no colour.
    var color: String? {
        switch self {
        case .plain: nil
        case .call: "\u{1B}[32m"
        case .failedCall, .error: "\u{1B}[31m"
        case .passed: "\u{1B}[2m"
        case .warning: "\u{1B}[33m"
        case .question: "\u{1B}[1;36m"
        case .picture: "\u{1B}[97;40m"
        }
    }
}
