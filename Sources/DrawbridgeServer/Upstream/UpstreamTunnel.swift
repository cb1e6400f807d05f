import Curl
import Drawbridge
import EventLoop
import MicroHTTPD

/// A connection to a server that has agreed to go on with bytes, until somebody takes it.
///
/// It is touched on its loop's thread only: that makes it Sendable.
final class UpstreamTunnel: Response.Upgrade, @unchecked Sendable {
    private let loop: Loop
    private var end: (any TunnelEnd)?
    private let first: [UInt8]

    init(_ end: any TunnelEnd, _ first: [UInt8], on loop: Loop) {
        self.end = end
        self.first = first
        self.loop = loop
    }

    deinit {
        guard let end else { return }
        let left = UncheckedEnd(end: end)
        loop.perform { left.end.close() }
    }

    /// Gives it to the caller, by whose exchange it was asked for.
    func take(_ exchange: Exchange, _ response: Response) {
        guard let end else { return }
        self.end = nil
        exchange.tunnel(response.headers, to: end, first: first)
    }
}

/// An end on its way to its loop, where alone it is used; nobody else has it any more: that makes it Sendable.
private struct UncheckedEnd: @unchecked Sendable {
    let end: any TunnelEnd
}
