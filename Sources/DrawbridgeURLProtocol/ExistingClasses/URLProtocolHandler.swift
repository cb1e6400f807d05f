import Drawbridge
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A handler that lets an instance of a `URLProtocol` class answer the request.
final class URLProtocolHandler: Handler {
    private let type: URLProtocol.Type
    private let redirects: Gateway.Redirects
    private let load: URLProtocolLoad

    @TaskLocal private static var redirections = 0

    /// The number of redirects that browsers follow (Fetch, "HTTP-redirect fetch").
    private static let redirectionLimit = 20

    init(_ type: URLProtocol.Type, _ redirects: Gateway.Redirects) {
        self.type = type
        self.redirects = redirects
        load = URLProtocolLoad(type)
    }

    // Needed if the response was dropped, by middleware for instance, so that its body is never read to the end.
    deinit { load.stop() }

    func stopLoading() { load.stop() }

    func handle(_ request: Request) async throws -> Response {
        load.start(try await URLRequest(collecting: request))
        switch try await next() {
        case .received(let response, let policy):
            return try await loaded(request, try Response(response, policy))
        case .redirected(let newRequest, let response):
            return try await redirect(request, to: newRequest, response)
        case .loaded:
            throw fault("loaded data before it received a response")
        case .finished, .failed, .stopped:
            throw fault("finished without a response")
        }
    }

    private func loaded(_ request: Request, _ head: Response) async throws -> Response {
        var response = head
        let length = head.body.length
        if request.method == .head || !response.status.hasBody {
            while case .loaded = try await next() {}
            if request.method == .head { response.body = .stream(length: length) { _ in } }
            return response
        }
        response.body = .stream(length: length) { client in
            defer { self.load.stop() }
            while case .loaded(let chunk) = try await self.next() { try await client.didLoad(chunk) }
        }
        return response
    }

    /// The next event of the load.
    ///
    /// - Throws: an `HTTPError` if the load has failed; a `CancellationError` if it was stopped.
    private func next() async throws -> URLProtocolLoad.Event {
        let event = await load.next()
        switch event {
        case .failed(let error): throw error as? HTTPError ?? fault("failed: \(error.words)")
        case .stopped: throw CancellationError()
        default: return event
        }
    }

    private func redirect(
        _ request: Request, to newRequest: URLRequest, _ redirectResponse: URLResponse
    ) async throws -> Response {
        guard let url = newRequest.url else { throw fault("redirected to no URL") }
        if redirects == .followed, let next = request.redirected(to: newRequest),
            let answerer = request.answerer
        {
            let count = Self.redirections + 1
            guard count <= Self.redirectionLimit else {
                throw fault("redirected more than \(Self.redirectionLimit) times, at last to \(url)")
            }
            return await Self.$redirections.withValue(count) { await answerer.redirected(to: next) }
        }
        var response = try Response(redirectResponse, .allowed)
        if response.status.kind != .redirection { response.status = .found }
        response.headers[.cacheControl] = nil
        response.headers[.location] = url.absoluteString
        response.body = .empty
        return response
    }

    private func fault(_ words: String) -> HTTPError { HTTPError(.badGateway, "\(type) \(words)") }
}
