import Dispatch
import Glibc
import Synchronization

/// SIGTERM, Ctrl-C and SIGHUP stop the server in order; a second Ctrl-C ends the process at once.
final class StopSignals: Sendable {
    private let state = Mutex((hasCome: false, stop: nil as (@Sendable () -> Void)?))

    init() {
        for number in [SIGTERM, SIGINT, SIGHUP] {
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

/// Calls back for each signal of a number, on a thread of Dispatch's, as long as the process lives.
///
/// It returns when the callback is installed: earlier signals have their previous effect, and none is lost. A SIGHUP that
/// is ignored, as `nohup` starts programs, stays so.
func onSignal(_ number: Int32, _ handle: @escaping @Sendable () -> Void) {
    if number == SIGHUP, isIgnored(number) { return }
    let source = DispatchSource.makeSignalSource(signal: number)
    // The handler keeps the source, which lives as long as the process.
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
