package import HTTPTypes

/// Why the engine refuses a request by itself, before a handler sees it.
package struct Refusal: Error, Equatable {
    package let status: HTTPResponse.Status
    package let message: String
    package let headers: HTTPFields
    /// The path where that is known, and whether a browser waits for a page.
    package var (path, isForPage) = ("", false)

    package init(_ status: HTTPResponse.Status, _ message: String, _ headers: HTTPFields = [:]) {
        self.status = status
        self.message = message
        self.headers = headers
    }

    /// A 405, which lists the allowed methods: all that the engine passes on (RFC 9110, section 15.5.6).
    static func notAllowed(_ method: String, _ reason: String = "") -> Refusal {
        Refusal(
            .methodNotAllowed, "\(method) is not taken here\(reason)",
            [.allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"])
    }

    /// A head that does not fit the memory of its connection.
    static func tooLong(_ pool: Int, _ status: HTTPResponse.Status = .requestHeaderFieldsTooLarge) -> Self {
        Self(
            status,
            """
            the head does not fit the \(pool >> 10) KB of memory that a connection has, in which cookies count twice; delete \
            cookies, which all projects at localhost share, or open 127.0.0.1 in its place, or raise that with \
            --memory-per-connection (Limits.pool)
            """)
    }

    static func malformed(_ message: String) -> Refusal { Refusal(.badRequest, message) }
}
