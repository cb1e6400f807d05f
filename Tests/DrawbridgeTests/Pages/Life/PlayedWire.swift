import Synchronization

@testable import Drawbridge

/// A connection whose frames travel when the play says so, in their order; what is under way when it breaks is lost.
final class PlayedWire: PageConnection {
    private struct State {
        var up: [JSON] = []
        var down: [JSON] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let reader: ChannelReader

    var tasks: HandlerTasks? { nil }

    init(_ gateway: Gateway) { reader = ChannelReader(gateway, Request("/__drawbridge__/channel")) }

    /// True when the gateway has closed it.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    // MARK: The page's end

    func say(_ frame: JSON) { state.withLock { $0.up.append(frame) } }

    /// The next frame for the page.
    func heard() -> JSON? { state.withLock { $0.down.isEmpty ? nil : $0.down.removeFirst() } }

    /// Lets so many frames of the page arrive.
    func carry(_ count: Int) {
        for _ in 0..<count {
            guard let frame = state.withLock({ $0.up.isEmpty ? nil : $0.up.removeFirst() }) else { return }
            reader.receive(frame.bytes, on: self)
        }
    }

    /// The gateway sees its end.
    func end() { reader.ended(self) }

    // MARK: The gateway's end

    func send(_ text: [UInt8]) {
        guard let frame = try? JSON(parsing: text) else { fatalError("no JSON goes down") }
        state.withLock { if !$0.isClosed { $0.down.append(frame) } }
    }

    func close() { state.withLock { $0.isClosed = true } }

    func answered(_ request: Request, _ response: Response, bytes: Int?, took: Duration) {}
}
