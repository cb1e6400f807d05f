import Dispatch

/// Calls back for each signal of a number, on a thread of Dispatch's, as long as the process lives.
///
/// It returns when the callback is installed: earlier signals have their previous effect, and none is lost.
func onSignal(_ number: Int32, _ handle: @escaping @Sendable () -> Void) {
    let source = DispatchSource.makeSignalSource(signal: number)
    // The handler keeps the source, which lives as long as the process.
    source.setEventHandler { withExtendedLifetime(source) { handle() } }
    let isTaken = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { isTaken.signal() }
    source.resume()
    isTaken.wait()
}
