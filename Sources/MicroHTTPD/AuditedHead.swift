package import HTTPTypes

/// A head as the audit found it.
///
/// Its parts are apart, and no `HTTPRequest`, because most of them are looked at once and making one costs more than
/// finding them.
package struct AuditedHead: Sendable {
    /// How the end of the body is found (RFC 9112, section 6).
    package enum Framing: Sendable, Equatable {
        case none
        case length(Int)
        case chunked
    }

    package var method: HTTPRequest.Method
    package var scheme: String
    package var authority: String?
    /// Path and query as they were sent.
    package var target: String
    /// Without `Host` and what frames the body.
    package var headers: HTTPFields
    package var isAbsoluteForm = false
    package var framing = Framing.none
    package var expectsContinue = false

    package var request: HTTPRequest {
        HTTPRequest(
            method: method, scheme: scheme, authority: authority, path: target, headerFields: headers)
    }
}
