import Drawbridge

/// Where a server listens.
public struct ServerAddress: Sendable, CustomStringConvertible {
    /// `http`, or `https` where it speaks TLS.
    public let scheme: String
    /// The address as numbers.
    public let host: String
    /// The port that it has, also when the system chose it.
    public let port: Int

    /// A URL for people: `http://127.0.0.1:8080`.
    public var description: String { "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// True for an address, or a name that can only mean one, that no other machine can call.
    package var isLoopback: Bool { Authority.isLoopback(address: host) }

    /// True where it is every address of this machine.
    package var isWildcard: Bool { ["0.0.0.0", "::"].contains(host) }

    /// The address for callers on this machine: one can listen at `0.0.0.0` and `::`, but not connect to them.
    package var reachable: ServerAddress {
        isWildcard ? ServerAddress(scheme: scheme, host: "127.0.0.1", port: port) : self
    }

    package init(scheme: String = "http", host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}
