import Drawbridge
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Response {
    /// Converts the head of a `URLResponse`; the body is an empty stream of the announced length.
    ///
    /// Foundation has already decoded the body and removed its framing, so the fields about these are left out, and so
    /// is the length of an encoded body.
    ///
    /// - Throws: an `HTTPError` 502 for a status that cannot end a request, such as 100.
    init(_ response: URLResponse, _ policy: URLCache.StoragePolicy) throws {
        let length: Int?
        if let http = response as? HTTPURLResponse {
            guard (200...599).contains(http.statusCode) else {
                throw HTTPError(.badGateway, "\(http.statusCode) is not a final HTTP status")
            }
            self.init(HTTPResponse.Status(code: http.statusCode), headers: Self.headers(of: http))
            let isEncoded = http.value(forHTTPHeaderField: "Content-Encoding") != nil
            length = isEncoded ? nil : http.value(forHTTPHeaderField: "Content-Length").flatMap { Int($0) }
        } else {
            self.init(headers: Self.headers(of: response))
            // Many `URLProtocol` classes report 0 if they do not know the length.
            length = response.expectedContentLength > 0 ? Int(response.expectedContentLength) : nil
        }
        body = .stream(length: length) { _ in }
        // HTTP cannot express "cache in memory only", so such a response is not cached at all.
        headers[.cacheControl] = policy == .allowed ? headers[.cacheControl] ?? "private" : "no-store"
    }

    private static func headers(of response: URLResponse) -> HTTPFields {
        var headers: HTTPFields = [:]
        headers[.contentType] = response.mimeType.map { type in
            response.textEncodingName.map { "\(type); charset=\($0)" } ?? type
        }
        return headers
    }

    private static func headers(of response: HTTPURLResponse) -> HTTPFields {
        var headers: HTTPFields = [:]
        for (name, value) in response.allHeaderFields {
            guard let name = HTTPField.Name("\(name)"), !ofTheConnection.contains(name) else { continue }
            if name == .setCookie {
                headers[values: name] = cookies("\(value)")
            } else {
                headers.append(HTTPField(name: name, value: "\(value)"))
            }
        }
        return headers
    }

    /// Splits cookies that Foundation has joined with commas; after a comma within a date, no `name=` follows.
    static func cookies(_ joined: String) -> [String] {
        var cookies: [String] = []
        for part in joined.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.drop { $0 == " " }.prefix { $0 != "=" && $0 != ";" }
            let isNew = part.contains("=") && HTTPField.Name(String(name)) != nil
            if isNew || cookies.isEmpty {
                cookies.append(String(part.drop { $0 == " " }))
            } else {
                cookies[cookies.count - 1] += ",\(part)"
            }
        }
        return cookies
    }

    var storagePolicy: URLCache.StoragePolicy {
        headers[.cacheControl]?.lowercased().contains("no-store") == true ? .notAllowed : .allowed
    }

    /// Fields about the other connection (RFC 9110, section 7.6.1), or about an encoding that was already removed.
    private static let ofTheConnection: Set<HTTPField.Name> = [
        .connection, .contentEncoding, .contentLength, .transferEncoding, .te, .trailer, .upgrade,
        HTTPField.Name("Keep-Alive")!, HTTPField.Name("Proxy-Connection")!,
    ]
}

extension HTTPResponse.Status {
    /// Whether a response with this status can have a body (RFC 9110, section 6.4.1).
    var hasBody: Bool { self != .noContent && self != .notModified && kind != .informational }
}

extension Error {
    /// The localized description if there is one, else the error as text.
    var words: String {
        if let words = (self as? any LocalizedError)?.errorDescription { return words }
        let isFoundations = self is any CustomNSError || Swift.type(of: self) is NSError.Type
        return isFoundations ? localizedDescription : "\(self)"
    }
}

extension HTTPURLResponse {
    /// Converts the head of a response; fields of the same name are joined with commas, as Foundation does.
    convenience init?(url: URL, _ response: Response) {
        var fields: [String: String] = [:]
        for field in response.headers {
            fields[field.name.rawName] = response.headers[field.name]
        }
        // Foundation joins cookies with commas too, and `HTTPCookie` splits them again.
        let cookies = response.headers[values: .setCookie]
        if !cookies.isEmpty { fields["Set-Cookie"] = cookies.joined(separator: ", ") }
        if let length = response.body.length { fields["Content-Length"] = "\(length)" }
        self.init(url: url, statusCode: response.status.code, httpVersion: "HTTP/1.1", headerFields: fields)
    }
}
