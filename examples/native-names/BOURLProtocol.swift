import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a path leads to; made for each request, and answered by the block, at once or much later.
protocol BORequestHandler: AnyObject, SendableMetatype {
    init()
    func handleURLProtocolRequest(_ request: URLRequest, block: @escaping BOURLProtocol.Block)
}

/// A class as apps have it: it takes every request with the flag, whatever its path, and knows its handlers by itself.
final class BOURLProtocol: URLProtocol {
    typealias Block = @Sendable (_ code: Int, _ message: String, _ data: String?) -> Void

    private static let kBOURLProtocolHandled = "kBOURLProtocolHandled"
    private static let lock = NSLock()
    nonisolated(unsafe) private static var handlers: [String: any BORequestHandler.Type] = [:]

    private var handler: (any BORequestHandler)?

    static func registerHandler(_ type: any BORequestHandler.Type, path: String) {
        lock.withLock { handlers[path] = type }
    }

    static func unregisterHandler(path: String) { _ = lock.withLock { handlers.removeValue(forKey: path) } }

    override class func canInit(with request: URLRequest) -> Bool {
        property(forKey: kBOURLProtocolHandled, in: request) == nil
            && request.url?.absoluteString.contains("_mobile_bridge=1") == true
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let path = request.url?.path,
            let marked = (request as NSURLRequest).mutableCopy() as? NSMutableURLRequest
        else { return answer(400, "No response", nil) }
        Self.setProperty(true, forKey: Self.kBOURLProtocolHandled, in: marked)
        guard let type = Self.lock.withLock({ Self.handlers[path] }) else {
            return answer(400, "No response", nil)
        }
        let handler = type.init()
        self.handler = handler
        // The client takes calls from any thread, and drops those after the end.
        nonisolated(unsafe) let load = self
        handler.handleURLProtocolRequest(marked as URLRequest) { load.answer($0, $1, $2) }
    }

    override func stopLoading() { handler = nil }

    private func answer(_ code: Int, _ message: String, _ data: String?) {
        guard let url = request.url else { return }
        var object: [String: Any] = ["code": code, "message": message]
        object["data"] = data
        let bytes = (try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)) ?? Data()
        let fields = ["Content-Type": "text/json", "Content-Length": "\(bytes.count)"]
        let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)!
        client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: bytes)
        client?.urlProtocolDidFinishLoading(self)
    }
}
