import MicroHTTPD
import Synchronization

/// The WebSocket of one page, adapted to the core's protocol for connections.
final class PageChannel: PageConnection {
    static let path = "/__drawbridge__/channel"
    private static let subprotocol = "drawbridge"

    let tasks: HandlerTasks?
    private let reader: ChannelReader
    private let log: AccessLog?
    private let state = Mutex(State())

    private struct State {
        var socket: WebSocket?
        /// Removes this channel from the admission of a device, when it is closed.
        var release: (@Sendable () -> Void)?
    }

    private init(_ gateway: Gateway, _ request: Request, by tasks: HandlerTasks, _ log: AccessLog?) {
        self.tasks = tasks
        self.log = log
        reader = ChannelReader(gateway, request)
    }

    static func open(
        _ exchange: Exchange, _ request: Request, _ gateway: Gateway, by tasks: HandlerTasks,
        _ log: AccessLog?
    ) throws(HTTPError) {
        let handshake: WebSocketHandshake
        do {
            handshake = try WebSocketHandshake(exchange.head)
        } catch {
            throw HTTPError(error.status, error.message, headers: error.headers)
        }
        let token = handshake.protocols.first { $0.hasPrefix("token.") }?.dropFirst("token.".count)
        try gateway.admitChannel(request, token: token.map(String.init))
        let channel = PageChannel(gateway, request, by: tasks, log)
        var limits = WebSocketLimits()
        limits.waiting = ChannelReader.mostWaiting
        let socket = exchange.upgrade(
            handshake, subprotocol: handshake.protocols.contains(subprotocol) ? subprotocol : nil,
            limits: limits,
            events: WebSocketEvents(
                text: { _, bytes in channel.reader.receive(bytes, on: channel) },
                closed: { _, end in channel.ended(end, gateway.logger) }))
        channel.state.withLock { $0.socket = socket }
        // The channel is closed when the device's admission ends.
        let release = gateway.hold(request) { channel.close() }
        channel.state.withLock { $0.release = release }
    }

    private func ended(_ end: WebSocketEnd, _ logger: Logger) {
        // The queue was full, or memory was short. No message is lost: the page reconnects and sends again.
        if end.code == .tryAgainLater {
            logger.warning("the channel of a page was closed: \(end.reason)")
        }
        reader.ended(self)
        // Breaks the reference cycle of channel and socket.
        let release = state.withLock { state in
            state.socket = nil
            return state.release.take()
        }
        release?()
    }

    // MARK: For the core

    func send(_ text: [UInt8]) { _ = state.withLock { $0.socket }?.send(text: text) }

    func close() { state.withLock { $0.socket }?.close(.policy) }

    /// Closes it with the code by which the page knows that what was not acknowledged was not taken.
    func goAway() { state.withLock { $0.socket }?.close(.goingAway) }

    func answered(_ request: Request, _ response: Response, bytes: Int?, took: Duration) {
        log?.add(request, response, bytes: bytes, took: took)
    }
}
