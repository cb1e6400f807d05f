import Drawbridge
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// A request of Foundation's, with its body if that is complete; nil where its target is no URL.
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
        // Cookies are joined with semicolons (RFC 9113, section 8.2.3): Foundation would join the fields with commas.
        let cookies = head.headerFields[values: .cookie]
        if !cookies.isEmpty { own.setValue(cookies.joined(separator: "; "), forHTTPHeaderField: "Cookie") }
        if let bytes = request.body.bytes, !bytes.isEmpty { own.httpBody = Data(bytes) }
        self = own as URLRequest
    }

    /// A request of Foundation's with its body: bytes up to the gateway's limit for collected bodies, else a stream.
    ///
    /// - Throws: a 400 where the target is no URL, and what reading the body throws.
    init(collecting request: Request) async throws {
        guard var whole = URLRequest(request) else {
            throw HTTPError(.badRequest, "\(request.path) is no URL: encode it")
        }
        if request.body.bytes == nil {
            let limit = request.answerer?.bodyLimit ?? Gateway.defaultBodyLimit
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
