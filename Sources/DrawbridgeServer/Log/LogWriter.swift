import Dispatch
import Glibc
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

    /// Adds a line; returns at once.
    public func write(_ line: String) {
        let isFirst = state.withLock { state in
            guard state.waiting.count < Self.limit else {
                state.dropped += 1
                return false
            }
            defer {
                state.waiting += Self.time(&state.clock).utf8
                // What a caller sent must not end a line or drive a terminal.
                state.waiting += line.utf8.lazy.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }
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
                bytes += "\(state.dropped) lines of the log were dropped: its reader is too slow\n".utf8
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
