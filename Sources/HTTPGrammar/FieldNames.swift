import HTTPTypes

/// A cache of common field names: constructing an `HTTPField.Name` costs more than parsing the line that has it.
package enum FieldNames {
    private static let usual = [
        "Accept", "Accept-Encoding", "Accept-Language", "Access-Control-Request-Headers",
        "Access-Control-Request-Method", "Authorization", "Cache-Control", "Connection", "Content-Length",
        "Content-Type", "Cookie", "DNT", "Expect", "If-Modified-Since", "If-None-Match", "If-Range", "Origin",
        "Pragma", "Priority", "Range", "Referer", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site",
        "Sec-Fetch-User", "Sec-Purpose", "Transfer-Encoding", "Upgrade-Insecure-Requests", "User-Agent",
        "X-Forwarded-For", "X-Request-Id", "X-Requested-With", "sec-ch-ua", "sec-ch-ua-mobile",
        "sec-ch-ua-platform",
        "Accept-Ranges", "Access-Control-Allow-Credentials", "Access-Control-Allow-Headers",
        "Access-Control-Allow-Methods", "Access-Control-Allow-Origin", "Age", "Content-Disposition",
        "Content-Encoding", "Content-Language", "Content-Location", "Content-Range",
        "Content-Security-Policy",
        "Date", "ETag", "Expires", "Keep-Alive", "Last-Modified", "Link", "Location", "Referrer-Policy",
        "Server",
        "Set-Cookie", "Strict-Transport-Security", "Vary", "Via", "X-Content-Type-Options", "X-Frame-Options",
        "X-Powered-By",
    ]

    /// The names by their lengths.
    private static let table = {
        let names = usual.map { (bytes: Array($0.utf8), name: HTTPField.Name($0)!) }
        return (0..<40).map { count in names.filter { $0.bytes.count == count } }
    }()

    /// The name with these bytes; nil if they are not a token (RFC 9110, section 5.6.2).
    package static func name(_ bytes: UnsafeRawBufferPointer) -> HTTPField.Name? {
        if bytes.count < table.count, let start = bytes.baseAddress {
            for (known, name) in table[bytes.count] where areEqual(known, start, known.count) {
                return name
            }
        }
        return HTTPField.Name(String(decoding: bytes, as: UTF8.self))
    }
}
