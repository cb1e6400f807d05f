import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// Writes lines with the time of day to a descriptor, without blocking the loops.
///
/// Lines are queued and written by a thread of their own, the only one that waits for a slow reader; the process can
/// end even if nobody reads. If too many lines are queued, further ones are dropped, and the log says how many.
package final class LogWriter: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        var clock = (second: -1, text: "")
        var format = LogFormat.text
        /// Signalled when the lines that are queued now have been written.
        var flushes: [DispatchSemaphore] = []
        /// True if the thread was signalled and has not taken the lines yet.
        var isTold = false
    }

    package static let standardError = LogWriter(to: STDERR_FILENO)

    /// The maximum number of bytes in the queue; above it, lines are dropped.
    private static let limit = 1 << 20

    private let hasColors: Bool
    private let state = Mutex(State())
    private let output: Int32
    private let news = DispatchSemaphore(value: 0)

    /// Writes to a descriptor, which must stay open as long as the writer lives.
    ///
    /// - Parameter hasColors: nil to decide by ``showsColors(_:environment:)``.
    package init(to output: Int32, hasColors: Bool? = nil) {
        self.output = output
        self.hasColors = hasColors ?? Self.showsColors(output)
        // The thread retains the writer only while it writes, and ends after the writer was freed.
        DispatchQueue(label: "drawbridge.log").async { [weak self, news] in
            repeat {
                news.wait()
                // A short delay, so that a burst of lines becomes one write.
                usleep(2000)
            } while self?.writeAll() != nil
        }
    }

    deinit { news.signal() }

    /// Whether to write colours: a terminal whose `TERM` is not dumb, and no `NO_COLOR` (no-color.org).
    static func showsColors(
        _ output: Int32,
        environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    ) -> Bool {
        let isPlain =
            ["", "dumb"].contains(environment("TERM") ?? "") || !(environment("NO_COLOR") ?? "").isEmpty
        return isatty(output) == 1 && !isPlain
    }

    package var format: LogFormat {
        get { state.withLock { $0.format } }
        set { state.withLock { $0.format = newValue } }
    }

    /// Queues a line of text with the time of day; in JSON the text is the `message`.
    package func write(_ line: String, as kind: LineKind = .plain) {
        guard format == .text else {
            return write(["level": .string(kind.level), "message": .string(line)])
        }
        // Cleaned, because it may quote a request: that must not break the line or send control characters.
        var bytes: [UInt8] = []
        bytes.append(harmless: line)
        add(as: kind) { $0.waiting += bytes }
    }

    /// Queues a JSON object as a line, with `time` as its first member.
    package func write(_ members: JSON.Object) {
        var line: JSON.Object = ["time": .string(Date.now.timestamp)]
        for (name, value) in members { line[name] = value }
        // Made outside the lock, so that other threads do not wait for it.
        var bytes: [UInt8] = []
        bytes.append(harmless: .object(line))
        add { $0.waiting += bytes }
    }

    /// Writes lines without the time, for messages of the command itself, and waits like ``flush()``.
    ///
    /// - Parameters:
    ///   - lines: without line breaks.
    ///   - patience: the maximum time to wait for a slow reader; longer for an error that ends the process.
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
            guard state.waiting.count < Self.limit else {
                state.dropped += 1
                return
            }
            line(&state)
            state.waiting.append(UInt8(ascii: "\n"))
        }
    }

    /// Waits until the queued lines are written, at most half a second.
    package func flush() { flush(within: .milliseconds(500)) }

    /// Waits until the lines that are queued now are written, but no longer than this.
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

    /// Writes the queue; for the writer's thread only.
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
        return lines
    }

    /// The number of columns in a terminal after the time; nil if the output is not a terminal.
    var columns: Int? {
        // Rows, columns and two unused numbers (ioctl_tty(2)). The C struct `winsize` is avoided: Swift imports it from
        // several modules, and whether it compiles depends on the order of files.
        var size: [UInt16] = [0, 0, 0, 0]
        guard isatty(output) == 1, ioctl(output, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        let all = size[1] > 0 ? Int(size[1]) : 80
        return max(all - Self.timeColumns, 20)
    }

    /// The width of `12:04:31` and two spaces.
    private static let timeColumns = 10

    private func put(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // The descriptor is non-blocking if another program that shares the output has made it so.
            if count < 0, errno == EAGAIN {
                var wait = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
                continue
            }
            // Give up: a log that cannot be written must not stop the server.
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

/// The format of the log.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum LogFormat: String, Sendable, CaseIterable {
    /// Text for people: `12:04:31 GET /echo  handler EchoHandler  200  3 ms  184 B  request=abc-1`.
    case text
    /// JSON, one object per line, for programs.
    case json
}

/// The kind of a log line, which decides its colour in a terminal.
package enum LineKind: Sendable, Hashable {
    /// Any other message, without colour.
    case plain
    /// A native call; green.
    case call
    /// A native call that failed or was not answered; red.
    case failedCall
    /// Any request that is not for native; faint.
    case passed
    case warning
    case error
    /// A question or message for the tester; bold cyan.
    case question
    /// A QR code or another picture of characters; white on black, whatever the terminal's colours.
    case picture

    var level: String {
        switch self {
        case .plain, .question, .picture, .call, .failedCall, .passed: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// The escape sequence before a line (ECMA-48, 8.3.117); nil for no colour.
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
