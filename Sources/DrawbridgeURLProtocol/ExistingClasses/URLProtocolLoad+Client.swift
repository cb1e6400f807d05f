import Dispatch
import Drawbridge
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The instance's calls to its client, on any thread.
extension URLProtocolLoad: URLProtocolClient {
    func urlProtocol(
        _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
    ) {
        end(with: .redirected(request, redirectResponse), unlessResponded: true)
    }

    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        receive(response, policy)
    }

    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
        receive(cachedResponse.response, cachedResponse.storagePolicy)
        load(cachedResponse.data)
        end(with: .finished)
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) { load(data) }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { end(with: .finished) }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        end(with: .failed(error))
    }

    /// Continues without a credential, for which nobody can be asked.
    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        challenge.sender?.continueWithoutCredential(for: challenge)
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
}
