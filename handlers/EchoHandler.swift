public import Drawbridge

/// Answers with its own input, whatever it is.
///
/// ```
/// curl 'http://127.0.0.1:8080/echo?_mobile_bridge=1&message=Hello'
/// {"code":200,"data":{"message":"Hello"},"message":""}
/// ```
public struct EchoHandler: JSONHandler {
    /// Made for each request.
    public init() {}

    /// Gives back what came.
    public func handle(_ input: JSON) -> JSON { input }
}
