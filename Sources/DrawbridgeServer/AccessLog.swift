import Dispatch
import Drawbridge
import Glibc
import HTTPTypes
import Synchronization

/// One line for each request, on the standard error: `12:04:31 GET /echo  handler EchoHandler  200  3 ms  184 B`.
///
/// Lines are gathered and written by a thread of their own, so that a slow terminal or a full pipe delays nobody. When
/// more wait than are worth keeping, lines are dropped, and the log says how many.
final class AccessLog: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        var clock = (second: -1, text: "")
    }

    /// More bytes than this are not kept waiting.
    private static let limit = 1 << 20

    private let state = Mutex(State())
    private let output: Int32
    private let news = DispatchSemaphore(value: 0)

    init(to output: Int32 = STDERR_FILENO) {
        self.output = output
        // It holds the log weakly between two lines, and ends with it.
        DispatchQueue(label: "drawbridge.access-log").async { [weak self, news] in
            repeat {
                news.wait()
                // A burst of requests becomes one write.
                usleep(2000)
            } while self?.writeWaiting() != nil
        }
    }

    deinit { news.signal() }

    /// Adds the line of one request.
    func add(_ request: Request, _ response: Response, bytes: Int, took: Duration, wasCancelled: Bool) {
        let who = response.answeredBy ?? "passed"
        let status = wasCancelled ? "caller left" : String(response.status.code)
        let line =
            "\(request.method) \(Self.shown(request.head.path))  \(who)  \(status)  \(Self.milliseconds(took)) ms  \(bytes) B\n"
        let isFirst = state.withLock { state in
            guard state.waiting.count < Self.limit else {
                state.dropped += 1
                return false
            }
            defer {
                state.waiting += Self.time(&state.clock).utf8
                state.waiting += line.utf8
            }
            return state.waiting.isEmpty
        }
        if isFirst { news.signal() }
    }

    /// Writes what waits, now.
    func flush() { writeWaiting() }

    private func writeWaiting() {
        let bytes = state.withLock { state in
            var bytes = state.waiting
            if state.dropped > 0 {
                bytes +=
                    "\(state.dropped) lines of the access log were dropped: its reader is too slow\n".utf8
            }
            state.waiting = []
            state.dropped = 0
            return bytes
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // A log that nobody takes is no reason to stop serving.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// The target without what could end the line or drive a terminal.
    private static func shown(_ target: String?) -> String {
        let bytes = (target ?? "/").utf8.prefix(200).map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let tenths = Int(duration / .milliseconds(1) * 10)
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(tenths / 10)"
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
