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
    public convenience init(of gateway: Gateway, port: Int = 0) throws {
        try self.init(of: gateway, port: port, url: nil, isForAll: false)
    }

    /// Listens as by ``init(of:port:)``, or for all machines, and at a name that browsers know.
    ///
    /// - Parameters:
    ///   - url: the origin by which browsers reach it; nil for a name that no page can know, at its own port.
    ///   - isForAll: whether it listens on all addresses.
    package init(of gateway: Gateway, port: Int, url: String?, isForAll: Bool) throws {
        pass = InspectorPass()
        let door = InspectorDoor(to: gateway, pass)
        // A gateway without rules, handlers and pages: all that it has is the door, which alone decides who comes in where
        // a container's port or a server in front is on the way.
        var access = AccessPolicy()
        if isForAll || url != nil { access.trust = .everybody }
        access.allow(url)
        let host = "i-\(String.random128().prefix(16)).localhost"
        let inner = Gateway(
            middleware: [door], rules: [], access: access, pageRuntime: nil, logger: gateway.logger)
        server = try GatewayServer(
            inner,
            ServerConfiguration(
                host: isForAll ? "0.0.0.0" : "127.0.0.1", port: port, loops: 1, logsRequests: false))
        origin = url ?? "http://\(host):\(server.address.port)"
        door.isAt(origin)
        _ = gateway.remedies.withLock { $0.insert(.inspector) }
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
