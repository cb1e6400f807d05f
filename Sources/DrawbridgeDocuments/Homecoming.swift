/// What a server says of its own addresses, as the caller reaches them: by the gateway.
///
/// Header fields are changed on their way; what stands in the head of a page is changed by this.
package protocol Homecoming: Sendable {
    /// A URL or a path; nil where it stays as it is.
    func url(_ text: String) -> String?
    /// What a refresh says: `5; url=/x`.
    func refresh(_ text: String) -> String?
    /// The URLs within a text.
    func urls(in text: [UInt8]) -> [UInt8]?
    /// The policies of a page.
    func policy(_ text: [UInt8]) -> [UInt8]?
}
