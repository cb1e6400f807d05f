import HTTPClient
import MicroHTTPD
import Synchronization

/// The body of an upstream's response, for the core; releasing it cancels the fetch.
final class UpstreamBody: Response.Source {
    let length: Int?
    private let fetch: UpstreamFetch

    private init(_ fetch: UpstreamFetch, length: Int?) {
        self.fetch = fetch
        self.length = length
    }

    deinit { fetch.cancel() }

    static func of(
        _ fetch: UpstreamFetch, _ beginning: UpstreamFetch.Beginning, to request: Request
    ) -> Response.Body {
        switch beginning.head.status {
        case .noContent, .resetContent, .notModified:
            // These responses have no body (RFC 9110, section 15), whatever the upstream sends.
            fetch.cancel()
            return .empty
        default: break
        }
        // HEAD has no body, but its `Content-Length` must be kept, which a source can do.
        if let body = beginning.body, request.method != .head { return .bytes(body) }
        return .init(.source(UpstreamBody(fetch, length: beginning.head.contentLength)))
    }

    func write(to client: Client) async throws {
        while let chunk = try await fetch.chunk() { try await client.didLoad(chunk) }
    }

    /// Lets the engine read the body on its loop, without a task; returns false if that is impossible.
    ///
    /// - Parameter whenFetched: called at the end with the number of bytes. This object is retained until then.
    func send(
        _ head: HTTPResponse, to exchange: Exchange, whenFetched: @escaping (_ bytes: Int) -> Void
    ) -> Bool {
        // The engine can only read a body on the loop of its exchange.
        guard exchange.loop.isCurrent, fetch.loop === exchange.loop else { return false }
        fetch.send(head, length: length, to: exchange) { bytes in
            whenFetched(bytes)
            withExtendedLifetime(self) {}
        }
        return true
    }
}

/// An upstream's connection after a 101, until it is joined to the client's.
final class UpstreamTunnel: Response.Upgrade {
    /// The connection; nil after `take`; no loop watches it here.
    private let held: Mutex<(any TunnelEnd)?>
    private let first: [UInt8]

    /// - Parameter first: bytes that the upstream sent after its head.
    init(_ end: sending any TunnelEnd, _ first: [UInt8]) {
        held = Mutex(end)
        self.first = first
    }

    deinit { held.withLock { $0.take() }?.close() }

    func take(_ exchange: Exchange, _ response: Response) {
        guard let end = held.withLock({ $0.take() }) else { return }
        exchange.tunnel(response.headers, to: end, first: first)
    }
}
