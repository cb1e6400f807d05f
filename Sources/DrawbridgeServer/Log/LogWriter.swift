import Dispatch
public import Drawbridge
import FoundationEssentials
import Glibc
public import Logging
import Synchronization

/// Writes lines to a descriptor, each with the time of day, and never makes a loop wait for its reader.
///
/// Lines are gathered and written by a thread of their own. When more wait than are worth keeping, because a terminal
/// is slow or a pipe is full, lines are dropped, and the log says how many.
public final class LogWriter: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        var clock = (second: -1, text: "")
        var format = LogFormat.text
    }

    /// The standard error, where all logs of the process go.
    public static let standardError = LogWriter(to: STDERR_FILENO)

    /// More bytes than this are not kept waiting.
    private static let limit = 1 << 20

    private let state = Mutex(State())
    private let output: Int32
    private let news = DispatchSemaphore(value: 0)

    /// Writes to a descriptor that stays open as long as the writer lives.
    init(to output: Int32) {
        self.output = output
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
    public func write(_ line: String, level: Logger.Level = .info) {
        guard format == .text else {
            return write(["level": .string(level.rawValue), "message": .string(line)])
        }
        add { state in
            state.waiting += Self.time(&state.clock).utf8
            // What a caller sent must not end a line or drive a terminal.
            state.waiting += line.utf8.lazy.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }
        }
    }

    /// Adds a line that is a JSON object, with the `time` as its first member; returns at once.
    public func write(_ members: JSON.Object) {
        var line: JSON.Object = ["time": .string(Date.now.timestamp)]
        for (name, value) in members { line[name] = value }
        add { $0.waiting += JSON.object(line).bytes }
    }

    private func add(_ line: (inout State) -> Void) {
        let isFirst = state.withLock { state in
            guard state.waiting.count < Self.limit else {
                state.dropped += 1
                return false
            }
            defer {
                line(&state)
                state.waiting.append(UInt8(ascii: "\n"))
            }
            return state.waiting.isEmpty
        }
        if isFirst { news.signal() }
    }

    /// Writes what waits, now.
    public func flush() {
        let bytes = state.withLock { state in
            var bytes = state.waiting
            if state.dropped > 0 {
                let message = "\(state.dropped) lines of the log were dropped: its reader is too slow"
                bytes +=
                    state.format == .text
                    ? Array(message.utf8)
                    : JSON.object(["level": "warning", "message": .string(message)]).bytes
                bytes.append(UInt8(ascii: "\n"))
            }
            state.waiting = []
            state.dropped = 0
            return bytes
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // A log that nobody takes is no reason to stop serving.
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
