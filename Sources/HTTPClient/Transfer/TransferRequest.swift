package import HTTPTypes

/// A request to another server.
package struct TransferRequest: Sendable {
    /// The body, as its framing needs it.
    package enum Body: Sendable {
        /// No body, and no header field about one.
        case none
        case bytes([UInt8])
        /// Fetched in parts by ``TransferOwner/fill(_:)``; chunked where the length is not known.
        case stream(length: Int?)
    }

    /// The server.
    package var origin: Origin
    /// The method.
    package var method: HTTPRequest.Method
    /// The request target, sent as it is.
    package var target: String
    /// The header fields, without `Host`, `Connection`, `Upgrade` and what frames the body.
    package var fields: HTTPFields
    /// The `Host` field.
    package var host: String
    /// The body.
    package var body: Body
    /// How many milliseconds connecting may take.
    package var connectLimit: Int
    /// How many milliseconds the server may be silent while it is waited for: before the head of its answer, within
    /// the body, and where it does not read the request.
    package var silenceLimit: Int
    /// The protocol in which the connection is to go on (RFC 9110, section 7.8); nil for HTTP.
    package var upgrade: String?

    package init(
        _ origin: Origin, _ method: HTTPRequest.Method, _ target: String, host: String, fields: HTTPFields,
        body: Body, connectLimit: Int, silenceLimit: Int, upgrade: String? = nil
    ) {
        self.origin = origin
        self.method = method
        self.target = target
        self.host = host
        self.fields = fields
        self.body = body
        self.connectLimit = connectLimit
        self.silenceLimit = silenceLimit
        self.upgrade = upgrade
    }

    /// Whether it may be sent again when the connection closed before an answer came (RFC 9110, section 9.2.2).
    package var isIdempotent: Bool {
        switch method {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }
}
