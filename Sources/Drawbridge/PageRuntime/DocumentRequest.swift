import HTTPTypes

/// Whether a browser shows what it asks for as a page, or hands it to a script.
enum DocumentRequest {
    /// A page, in a window or a frame.
    case page
    /// Data for a script, an image, a part of another page.
    case other
    /// It does not say: a program, or a script of a page without TLS, where browsers send no `Sec-Fetch-Dest`.
    case unknown

    init(_ request: Request) {
        let headers = request.headers
        if let destination = headers.value(.secFetchDest) {
            self = ["document", "iframe", "frame"].contains(destination) ? .page : .other
        } else if headers.value(.xRequestedWith)?.lowercased() == "xmlhttprequest" {
            self = .other
        } else if Self.isOfAnotherOrigin(request) {
            self = .other
        } else {
            self = headers.value(.accept)?.lowercased().contains("text/html") == true ? .page : .unknown
        }
    }

    /// True for what a page of another site may be let read by the document's own server (CORS): the tag has the page
    /// token in it, and is not for that page.
    private static func isOfAnotherOrigin(_ request: Request) -> Bool {
        guard let origin = request.headers.value(.origin) else { return false }
        return request.site.map { AccessPolicy.origin(scheme: request.scheme, $0) } != origin
    }
}

extension Request {
    /// Whether a browser shows the answer as a page.
    package var isForPage: Bool { DocumentRequest(self) == .page }
}
