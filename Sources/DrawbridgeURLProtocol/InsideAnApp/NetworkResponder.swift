import Drawbridge
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests that the gateway inside an app passes through to the network.
///
/// ```swift
/// let gateway = Gateway(passThrough: [.network])
/// ```
///
/// It only sends requests of the app's own sessions, since a request that a server received could return to it
/// endlessly. They are not intercepted again. A response is read completely before it is returned.
public struct NetworkResponder: Responder {
    /// True while a gateway answers a request of a session in this process.
    @TaskLocal static var isInApp = false

    /// A session without the app's protocol classes, so that the gateway is not asked again.
    private static let session = URLSession(configuration: .ephemeral)

    /// Sends the request to the host in its URL; returns nil for a request that did not come from this process.
    ///
    /// - Throws: an `HTTPError` 502 with the description of a `URLError`.
    public func respond(to request: Request) async throws -> Response? {
        guard Self.isInApp else { return nil }
        do {
            let (data, head) = try await Self.session.data(for: try await URLRequest(collecting: request))
            var response = try Response(head, .allowed)
            response.body = .bytes(Array(data))
            return response
        } catch let error as URLError {
            throw HTTPError(.badGateway, "\(request.head.authority ?? "the network"): \(error.words)")
        }
    }
}

extension Responder where Self == NetworkResponder {
    /// A ``NetworkResponder``, to pass requests on to the hosts in their URLs.
    public static var network: Self { NetworkResponder() }
}
