import Drawbridge
public import MicroHTTPD

/// Where and how a gateway listens.
public struct ServerConfiguration: Sendable {
    /// A name or an address; loopback by default, so that only this machine can call.
    public var host: String
    /// The port; 0 lets the system choose.
    public var port: Int
    /// The certificate and key to serve https with; nil for http.
    public var tls: TLSIdentity?
    /// What is taken from a caller: sizes, times, connections.
    public var limits: Limits
    /// Threads that serve; by default all cores but one.
    public var loops: Int?
    /// How long running requests may take to finish at a stop.
    public var grace: Duration
    /// Whether each request is logged in one line.
    public var logsRequests: Bool
    /// Whose requests are logged, where any are.
    public var logged: Set<LoggedRequests>
    /// Whether the line of a call ends with the ids of its request and its page, however long it becomes.
    public var logsIDs: Bool
    /// The address that callers use, where it is another one than that it listens on: `http://localhost:9090`.
    public var publicURL: String?

    /// Makes a configuration.
    public init(
        host: String = "127.0.0.1", port: Int = 8080, tls: TLSIdentity? = nil, limits: Limits = Limits(),
        loops: Int? = nil, grace: Duration = .seconds(3), logsRequests: Bool = true,
        logged: Set<LoggedRequests> = Set(LoggedRequests.allCases), logsIDs: Bool = false,
        publicURL: String? = nil
    ) {
        self.host = host
        self.port = port
        self.tls = tls
        self.limits = limits
        self.loops = loops
        self.grace = grace
        self.logsRequests = logsRequests
        self.logged = logged
        self.logsIDs = logsIDs
        self.publicURL = publicURL
    }
}

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
