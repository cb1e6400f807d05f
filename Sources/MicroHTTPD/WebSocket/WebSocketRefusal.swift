package import HTTPTypes

/// Why a request for a WebSocket is refused.
package struct WebSocketRefusal: Error {
    package let status: HTTPResponse.Status
    package let message: String
    /// Further header fields of the answer.
    package let headers: HTTPFields

    init(_ status: HTTPResponse.Status, _ message: String, _ headers: HTTPFields = [:]) {
        self.status = status
        self.message = message
        self.headers = headers
    }
}
