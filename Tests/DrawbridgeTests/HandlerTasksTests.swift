import Glibc
import Testing

@testable import Drawbridge

/// What belongs to a loop's handlers is touched on its thread.
@Suite struct HandlerTasksTests {
    /// A loop whose thread is never this one.
    private final class Elsewhere: HandlerLoop {
        let watch = LoopWatch(logger: Gateway().logger)
        var isCurrent: Bool { false }
        func schedule(_ step: @escaping @Sendable () -> Void) { step() }
    }

    @Test func theyTrapOnAnotherThread() async {
        #if arch(x86_64)
        let trap = ExitTest.Condition.signal(SIGILL)
        #else
        let trap = ExitTest.Condition.signal(SIGTRAP)
        #endif
        await #expect(processExitsWith: trap) { _ = HandlerTasks(on: Elsewhere()).next() }
        await #expect(processExitsWith: trap) {
            _ = Gateway().begin(
                RequestHead(.get, scheme: "http", authority: "localhost", target: "/", headers: [:]), .empty,
                from: "127.0.0.1", by: HandlerTasks(on: Elsewhere()))
        }
    }
}
