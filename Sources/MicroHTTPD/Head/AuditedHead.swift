package import HTTPTypes
import Synchronization

/// A head that has passed the audit.
///
/// Its parts are properties and no `HTTPRequest`, because most of them are read once, and making one costs more than
/// reading them. One object may be the head of many requests of a loop (``KnownHeads``). All of it is constant, the
/// digest once it is set.
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

    /// An object that the gateway has made of this head, kept for its next requests; nil before.
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

    /// How many bytes of a connection's memory it leaves for the head of an answer: the library keeps 64 more for each
    /// field and for each cookie, and a copy of the cookies.
    func room(in pool: Int) -> Int {
        let cookies = headers[fields: .cookie].reduce(0) { count, field in
            count + field.value.utf8.reduce(64) { $0 + ($1 == UInt8(ascii: ";") ? 65 : 1) }
        }
        return max(0, pool - headers.bytes - 64 * headers.count - target.utf8.count - cookies - 1024)
    }

    /// Sets the digest, unless there is one already.
    package func keep(_ digest: any AnyObject & Sendable) { made.withLock { $0 = $0 ?? digest } }

    package var request: HTTPRequest {
        HTTPRequest(
            method: method, scheme: scheme, authority: authority, path: target, headerFields: headers)
    }
}
