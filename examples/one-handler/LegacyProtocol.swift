import Foundation
import FoundationNetworking

/// A class as an app has had it for years, with a path table and handlers of its own; it runs as it is.
///
/// ```sh
/// curl 'http://127.0.0.1:8080/alert?_mobile_bridge=1&title=Hello'
/// ```
final class LegacyProtocol: URLProtocol {
    private static let handlers: [String: any LegacyHandler.Type] = ["/alert": LegacyAlert.self]
    private static let handledKey = "LegacyProtocolHandled"

    private var handler: (any LegacyHandler)?

    override class func canInit(with request: URLRequest) -> Bool {
        guard property(forKey: handledKey, in: request) == nil, let url = request.url else { return false }
        return url.query?.contains("_mobile_bridge=1") == true && handlers[url.path] != nil
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        guard let marked = (request as NSURLRequest).mutableCopy() as? NSMutableURLRequest else {
            return request
        }
        setProperty(true, forKey: handledKey, in: marked)
        return marked as URLRequest
    }

    override func startLoading() {
        guard let url = request.url, let type = Self.handlers[url.path] else { return }
        let handler = type.init()
        self.handler = handler
        handler.run(request) { [self] object in
            let data = (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
            let fields = ["Content-Type": "text/json", "Content-Length": "\(data.count)"]
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)!
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: data)
            client?.urlProtocolDidFinishLoading(self)
        }
    }

    override func stopLoading() { handler = nil }
}

/// What a path leads to; made for each request.
protocol LegacyHandler: Sendable {
    init()
    func run(_ request: URLRequest, completion: @escaping ([String: Any]) -> Void)
}

/// Where the app would show an alert, and answer when a person has tapped on it.
struct LegacyAlert: LegacyHandler {
    func run(_ request: URLRequest, completion: @escaping ([String: Any]) -> Void) {
        completion(["code": 200, "message": "", "data": ["result": "ok"]])
    }
}
