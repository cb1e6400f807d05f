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
        } else {
            self = headers.value(.accept)?.lowercased().contains("text/html") == true ? .page : .unknown
        }
    }
}

extension Request {
    /// Whether a browser shows the answer as a page.
    package var isForPage: Bool { DocumentRequest(self) == .page }
}
