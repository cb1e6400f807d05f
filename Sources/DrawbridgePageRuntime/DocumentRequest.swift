package import DrawbridgeMessages
import HTTPTypes

/// Whether a browser shows what it asks for as a page, or hands it to a script.
package enum DocumentRequest {
    /// A page, in a window or a frame.
    case page
    /// Data for a script, an image, a part of another page.
    case other
    /// Something that a service worker asks for by itself, and may answer pages with.
    case worker
    /// It does not say: a program, or a script of a page without TLS, where browsers send no `Sec-Fetch-Dest`.
    case unknown

    /// - Parameter workers: the paths of scripts of service workers, as far as they are known.
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
        } else if headers.value(.xRequestedWith)?.lowercased() == "xmlhttprequest"
            || Self.isOfAnotherOrigin(request)
        {
            self = .other
        } else {
            self = headers.value(.accept)?.lowercased().contains("text/html") == true ? .page : .unknown
        }
    }

    /// Whether it is a navigation: of one that a service worker passes on, browsers leave nothing but the mode
    /// (Chromium), or the header fields by which a page is asked for (Firefox).
    private static func isNavigation(_ headers: HTTPFields) -> Bool {
        headers.value(.secFetchMode) == "navigate"
            || headers.contains(.upgradeInsecureRequests)
                && headers.value(.accept)?.lowercased().contains("text/html") == true
    }

    /// True for a request by a page of another origin, whom the upstream may let read the answer (CORS): the tag has
    /// the page token in it, which is not for that page.
    private static func isOfAnotherOrigin(_ request: Request) -> Bool {
        guard let origin = request.headers.value(.origin) else { return false }
        return request.site.map { WebOrigin.of(scheme: request.scheme, $0) } != origin
    }
}
