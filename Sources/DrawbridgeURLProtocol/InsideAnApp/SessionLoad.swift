import Drawbridge
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request of a session, answered by a gateway.
///
/// Its state changes under the lock only, and of the protocol only constants and the client are used: that makes it
/// Sendable. A call of the client may stop the load before it returns, so the lock is
/// recursive.
final class SessionLoad: @unchecked Sendable {
    private let urlProtocol: URLProtocol
    private let lock = NSRecursiveLock()
    private var isOver = false
    private var task: Task<Void, Never>?

    init(_ urlProtocol: URLProtocol) { self.urlProtocol = urlProtocol }

    func start(_ gateway: Gateway?) {
        lock.withLock {
            task = Task { [self] in
                do {
                    try await respond(by: gateway)
                } catch {
                    end { $0.urlProtocol(urlProtocol, didFailWithError: error) }
                }
            }
        }
    }

    /// Cancels the handler; the session is told nothing any more.
    func stop() {
        let task = lock.withLock {
            isOver = true
            return self.task.take()
        }
        task?.cancel()
    }

    private func respond(by gateway: Gateway?) async throws {
        #if canImport(FoundationNetworking)
        try checkTask()
        #endif
        guard let gateway, let url = urlProtocol.request.url, var request = Request(urlProtocol.request)
        else {
            throw URLError(.resourceUnavailable)
        }
        request.isFromApp = true
        let response = await NetworkResponder.$isInApp.withValue(true) { await gateway.respond(to: request) }
        guard let head = HTTPURLResponse(url: url, response) else { throw URLError(.badServerResponse) }
        #if !canImport(FoundationNetworking)
        // Not on Linux, where this call ends the process: there a session gets the redirect as a response.
        if let newRequest = urlProtocol.request.redirected(by: head) {
            return end { $0.urlProtocol(urlProtocol, wasRedirectedTo: newRequest, redirectResponse: head) }
        }
        #endif
        try tell { $0.urlProtocol(urlProtocol, didReceive: head, cacheStoragePolicy: response.storagePolicy) }
        try await send(response.body)
        end { $0.urlProtocolDidFinishLoading(urlProtocol) }
    }

    private func send(_ body: Response.Body) async throws {
        guard takesParts else {
            let bytes = try await body.collect(upTo: .max)
            if !bytes.isEmpty { try tell { $0.urlProtocol(urlProtocol, didLoad: Data(bytes)) } }
            return
        }
        let client = Client { [self] chunk in
            try tell { $0.urlProtocol(urlProtocol, didLoad: Data(chunk)) }
        }
        defer { client.finish() }
        try await body.write(to: client)
    }

    /// Calls the session's client, unless the load is over.
    private func tell(_ message: (any URLProtocolClient) -> Void) throws {
        try lock.withLock {
            guard !isOver, let client = urlProtocol.client else { throw CancellationError() }
            message(client)
        }
    }

    /// Ends the load by a last call of the session's client.
    private func end(_ message: (any URLProtocolClient) -> Void) {
        lock.withLock {
            guard !isOver else { return }
            isOver = true
            task = nil
            if let client = urlProtocol.client { message(client) }
        }
    }
}

#if canImport(FoundationNetworking)
// The limits of `URLProtocol` in Foundation on Linux.
extension SessionLoad {
    /// Whether the session takes data in parts: a completion handler would get the last part alone.
    ///
    /// A task whose session has a delegate may have a completion handler besides, and nothing shows it.
    private var takesParts: Bool { urlProtocol.task?.delegate != nil }

    /// Refuses download tasks, which would get no file, and upload tasks, whose body cannot be read.
    private func checkTask() throws {
        let task = urlProtocol.task
        if task is URLSessionDownloadTask {
            throw URLError.onLinux("download tasks take nothing from a URLProtocol: use a data task")
        }
        if task is URLSessionUploadTask, urlProtocol.request.httpBody == nil {
            throw URLError.onLinux(
                "upload tasks show their body to no URLProtocol: use a data task, and httpBody")
        }
    }
}

extension URLError {
    fileprivate static func onLinux(_ words: String) -> URLError {
        URLError(
            .unsupportedURL, userInfo: [NSLocalizedDescriptionKey: "with Foundation on Linux, \(words)"])
    }
}
#else
extension SessionLoad {
    private var takesParts: Bool { true }
}

extension URLRequest {
    /// The request that follows a redirect; nil where a response is not one (Fetch, "HTTP-redirect fetch").
    fileprivate func redirected(by response: HTTPURLResponse) -> URLRequest? {
        guard [301, 302, 303, 307, 308].contains(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"),
            let target = URL(string: location, relativeTo: url)
        else { return nil }
        var request = self
        request.url = target.absoluteURL
        if response.statusCode == 303 || response.statusCode < 303 && httpMethod == "POST" {
            request.httpMethod = "GET"
            request.httpBody = nil
        }
        return request
    }
}
#endif
