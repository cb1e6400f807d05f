package import HTTPTypes

/// A request that the engine answers by itself, before anybody else sees it.
package struct Refusal: Error, Equatable {
    package var status: HTTPResponse.Status
    package var message: String

    package init(_ status: HTTPResponse.Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// The library has no answer but 101 that makes a tunnel.
    package static let connect = Refusal(.methodNotAllowed, "CONNECT is not taken here")

    static func malformed(_ message: String) -> Refusal { Refusal(.badRequest, message) }
}
