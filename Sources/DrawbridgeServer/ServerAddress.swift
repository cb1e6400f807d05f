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

    package init(scheme: String = "http", host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}
