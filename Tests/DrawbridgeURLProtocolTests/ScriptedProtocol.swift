import Foundation
import FoundationNetworking
import Synchronization

/// A `URLProtocol` class that does what a test says, at a path of the test's own.
final class ScriptedProtocol: URLProtocol {
    struct Script: Sendable {
        var canonical: @Sendable (URLRequest) -> URLRequest
        var stop: @Sendable (Scripted) -> Void
        var start: @Sendable (Scripted) -> Void
    }

    private static let scripts = Mutex<[String: Script]>([:])

    /// Writes a script.
    ///
    /// - Returns: the path at which it is played.
    static func script(
        canonical: @escaping @Sendable (URLRequest) -> URLRequest = { $0 },
        stop: @escaping @Sendable (Scripted) -> Void = { _ in },
        start: @escaping @Sendable (Scripted) -> Void
    ) -> String {
        scripts.withLock { scripts in
            let path = "/scripted/\(scripts.count)"
            scripts[path] = Script(canonical: canonical, stop: stop, start: start)
            return path
        }
    }

    private static func script(of request: URLRequest) -> Script? {
        request.url.flatMap { url in scripts.withLock { $0[url.path] } }
    }

    override class func canInit(with request: URLRequest) -> Bool { script(of: request) != nil }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        script(of: request)?.canonical(request) ?? request
    }

    override func startLoading() { Self.script(of: request)?.start(Scripted(instance: self)) }

    override func stopLoading() { Self.script(of: request)?.stop(Scripted(instance: self)) }
}

/// An instance in the hands of a test, which calls its client from any thread, and that is all: hence Sendable.
struct Scripted: @unchecked Sendable {
    let instance: ScriptedProtocol

    var request: URLRequest { instance.request }

    func receive(
        _ status: Int = 200, _ fields: [String: String] = [:],
        policy: URLCache.StoragePolicy = .notAllowed
    ) {
        receive(response(status, fields), policy: policy)
    }

    func receive(_ response: URLResponse, policy: URLCache.StoragePolicy = .notAllowed) {
        instance.client?.urlProtocol(instance, didReceive: response, cacheStoragePolicy: policy)
    }

    func load(_ text: String) { load(Data(text.utf8)) }

    func load(_ data: Data) { instance.client?.urlProtocol(instance, didLoad: data) }

    func finish() { instance.client?.urlProtocolDidFinishLoading(instance) }

    func fail(_ error: any Error) { instance.client?.urlProtocol(instance, didFailWithError: error) }

    func redirect(to url: String, _ status: Int = 302) {
        instance.client?.urlProtocol(
            instance, wasRedirectedTo: URLRequest(url: URL(string: url)!),
            redirectResponse: response(status, [:]))
    }

    /// All of a small answer.
    func answer(_ text: String) {
        receive()
        load(text)
        finish()
    }

    private func response(_ status: Int, _ fields: [String: String]) -> HTTPURLResponse {
        HTTPURLResponse(url: request.url!, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)!
    }
}
