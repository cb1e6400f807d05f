package import HTTPTypes

/// A head as the audit found it.
package struct AuditedHead: Sendable {
    /// How the end of the body is found (RFC 9112, section 6).
    package enum Framing: Sendable, Equatable {
        case none
        case length(Int)
        case chunked
    }

    package var request: HTTPRequest
    package var isAbsoluteForm = false
    package var framing = Framing.none
    package var expectsContinue = false
}
