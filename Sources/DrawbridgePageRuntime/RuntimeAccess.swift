import DrawbridgeDocuments

/// Additions to a page's Content-Security-Policy that allow the page runtime's script and its WebSocket.
struct RuntimeAccess: Sendable {
    /// The nonce for the tag; nil if no policy uses nonces.
    ///
    /// One nonce serves all policies of the header fields. Those of `<meta>` elements do not apply: the tag precedes them.
    let nonce: String?

    /// Whether the nonce was made for this response because the page's policies have none.
    let hasOwnNonce: Bool

    /// The WebSocket origin of the page: `ws://localhost:8080`.
    private let socket: String?

    /// Uses the page's own nonce; makes a new one if there is none but a policy allows scripts only by nonce.
    init(_ policies: [ContentSecurityPolicy], socket: String?) {
        let found = policies.lazy.compactMap(\.nonce).first
        hasOwnNonce = found == nil && policies.contains(where: \.isDynamic)
        nonce = hasOwnNonce ? .random128() : found
        self.socket = socket
    }

    /// The policies of a header field or `<meta>` with the additions; nil if nothing has to be added.
    func opened(_ text: [UInt8]) -> [UInt8]? {
        var policies = ContentSecurityPolicy.list(text)
        for index in policies.indices {
            policies[index].allowScript(nonce: nonce)
            policies[index].allowTrustedTypes()
            policies[index].allowConnection(socket: socket)
        }
        let opened = policies.text
        return opened == text ? nil : opened
    }
}

extension Request {
    /// The page's WebSocket origin; nil for an IPv6 host, which a policy cannot name.
    var socketOrigin: String? {
        guard let site, !site.isIPv6,
            site.host.utf8.allSatisfy({ $0.isWord || "-.".utf8.contains($0) })
        else { return nil }
        return ownOrigin.map { "ws\($0.dropFirst(4))" }
    }
}
