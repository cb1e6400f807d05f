import Drawbridge
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPURLResponse {
    /// The head of an answer as Foundation has it; fields of one name are joined with commas.
    convenience init?(url: URL, _ response: Response) {
        var fields: [String: String] = [:]
        for field in response.headers {
            fields[field.name.rawName] = response.headers[field.name]
        }
        // As Foundation itself joins them; HTTPCookie takes them apart again.
        let cookies = response.headers[values: .setCookie]
        if !cookies.isEmpty { fields["Set-Cookie"] = cookies.joined(separator: ", ") }
        if let length = response.body.length { fields["Content-Length"] = "\(length)" }
        self.init(url: url, statusCode: response.status.code, httpVersion: "HTTP/1.1", headerFields: fields)
    }
}

extension Response {
    /// Whether a session may cache it.
    var storagePolicy: URLCache.StoragePolicy {
        headers[.cacheControl]?.lowercased().contains("no-store") == true ? .notAllowed : .allowed
    }
}
