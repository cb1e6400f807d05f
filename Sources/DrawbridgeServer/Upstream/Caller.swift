/// The sender of a request, for `X-Forwarded-*` and for rewriting addresses in the response.
package struct Caller: Sendable {
    /// Without a port; nil where there is no socket.
    package var address: String?
    /// `http` or `https`.
    package var scheme: String
    /// Host and port as the caller named the gateway; nil where HTTP/1.0 named none.
    package var authority: String?
    package var isOldVersion: Bool

    package init(address: String?, scheme: String, authority: String?, isOldVersion: Bool = false) {
        self.address = address
        self.scheme = scheme
        self.authority = authority
        self.isOldVersion = isOldVersion
    }
}
