package import HTTPTypes

/// A head as the audit found it.
///
/// Its parts are apart, and no `HTTPRequest`, because most of them are looked at once and making one costs more than
/// finding them. One object may be the head of many requests of a loop (``KnownHeads``). All of it is constant but the
/// digest, which is touched on its loop's thread only: that makes it Sendable.
package final class AuditedHead: @unchecked Sendable {
    /// How the end of the body is found (RFC 9112, section 6).
    package enum Framing: Sendable, Equatable {
        case none
        case length(Int)
        case chunked
    }

    package let method: HTTPRequest.Method
    package let scheme: String
    package let authority: String?
    /// Path and query as they were sent.
    package let target: String
    /// Without `Host` and what frames the body.
    package let headers: HTTPFields
    package let isAbsoluteForm: Bool
    /// True for HTTP/1.0.
    package let isOldVersion: Bool
    package let framing: Framing
    package let expectsContinue: Bool

    /// What whoever answers has made of it.
    package var digest: (any AnyObject & Sendable)? {
        get { made }
        set { made = newValue }
    }

    @exclusivity(unchecked) private var made: (any AnyObject & Sendable)?

    init(
        method: HTTPRequest.Method, scheme: String, authority: String?, target: String, headers: HTTPFields,
        isAbsoluteForm: Bool, isOldVersion: Bool, framing: Framing, expectsContinue: Bool
    ) {
        self.method = method
        self.scheme = scheme
        self.authority = authority
        self.target = target
        self.headers = headers
        self.isAbsoluteForm = isAbsoluteForm
        self.isOldVersion = isOldVersion
        self.framing = framing
        self.expectsContinue = expectsContinue
    }

    package var request: HTTPRequest {
        HTTPRequest(
            method: method, scheme: scheme, authority: authority, path: target, headerFields: headers)
    }
}
