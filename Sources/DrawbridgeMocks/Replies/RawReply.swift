/// An HTTP response that is sent without an envelope: the value of `$response`.
///
/// A callback of the page gets the body as its value, or as an error if the status is 400 or more.
package struct RawReply: Sendable {
    package enum Body: Sendable {
        case none
        case json(Template)
        case text(String)
        case file(AnswerFile)
    }

    package let status: Int
    package let headers: HTTPFields
    package let body: Body

    var looksAtInput: Bool { if case .json(let template) = body { template.looksAtInput } else { false } }

    /// Header fields that no reply may set: the gateway or the connection sets them, or they affect other responses.
    static let refused: Set<String> = [
        "connection", "content-length", "date", "host", "keep-alive", "proxy-authenticate",
        "proxy-authorization", "refresh", "service-worker-allowed", "strict-transport-security", "te",
        "trailer", "transfer-encoding", "upgrade", "via", "x-request-id", "clear-site-data",
    ]
    static let refusedBeginnings = ["access-control-", "cross-origin-", "x-drawbridge-"]

    static func isRefused(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return refused.contains(name) || refusedBeginnings.contains(where: name.hasPrefix)
    }

    /// Media types that a browser displays or saves without executing anything in them.
    private static let isInert: Set<String> = [
        "application/json", "application/octet-stream", "application/pdf", "audio/mpeg", "font/woff2",
        "image/gif", "image/jpeg", "image/png", "image/webp", "text/css", "text/csv", "text/plain",
        "video/mp4",
    ]

    /// Whether a browser may execute a document of this `Content-Type`; true for any type not known to be inert.
    package func runs(as type: String) -> Bool {
        let name = type.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type.contains(",") || !Self.isInert.contains(name)
    }
}
