public import Drawbridge
import MicroHTTPD
import Synchronization

/// The inspector: a page of the gateway's own, for people, that shows what pages call, and lets them answer.
///
/// It has a listener of its own on this machine, whatever the gateway listens on, at a name that no page can know. So
/// neither a page on the gateway nor a service worker that one left on the port before can reach it. A browser comes in
/// by a link that is good once.
///
/// ```swift
/// let inspector = try Inspector(of: gateway)
/// print(inspector.drawLink())
/// ```
public final class Inspector: Sendable {
    /// `http://i-0123456789abcdef.localhost:8081`: the name is another one in every process.
    public let origin: String
    private let pass: InspectorPass
    private let server: GatewayServer

    /// Listens from now on.
    ///
    /// - Parameters:
    ///   - gateway: one that keeps a journal; it may listen or not.
    ///   - port: 0 takes any that is free.
    /// - Throws: a `ListenError` that says what to do when the port cannot be had.
    public init(of gateway: Gateway, port: Int = 0) throws {
        let host = "i-\(String.random128().prefix(16)).localhost"
        pass = InspectorPass()
        let door = InspectorDoor(to: gateway, pass, host: host)
        // A gateway without rules, handlers and pages: all that it has is the door.
        let inner = Gateway(middleware: [door], rules: [], pageRuntime: nil, logger: gateway.logger)
        server = try GatewayServer(
            inner, ServerConfiguration(host: "127.0.0.1", port: port, loops: 1, logsRequests: false))
        door.isAt(port: server.address.port)
        origin = "http://\(host):\(server.address.port)"
    }

    /// A link that lets one browser in, once, within ten minutes.
    public func drawLink() -> String { drawLink {} }

    /// A link as by ``drawLink()``, with a callback.
    ///
    /// - Parameter whenUsed: called when the link was used, on any thread.
    package func drawLink(whenUsed: @escaping @Sendable () -> Void) -> String {
        "\(origin)/#\(pass.drawTicket(whenUsed: whenUsed))"
    }

    /// Takes no more requests.
    public func stop() async { await server.stop() }
}
