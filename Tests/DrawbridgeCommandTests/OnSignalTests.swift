import Glibc
import Testing

@testable import DrawbridgeCommand

/// Signals are taken from the moment on at which somebody asks for them.
@Suite struct OnSignalTests {
    /// Of those that nobody else uses, each is asked for once: later the system would already have it.
    @Test(.timeLimit(.minutes(5)), arguments: 40..<60)
    func aSignalThatComesAtOnceIsNotLost(number: Int32) async {
        let (taken, continuation) = AsyncStream.makeStream(of: Void.self)
        onSignal(number) { continuation.yield() }
        // If it were not taken yet, it would end this process.
        kill(getpid(), number)
        var signals = taken.makeAsyncIterator()
        #expect(await signals.next() != nil)
    }
}
