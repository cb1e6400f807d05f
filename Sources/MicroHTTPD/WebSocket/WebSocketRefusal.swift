package import HTTPTypes

/// A request for a WebSocket that is answered otherwise.
package struct WebSocketRefusal: Error {
    package let status: HTTPResponse.Status
    package let message: String
    /// What the answer must say besides.
    package let headers: HTTPFields

    init(_ status: HTTPResponse.Status, _ message: String, _ headers: HTTPFields = [:]) {
        self.status = status
        self.message = message
        self.headers = headers
    }
}
