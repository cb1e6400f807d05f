/// Where a request goes, and how it gets there; connections are shared by requests of one origin.
package struct Origin: Sendable, Hashable {
    /// Where something listens.
    package enum Place: Sendable, Hashable {
        /// A name or an IP address without brackets, and a port.
        case host(String, port: Int)
        /// The path of a Unix socket.
        case socket(String)
    }

    /// Whose certificates are believed.
    package enum Trust: Sendable, Hashable {
        /// Those that the system trusts.
        case system
        /// Those in a file (PEM), in place of the system's.
        case file(String)
        /// Anybody's, unseen.
        case anybody
    }

    /// Where it listens.
    package let place: Place
    /// Whose certificates are believed; nil where nothing is encrypted.
    package let trust: Trust?
    /// The hash value, computed once since every request asks for it.
    private let hash: Int

    /// Makes an origin.
    package init(_ place: Place, trust: Trust? = nil) {
        self.place = place
        self.trust = trust
        var hasher = Hasher()
        hasher.combine(place)
        hasher.combine(trust)
        hash = hasher.finalize()
    }

    /// Whether the way there is encrypted.
    package var isSecure: Bool { trust != nil }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
