import Dispatch
import Glibc
import Synchronization

/// SIGTERM and Ctrl-C: the first stops in good order, the second at once.
final class StopSignals: Sendable {
    private let queue = DispatchQueue(label: "drawbridge.signals")

    /// Calls back at the first signal; the next one ends the process with code 1.
    func onFirst(_ stop: @escaping @Sendable () -> Void) {
        for number in [SIGTERM, SIGINT] {
            // The source sees the signal only if it does not end the process first.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if self.isFirst.exchange(false, ordering: .relaxed) { stop() } else { exit(1) }
            }
            source.resume()
            // Kept until the process ends.
            _ = Unmanaged.passRetained(source as AnyObject)
        }
    }

    private let isFirst = Atomic<Bool>(true)
}
