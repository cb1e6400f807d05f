import Drawbridge
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Request {
    /// Converts a `URLRequest`; nil unless its URL is http or https.
    init?(_ request: URLRequest) {
        guard let url = request.url, let scheme = url.scheme?.lowercased(),
            scheme == "http" || scheme == "https", url.host?.isEmpty == false,
            let method = HTTPRequest.Method(request.httpMethod ?? "GET")
        else { return nil }
        // Taken from the URL's text, because `url.path` is decoded, and encoding it again could change it.
        let rest = url.absoluteString.dropFirst(scheme.count + "://".count)
        let authority = rest.prefix { !"/?#".contains($0) }
        let target = rest.dropFirst(authority.count).prefix { $0 != "#" }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        var head = HTTPRequest(
            method: method, scheme: scheme, authority: String(host),
            path: target.hasPrefix("/") ? String(target) : "/\(target)")
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            guard let name = HTTPField.Name(name) else { continue }
            head.headerFields.append(HTTPField(name: name, value: value))
        }
        let body: Body =
            if let stream = request.httpBodyStream { Body(InputStreamChunks(stream)) } else {
                Body(request.httpBody.map(Array.init) ?? [])
            }
        self.init(head: head, body: body)
    }
}

extension URLRequest {
    /// Converts a request, with its body if all of it is in memory; nil if the target does not make a valid URL.
    init?(_ request: Request) {
        let head = request.head
        guard let target = head.path, target.hasPrefix("/"),
            let url = URL(string: "\(head.scheme ?? "http")://\(head.authority ?? "localhost")\(target)")
        else { return nil }
        let own = PropertyKeepingRequest(url: url)
        own.httpMethod = head.method.rawValue
        for field in head.headerFields where field.name != .cookie {
            own.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        // Joined with semicolons (RFC 9113, section 8.2.3), since Foundation would join the fields with commas.
        let cookies = head.headerFields[values: .cookie]
        if !cookies.isEmpty { own.setValue(cookies.joined(separator: "; "), forHTTPHeaderField: "Cookie") }
        if let bytes = request.body.bytes, !bytes.isEmpty { own.httpBody = Data(bytes) }
        self = own as URLRequest
    }

    /// Converts a request; a body up to the gateway's limit for collected bodies becomes `Data`, a larger one a stream.
    ///
    /// - Throws: an `HTTPError` 400 if the target does not make a valid URL; the errors of reading the body.
    init(collecting request: Request) async throws {
        guard var whole = URLRequest(request) else {
            throw HTTPError(.badRequest, "\(request.path) is not a valid URL: percent-encode it")
        }
        if request.body.bytes == nil {
            let limit = request.answerer?.bodyLimit ?? Request.Body.usualLimit
            var chunks = request.body.makeAsyncIterator()
            var bytes: [UInt8] = []
            while bytes.count <= limit, let chunk = try await chunks.next() { bytes += chunk }
            if bytes.count > limit {
                whole.httpBodyStream = BodyStream(bytes, then: chunks)
            } else if !bytes.isEmpty {
                whole.httpBody = Data(bytes)
            }
        }
        self = whole
    }
}
