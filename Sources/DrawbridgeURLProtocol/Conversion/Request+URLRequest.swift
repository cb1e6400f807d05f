import Drawbridge
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Request {
    /// A request made of Foundation's; nil for one that is not http or https.
    init?(_ request: URLRequest) {
        guard let url = request.url, let scheme = url.scheme?.lowercased(),
            scheme == "http" || scheme == "https", url.host?.isEmpty == false,
            let method = HTTPRequest.Method(request.httpMethod ?? "GET")
        else { return nil }
        // The target is cut from the URL's text: `url.path` would decode it, and it would be encoded anew.
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

    /// The request to which this one is redirected, if it is for the same host; it keeps caller, id and cookies.
    func redirected(to newRequest: URLRequest) -> Request? {
        guard let new = Request(newRequest), new.head.scheme == head.scheme,
            new.head.authority?.lowercased() == head.authority?.lowercased()
        else { return nil }
        var request = self
        let cookies = headers[values: .cookie]
        request.head = new.head
        request.body = new.body
        if !request.headers.contains(.cookie) { request.headers[values: .cookie] = cookies }
        return request
    }
}
