import Dispatch
import Glibc
import Synchronization

private let isStopped = Atomic(false)

/// Calls `stop` with the first SIGTERM, SIGHUP or Ctrl-C; a second Ctrl-C exits immediately.
func onFirstStop(_ stop: @escaping @Sendable () -> Void) {
    for number in [SIGTERM, SIGINT, SIGHUP] {
        onSignal(number) {
            let isFirst = !isStopped.exchange(true, ordering: .relaxed)
            if isFirst { stop() } else if number == SIGINT { exit(1) }
        }
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
