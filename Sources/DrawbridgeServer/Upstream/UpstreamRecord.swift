import HTTPClient
import Synchronization

/// Logs an upstream's failures: the first one, then their number once a minute, until it answers again.
final class UpstreamRecord: Sendable {
    private struct State {
        var failures = 0
        var told = ContinuousClock.now
        var said: Set<String> = []
    }

    /// The minimum time between two log lines about failures.
    private static let pause = Duration.seconds(60)

    private let subject: String
    private let advice: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - subject: begins each line: "upstream http://127.0.0.1:3000".
    ///   - advice: what to do if it cannot be reached.
    init(_ subject: String, advice: String) {
        self.subject = subject
        self.advice = advice
    }

    func failed(_ error: TransferError, _ logger: Logger) {
        let count: Int? = state.withLock { state in
            state.failures += 1
            guard state.failures == 1 || state.told.duration(to: .now) > Self.pause else { return nil }
            state.told = .now
            return state.failures
        }
        guard let count else { return }
        let hint = error.kind == .unreachable ? "; \(advice)" : ""
        logger.warning(
            count == 1
                ? "\(subject): \(error)\(hint)"
                : "\(subject): \(error), for \(count) requests by now\(hint)")
    }

    /// Logs a warning, once per subject.
    func tell(
        _ sentence: @autoclosure () -> String, about subject: String, _ logger: @autoclosure () -> Logger
    ) {
        let isNew = state.withLock { $0.said.count < 100 && $0.said.insert(subject).inserted }
        if isNew { logger().warning("\(sentence())") }
    }

    func succeeded(_ logger: @autoclosure () -> Logger) {
        let count = state.withLock { state in
            defer { state.failures = 0 }
            return state.failures
        }
        if count > 0 {
            logger().notice("\(subject) answers again, after \(count) requests that failed")
        }
    }
}
