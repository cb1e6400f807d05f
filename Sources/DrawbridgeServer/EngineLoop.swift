import Drawbridge
import EventLoop
import MicroHTTPD

/// A loop of the engine, as handlers need it.
///
/// The engine makes its loops itself. So this object learns with the first exchange which loop it stands for, on that
/// loop's thread and before any handler has the object: that makes it Sendable.
final class EngineLoop: HandlerLoop, @unchecked Sendable {
    let watch: LoopWatch
    @exclusivity(unchecked) private var loop: Loop?

    init(watch: LoopWatch) { self.watch = watch }

    deinit { watch.end() }

    func isServing(_ exchange: Exchange) {
        assert(exchange.loop.isCurrent, "an exchange is served on another thread than its loop's")
        if loop == nil { loop = exchange.loop }
    }

    var isCurrent: Bool { loop?.isCurrent ?? false }

    func enqueue(_ step: @escaping @Sendable () -> Void) { loop?.enqueue(step) }
}
