import EngineSupport
import EventLoop
import HTTPTypes
import TestSupport

@testable import MicroHTTPD

/// What the sockets of a server under test were told.
final class WebSocketLog: Sendable {
    let ends = Box<[WebSocketEnd]>([])
    let sockets = Box<[WebSocket]>([])
    let opened = Tally()
    let messages = Tally()

    /// The only end, once it has come.
    func end() async -> WebSocketEnd? {
        _ = await eventually { !self.ends.value.isEmpty }
        return ends.value.count == 1 ? ends.value.first : nil
    }
}

/// Sends back what comes, and writes down what happens.
func echo(_ log: WebSocketLog) -> WebSocketEvents {
    WebSocketEvents(
        opened: { socket in
            log.sockets.change { $0.append(socket) }
            log.opened.add()
        },
        text: { socket, bytes in
            log.messages.add()
            socket.send(text: bytes)
        },
        closed: { _, end in log.ends.change { $0.append(end) } })
}

/// Starts a server on which every path is a WebSocket but `/plain`, runs the test, and stops it.
func withWebSockets<Value>(
    tls: TLSIdentity? = nil, limits: WebSocketLimits = WebSocketLimits(), connections: Int? = nil,
    loops: Int? = nil, events: @escaping @Sendable (WebSocketLog) -> WebSocketEvents = echo,
    test: (HTTPServer, WebSocketLog) async throws -> Value
) async throws -> Value {
    let log = WebSocketLog()
    var serverLimits = Limits()
    serverLimits.connections = connections
    return try await withServer(tls: tls, limits: serverLimits, loops: loops) { exchange in
        if exchange.request.path == "/plain" { return ok(exchange) }
        do throws(Refusal) {
            let handshake = try WebSocketHandshake(exchange.head)
            exchange.upgrade(
                handshake, subprotocol: handshake.protocols.first, limits: limits, events: events(log))
        } catch {
            exchange.send(
                HTTPResponse(status: error.status, headerFields: error.headers), Array(error.message.utf8))
        }
    } test: {
        try await test($0, log)
    }
}

extension WebSocket {
    /// How many bytes wait to be sent.
    var bufferedBytes: Int { outgoing.withLock { $0.count } }

    /// False once it closes, or has closed.
    var isOpen: Bool { outgoing.withLock { !$0.isShut } }
}
