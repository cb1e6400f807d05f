/// Where a request goes, and how it gets there.
package struct Origin: Sendable, Hashable {
    /// `http://127.0.0.1:5173`, without a slash at the end.
    package var url: String
    /// The path of the Unix socket behind which it listens, if it does.
    package var unixSocket: String?
    /// Whether its certificate is taken unseen.
    package var isInsecure = false
    /// A file of certificates (PEM) to believe in place of the system's.
    package var certificates: String?

    /// Makes an origin.
    package init(
        url: String, unixSocket: String? = nil, isInsecure: Bool = false, certificates: String? = nil
    ) {
        self.url = url
        self.unixSocket = unixSocket
        self.isInsecure = isInsecure
        self.certificates = certificates
    }

    /// Whether the way there is encrypted.
    package var isSecure: Bool { url.hasPrefix("https:") }
}
