import Drawbridge
import HTTPClient
import MicroHTTPD
import Synchronization

/// A connection to a server that has switched protocols, until it is joined to the caller's.
final class UpstreamTunnel: Response.Upgrade {
    private struct Held: ~Copyable {
        var end: (any TunnelEnd)?
    }

    /// No loop watches it, so that whoever takes it is its only user.
    private let held: Mutex<Held>
    private let first: [UInt8]

    /// - Parameter first: what the server sent behind its head.
    init(_ transport: sending Transport, _ first: [UInt8]) {
        held = Mutex(Held(end: transport))
        self.first = first
    }

    deinit { held.withLock { $0.end.take() }?.close() }

    /// Joins the connection to that of the caller's exchange.
    func take(_ exchange: Exchange, _ response: Response) {
        guard let end = held.withLock({ $0.end.take() }) else { return }
        exchange.tunnel(response.headers, to: end, first: first)
    }
}

extension Transport: TunnelEnd {}
