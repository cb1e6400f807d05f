import Drawbridge
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request of a `URLSession` that a gateway answers.
///
/// Its state is only changed under the lock, and of the `URLProtocol` it uses only constants and the client: that makes
/// it Sendable. The lock is recursive because the client may stop the load from within a call.
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

    /// Cancels the handler; after that, the session gets no more callbacks.
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
        // On Linux this call crashes the process, so there the session gets the redirect as a response.
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

    /// Ends the load with a final call of the session's client.
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
// Works around limits of `URLProtocol` in Foundation on Linux.
extension SessionLoad {
    /// Whether data can be sent in parts; a completion handler would get only the last part.
    ///
    /// A task with a delegate may have a completion handler too, which cannot be detected.
    private var takesParts: Bool { urlProtocol.task?.delegate != nil }

    /// Throws for download tasks, which would get no file, and for upload tasks whose body cannot be read.
    private func checkTask() throws {
        let task = urlProtocol.task
        if task is URLSessionDownloadTask {
            throw URLError.onLinux("a URLProtocol cannot answer download tasks: use a data task")
        }
        if task is URLSessionUploadTask, urlProtocol.request.httpBody == nil {
            throw URLError.onLinux(
                "a URLProtocol cannot read the body of upload tasks: use a data task with httpBody")
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
    /// The request with which to follow a redirect; nil if the response is none (Fetch, "HTTP-redirect fetch").
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
