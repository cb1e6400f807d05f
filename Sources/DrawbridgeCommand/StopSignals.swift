import Glibc
import Synchronization

/// SIGTERM and Ctrl-C stop in good order; a second Ctrl-C stops at once.
final class StopSignals: Sendable {
    private struct State {
        var hasCome = false
        var stop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Takes the signals from here on.
    init() {
        for number in [SIGTERM, SIGINT] {
            onSignal(number) { self.come(number) }
        }
    }

    /// Calls back at the first signal, at once if it has come already.
    func onFirst(_ stop: @escaping @Sendable () -> Void) {
        let hasCome = state.withLock { state in
            state.stop = stop
            return state.hasCome
        }
        if hasCome { stop() }
    }

    private func come(_ number: Int32) {
        let (isFirst, stop) = state.withLock { state in
            defer { state.hasCome = true }
            return (!state.hasCome, state.stop)
        }
        if isFirst { stop?() } else if number == SIGINT { exit(1) }
    }
}
