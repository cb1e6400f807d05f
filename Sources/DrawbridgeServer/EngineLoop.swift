import Drawbridge
import EventLoop
import Logging
import MicroHTTPD
import Synchronization

/// Adapts a loop of the engine for handlers.
final class EngineLoop: HandlerLoop {
    let watch: LoopWatch
    private let loop: Loop

    init(_ loop: Loop, watch: LoopWatch) {
        self.loop = loop
        self.watch = watch
    }

    deinit { watch.end() }

    var isCurrent: Bool { loop.isCurrent }

    func enqueue(_ step: @escaping @Sendable () -> Void) { loop.enqueue(step) }
}

/// The tasks of handlers on each of the engine's loops, made with the first exchange that the loop serves.
final class TasksOfLoops: Sendable {
    private let logger: Logger
    private let tasks: Mutex<[HandlerTasks?]>

    init(_ loops: Int, logger: Logger) {
        self.logger = logger
        tasks = Mutex(Array(repeating: nil, count: loops))
    }

    /// The tasks of the loop that serves an exchange.
    func tasks(for exchange: Exchange) -> HandlerTasks {
        tasks.withLock { tasks in
            if let made = tasks[exchange.loopIndex] { return made }
            let made = HandlerTasks(on: EngineLoop(exchange.loop, watch: LoopWatch(logger: logger)))
            tasks[exchange.loopIndex] = made
            return made
        }
    }
}
