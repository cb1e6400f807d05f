import Drawbridge
import EventLoop
import HTTPClient
import HTTPTypes
import MicroHTTPD
import Synchronization

/// The body of a fetch's response, for the core; when it is released, the fetch is cancelled.
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
            // Answers with these codes have no body, whatever the server sends behind them.
            fetch.cancel()
            return .empty
        default: break
        }
        // The response to HEAD has no body, but its length, which a source can announce.
        if let body = beginning.body, request.method != .head { return .bytes(body) }
        return .source(UpstreamBody(fetch, length: beginning.head.contentLength))
    }

    func write(to client: Client) async throws {
        while let chunk = try await fetch.chunk() { try await client.didLoad(chunk) }
    }

    /// Lets the engine fetch the body, with no task; returns false where it cannot.
    ///
    /// - Parameter whenFetched: called with the number of bytes at the end; this object is kept until then.
    func send(
        _ head: HTTPResponse, to exchange: Exchange, whenFetched: @escaping (_ bytes: Int) -> Void
    ) -> Bool {
        // The engine can only fetch a body on the loop of its exchange.
        guard exchange.loop.isCurrent, fetch.loop === exchange.loop else { return false }
        fetch.send(head, length: length, to: exchange) { bytes in
            whenFetched(bytes)
            withExtendedLifetime(self) {}
        }
        return true
    }
}

/// A connection to a server that has switched protocols, until it is joined to the caller's.
final class UpstreamTunnel: Response.Upgrade {
    /// No loop watches it, so that whoever takes it is its only user.
    private let held: Mutex<(any TunnelEnd)?>
    private let first: [UInt8]

    /// - Parameter first: what the server sent behind its head.
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
