import DrawbridgeDocuments
import DrawbridgeMessages
import HTTPGrammar

/// What the page runtime needs of a page's policies: its own script and its channel.
struct RuntimeAccess: Sendable {
    /// The nonce for the tag; nil where no policy works with nonces.
    ///
    /// It is one for all policies of the header fields. Those of `<meta>` elements do not apply to the tag, which comes
    /// before them.
    let nonce: String?

    /// Whether the nonce was made for this answer, as the page has none.
    let hasOwnNonce: Bool

    /// The WebSocket origin of the page: `ws://localhost:8080`.
    private let socket: String?

    /// Chooses the nonce: the page's own, or a new one where a policy lets nothing else in.
    init(_ policies: [ContentSecurityPolicy], socket: String?) {
        let found = policies.lazy.compactMap(\.nonce).first
        hasOwnNonce = found == nil && policies.contains(where: \.isDynamic)
        nonce = hasOwnNonce ? .random128() : found
        self.socket = socket
    }

    /// The policies of a field or of a `<meta>` with what is missing added; nil where nothing is.
    func opened(_ text: [UInt8]) -> [UInt8]? {
        var policies = ContentSecurityPolicy.list(text)
        for index in policies.indices {
            policies[index].allowScript(nonce: nonce)
            policies[index].allowConnection(socket: socket)
        }
        let opened = policies.text
        return opened == text ? nil : opened
    }
}

extension Request {
    /// The WebSocket origin of its page; nil for a host that no policy can name (an IPv6 address cannot be named).
    var socketOrigin: String? {
        guard let site, !site.isIPv6,
            site.host.utf8.allSatisfy({ $0.isWord || "-.".utf8.contains($0) })
        else { return nil }
        let port = site.port.map { ":\($0)" } ?? ""
        return "\(scheme == "https" ? "wss" : "ws")://\(site.host)\(port)"
    }
}
