import Dispatch
import Glibc
import Synchronization

/// SIGTERM, SIGHUP and Ctrl-C end the start at once, and stop the server gracefully, with `--drain` after a while and at
/// once by a second signal; one more Ctrl-C exits immediately.
final class StopSignals: Sendable {
    private enum State {
        case starting
        /// What the next signals do, one after the other.
        case serving([@Sendable () -> Void])
    }

    private let state = Mutex(State.starting)

    init() {
        for number in [SIGTERM, SIGINT, SIGHUP] {
            onSignal(number) { self.come(number) }
        }
    }

    /// Sets what the first signal does and what each later one, now that there is something to stop.
    func serve(_ steps: [@Sendable () -> Void]) { state.withLock { $0 = .serving(steps) } }

    private func come(_ number: Int32) {
        let step: (@Sendable () -> Void)? = state.withLock { state in
            guard case .serving(let steps) = state else {
                // Under the lock, so that nothing is served meanwhile: the start goes on in another thread.
                LogWriter.standardError.flush(within: .seconds(3))
                _exit(0)
            }
            state = .serving(Array(steps.dropFirst()))
            return steps.first
        }
        if let step { step() } else if number == SIGINT { exit(1) }
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
