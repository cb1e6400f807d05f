package import HTTPTypes

/// Why the engine refuses a request by itself, before a handler sees it.
package struct Refusal: Error, Equatable {
    package let status: HTTPResponse.Status
    package let message: String
    /// Further header fields of the answer.
    package let headers: HTTPFields

    package init(_ status: HTTPResponse.Status, _ message: String, _ headers: HTTPFields = [:]) {
        self.status = status
        self.message = message
        self.headers = headers
    }

    /// CONNECT is refused, since the library can make a tunnel only by a 101.
    package static let connect = notAllowed("CONNECT")

    /// A 405, which lists the allowed methods: all that the engine passes on (RFC 9110, section 15.5.6).
    static func notAllowed(_ method: String) -> Refusal {
        Refusal(
            .methodNotAllowed, "\(method) is not taken here",
            [.allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"])
    }

    static func malformed(_ message: String) -> Refusal { Refusal(.badRequest, message) }
}
