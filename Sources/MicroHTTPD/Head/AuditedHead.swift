package import HTTPTypes
import Synchronization

/// A head as the audit found it.
///
/// Its parts are apart, and no `HTTPRequest`, because most of them are looked at once and making one costs more than
/// finding them. One object may be the head of many requests of a loop (``KnownHeads``). All of it is constant; the
/// digest, from the first one on.
package final class AuditedHead: Sendable {
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

    /// What whoever answers has made of it; nil before.
    package var digest: (any AnyObject & Sendable)? { made.withLock { $0 } }

    private let made = Mutex<(any AnyObject & Sendable)?>(nil)

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

    /// Keeps what whoever answers has made of it; of several the first.
    package func keep(_ digest: any AnyObject & Sendable) { made.withLock { $0 = $0 ?? digest } }

    package var request: HTTPRequest {
        HTTPRequest(
            method: method, scheme: scheme, authority: authority, path: target, headerFields: headers)
    }
}
