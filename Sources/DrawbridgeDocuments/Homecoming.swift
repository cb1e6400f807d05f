/// Rewrites an upstream's own addresses to those by which the caller reaches it, through the gateway.
///
/// This is for what the head of a page says; header fields are rewritten elsewhere.
package protocol Homecoming: Sendable {
    /// Rewrites a URL or a path; nil where it stays as it is.
    func url(_ text: String) -> String?
    /// Rewrites the value of a refresh: `5; url=/x`.
    func refresh(_ text: String) -> String?
    func urls(in text: [UInt8]) -> [UInt8]?
    func policy(_ text: [UInt8]) -> [UInt8]?
}
