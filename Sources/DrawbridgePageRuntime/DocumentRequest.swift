/// What a browser will do with the response: show it as a page, or hand it to a script.
package enum DocumentRequest {
    /// A page, in a window or in a frame.
    case page
    /// Data for a script, an image, or another resource of a page.
    case other
    /// A request that a service worker makes by itself; it may later answer pages from its cache.
    case worker
    /// Unknown: a program, or a script of a page without TLS, for which browsers send no `Sec-Fetch-Dest`.
    case unknown

    /// - Parameter workers: tells whether a path is that of a known service worker's script.
    package init(_ request: Request, workers: (String) -> Bool = { _ in false }) {
        let headers = request.headers
        if let destination = headers.value(.secFetchDest) {
            switch destination {
            case "document", "iframe", "frame", "fencedframe": self = .page
            case "embed", "object": self = Self.isNavigation(headers) ? .page : .other
            case "empty" where Self.isNavigation(headers): self = .page
            case "empty" where headers.value(.referer).map { workers(Target.path(ofURL: $0)) } == true:
                self = .worker
            default: self = .other
            }
        } else if headers.value(.xRequestedWith)?.lowercased() == "xmlhttprequest" {
            self = .other
        } else if let origin = headers.value(.origin), origin != request.ownOrigin {
            // The upstream may allow a page of another origin to read the response (CORS): it must not see the page token
            // in the tag.
            self = .other
        } else {
            self = headers.value(.accept)?.lowercased().contains("text/html") == true ? .page : .unknown
        }
    }

    /// Whether it is a navigation; if a service worker passes it on, only the mode is left of it (Chromium), or the
    /// header fields of a page request (Firefox).
    private static func isNavigation(_ headers: HTTPFields) -> Bool {
        headers.value(.secFetchMode) == "navigate"
            || headers.contains(.upgradeInsecureRequests)
                && headers.value(.accept)?.lowercased().contains("text/html") == true
    }
}
