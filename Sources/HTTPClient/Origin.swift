/// The server for a request, and whether by TLS; requests of one origin share connections.
package struct Origin: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        /// A name or an IP address without brackets, and a port.
        case host(String, port: Int)
        case socket(String)
    }

    package enum Trust: Sendable, Hashable {
        /// Those that the system trusts.
        case system
        /// Those in a file (PEM), in place of the system's.
        case file(String)
        /// Any, without verification.
        case anybody
    }

    package let place: Place
    /// Which certificates are trusted; nil without TLS.
    package let trust: Trust?
    /// The hash value, computed once since every request asks for it.
    private let hash: Int

    package init(_ place: Place, trust: Trust? = nil) {
        self.place = place
        self.trust = trust
        var hasher = Hasher()
        hasher.combine(place)
        hasher.combine(trust)
        hash = hasher.finalize()
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
