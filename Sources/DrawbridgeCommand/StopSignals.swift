import Dispatch
import Glibc
import Synchronization

/// SIGTERM and Ctrl-C stop in good order; a second Ctrl-C stops at once.
final class StopSignals: Sendable {
    private let queue = DispatchQueue(label: "drawbridge.signals")
    private let isFirst = Atomic<Bool>(true)

    /// Calls back at the first signal; a Ctrl-C after that ends the process with code 1.
    func onFirst(_ stop: @escaping @Sendable () -> Void) {
        for number in [SIGTERM, SIGINT] {
            // The source sees the signal only if it does not end the process first.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if self.isFirst.exchange(false, ordering: .relaxed) {
                    stop()
                } else if number == SIGINT {
                    exit(1)
                }
            }
            source.resume()
            // Kept until the process ends.
            _ = Unmanaged.passRetained(source as AnyObject)
        }
    }
}
