import Glibc
import Synchronization

/// SIGTERM and Ctrl-C stop the server in order; a second Ctrl-C ends the process at once.
final class StopSignals: Sendable {
    private struct State {
        var hasCome = false
        var stop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Installs the signal handlers.
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
