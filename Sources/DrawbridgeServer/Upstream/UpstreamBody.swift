import Drawbridge
import HTTPTypes

/// The body of a load's answer; what nobody reads any more is broken off.
final class UpstreamBody: Sendable {
    private let load: UpstreamLoad

    init(_ load: UpstreamLoad) { self.load = load }

    deinit { load.cancel() }

    /// The body as the core has it.
    func incoming(_ beginning: UpstreamLoad.Beginning, of request: Request) -> Response.Body {
        switch beginning.head.status {
        case .noContent, .resetContent, .notModified: return .empty
        default: break
        }
        // A length may be all that is known of it.
        if let body = beginning.body, request.method != .head { return .bytes(body) }
        return .stream(length: beginning.head.contentLength) { client in
            while let chunk = try await self.load.chunk() { try await client.didLoad(chunk) }
        }
    }
}
