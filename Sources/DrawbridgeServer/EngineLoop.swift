import Drawbridge
import EventLoop
import MicroHTTPD

/// A loop of the engine, as handlers need it.
///
/// The engine makes its loops itself, so this one hears of it with the first exchange, on the loop's thread and before
/// any handler has it: that makes it Sendable.
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

    func schedule(_ step: @escaping @Sendable () -> Void) { loop?.schedule(step) }
}
