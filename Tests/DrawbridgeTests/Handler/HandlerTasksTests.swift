import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway

/// What belongs to a loop's handlers is touched on its thread.
@Suite struct HandlerTasksTests {
    /// A loop whose thread is never this one.
    private final class Elsewhere: HandlerLoop {
        let watch = LoopWatch(logger: Gateway().logger)
        var isCurrent: Bool { false }
        func enqueue(_ step: @escaping @Sendable () -> Void) { step() }
    }

    private static let head = KnownHead(
        RequestHead(.get, scheme: "http", authority: "localhost", target: "/", headers: [:]))

    @Test func handlerTasksTrapOnAnotherThread() async {
        await #expect(processExitsWith: .signal(trap)) { _ = HandlerTasks(on: Elsewhere()).next() }
        await #expect(processExitsWith: .signal(trap)) {
            _ = Gateway().plan(for: Self.head, .empty, from: "127.0.0.1", on: Elsewhere())
        }
        await #expect(processExitsWith: .signal(trap)) {
            let gateway = Gateway()
            var plan = gateway.plan(for: Request("/"))
            _ = gateway.begin(&plan, for: Self.head, by: HandlerTasks(on: Elsewhere()))
        }
    }
}
