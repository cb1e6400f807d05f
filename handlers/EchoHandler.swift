import Drawbridge

/// Answers with its own input, of any type.
///
/// ```
/// curl 'http://127.0.0.1:8080/echo?_mobile_bridge=1&message=Hello'
/// {"code":200,"data":{"message":"Hello"},"message":""}
/// ```
public struct EchoHandler: JSONHandler {
    /// Makes a handler; it has no options.
    public init() {}

    /// Returns the input.
    public func handle(_ input: JSON) -> JSON { input }
}
