public import Drawbridge
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The network, behind a gateway inside an app: where a handler's request goes that is passed through.
///
/// ```swift
/// let gateway = Gateway(passThrough: [.network])
/// ```
///
/// It sends only requests of the app's own sessions: one that came to a server would come back to it. They are not
/// intercepted again. Answers are read as a whole.
public struct NetworkResponder: Responder {
    /// True while a gateway answers a session of this process.
    @TaskLocal static var isInApp = false

    /// A session apart from the app's, which would ask the gateway again.
    private static let session = URLSession(configuration: .ephemeral)

    /// Makes the responder.
    public init() {}

    /// Sends the request to the host that it names; nil for a request that came from outside.
    ///
    /// - Throws: a 502 with the error's words.
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
    /// Sends what is not for native to the host of its URL, for a gateway inside an app.
    public static var network: Self { NetworkResponder() }
}
