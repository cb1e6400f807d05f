/// An error response that the engine sends itself, before a handler gets the request.
package struct Refusal: Error, Equatable {
    package let status: HTTPResponse.Status
    package let message: String
    package let headers: HTTPFields
    /// The request's path, if it was parsed, and whether it is a navigation, so that the error is shown as a page.
    package var (path, isForPage) = ("", false)

    package init(_ status: HTTPResponse.Status, _ message: String, _ headers: HTTPFields = [:]) {
        self.status = status
        self.message = message
        self.headers = headers
    }

    /// A 405 with `Allow`, which lists the methods that the engine accepts (RFC 9110, section 15.5.6).
    static func notAllowed(_ method: String, _ reason: String = "") -> Refusal {
        Refusal(
            .methodNotAllowed, "\(method) is not supported\(reason)",
            [.allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"])
    }

    /// A 431 (or the given status): the head is larger than the connection's memory, `pool` bytes.
    static func tooLong(_ pool: Int, _ status: HTTPResponse.Status = .requestHeaderFieldsTooLarge) -> Self {
        Self(
            status,
            """
            the head does not fit the \(pool >> 10) KB of memory per connection, where cookies count twice; delete \
            cookies, which all projects at localhost share, or open 127.0.0.1 instead, or raise the limit with \
            --memory-per-connection (Limits.pool)
            """)
    }

    static func malformed(_ message: String) -> Refusal { Refusal(.badRequest, message) }
}
