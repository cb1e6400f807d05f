package import HTTPTypes

/// The head of an upstream's response, as ``ResponseHeadReader`` found it.
package struct ResponseHead: Sendable {
    /// The code, with the reason as it was sent.
    package let status: HTTPResponse.Status
    /// True for HTTP/1.0.
    package let isOldVersion: Bool
    /// All fields in their order, those that frame the body too.
    package let fields: HTTPFields
    /// The length of the body, or of the one that a HEAD is not sent; nil where none is given.
    package let contentLength: Int?
    /// Whether the body comes in chunks.
    package let isChunked: Bool
}
