import Drawbridge
import EventLoop
import HTTPClient
import HTTPTypes
import MicroHTTPD

/// The body of a load's answer as the core has it; what nobody reads any more is broken off.
final class UpstreamBody: Response.Source {
    let length: Int?
    private let load: UpstreamLoad

    private init(_ load: UpstreamLoad, length: Int?) {
        self.load = load
        self.length = length
    }

    deinit { load.cancel() }

    /// The body of the answer to a request.
    static func of(
        _ load: UpstreamLoad, _ beginning: UpstreamLoad.Beginning, to request: Request
    ) -> Response.Body {
        switch beginning.head.status {
        case .noContent, .resetContent, .notModified:
            // Whatever it is that a server sends with them.
            load.cancel()
            return .empty
        default: break
        }
        // A length may be all that is known of it.
        if let body = beginning.body, request.method != .head { return .bytes(body) }
        return .source(UpstreamBody(load, length: beginning.head.contentLength))
    }

    func write(to client: Client) async throws {
        while let chunk = try await load.chunk() { try await client.didLoad(chunk) }
    }

    /// Lets the engine fetch it, with no task; returns false where it cannot.
    ///
    /// - Parameter whenFetched: told the number of its bytes, in the end; this is kept until then.
    func send(
        _ head: HTTPResponse, to exchange: Exchange, whenFetched: @escaping (_ bytes: Int) -> Void
    ) -> Bool {
        guard exchange.loop.isCurrent, load.isOn(exchange.loop) else { return false }
        load.send(head, length: length, to: exchange) { bytes in
            whenFetched(bytes)
            withExtendedLifetime(self) {}
        }
        return true
    }
}
