package import HTTPTypes

/// The head of a request, never changed: the copies of a request share it, and so do the requests of a page that sends
/// the same head again.
package final class RequestHead: Sendable {
    let method: HTTPRequest.Method
    let scheme: String
    let authority: String?
    /// What `authority` says; nil where it says nothing, or no host.
    let site: Authority?
    let target: String
    let headers: HTTPFields
    let isAbsoluteForm: Bool

    package init(
        _ method: HTTPRequest.Method, scheme: String, authority: String?, target: String, headers: HTTPFields,
        isAbsoluteForm: Bool = false
    ) {
        self.method = method
        self.scheme = scheme
        self.authority = authority
        site = Authority(authority)
        self.target = target
        self.headers = headers
        self.isAbsoluteForm = isAbsoluteForm
    }

    convenience init(_ head: HTTPRequest, isAbsoluteForm: Bool = false) {
        self.init(
            head.method, scheme: head.scheme ?? "http", authority: head.authority, target: head.path ?? "/",
            headers: head.headerFields, isAbsoluteForm: isAbsoluteForm)
    }

    /// The same with something changed.
    func with(
        method: HTTPRequest.Method? = nil, headers: HTTPFields? = nil, isAbsoluteForm: Bool? = nil
    ) -> RequestHead {
        RequestHead(
            method ?? self.method, scheme: scheme, authority: authority, target: target,
            headers: headers ?? self.headers, isAbsoluteForm: isAbsoluteForm ?? self.isAbsoluteForm)
    }
}
