import Drawbridge
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A handler that lets an instance of a `URLProtocol` class answer the request.
final class URLProtocolHandler: Handler {
    private let type: URLProtocol.Type
    private let load: URLProtocolLoad

    init(_ type: URLProtocol.Type) {
        self.type = type
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
            return try redirect(to: newRequest, response)
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

    private func redirect(to newRequest: URLRequest, _ redirectResponse: URLResponse) throws -> Response {
        guard let url = newRequest.url else { throw fault("redirected to no URL") }
        var response = try Response(redirectResponse, .allowed)
        if response.status.kind != .redirection { response.status = .found }
        response.headers[.cacheControl] = nil
        response.headers[.location] = url.absoluteString
        response.body = .empty
        return response
    }

    private func fault(_ words: String) -> HTTPError { HTTPError(.badGateway, "\(type) \(words)") }
}
