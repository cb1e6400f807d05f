import Dispatch
import Glibc
import Synchronization

/// SIGTERM, SIGHUP and Ctrl-C stop the server gracefully; a second Ctrl-C exits immediately.
final class StopSignals: Sendable {
    private struct State {
        var hasCome = false
        var stop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    init() {
        for number in [SIGTERM, SIGINT, SIGHUP] {
            onSignal(number) { self.come(number) }
        }
    }

    /// Sets the callback for the first signal; it is called immediately if there was one already.
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

/// Calls `handle` for each signal with this number, on a Dispatch thread, as long as the process runs.
///
/// When it returns, the callback is installed, so no signal is lost after that. A SIGHUP that is ignored, as with
/// `nohup`, stays ignored.
func onSignal(_ number: Int32, _ handle: @escaping @Sendable () -> Void) {
    if number == SIGHUP, isIgnored(number) { return }
    let source = DispatchSource.makeSignalSource(signal: number)
    // The handler retains the source, so both live as long as the process.
    source.setEventHandler { withExtendedLifetime(source) { handle() } }
    let isTaken = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { isTaken.signal() }
    source.resume()
    isTaken.wait()
}

private func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        == unsafeBitCast(SIG_IGN, to: Int.self)
}
