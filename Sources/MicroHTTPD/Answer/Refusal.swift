package import HTTPTypes

/// Why the engine refuses a request by itself, before a handler sees it.
package struct Refusal: Error, Equatable {
    package var status: HTTPResponse.Status
    package var message: String

    package init(_ status: HTTPResponse.Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// CONNECT is refused, since the library can make a tunnel only by a 101.
    package static let connect = Refusal(.methodNotAllowed, "CONNECT is not taken here")

    static func malformed(_ message: String) -> Refusal { Refusal(.badRequest, message) }
}
