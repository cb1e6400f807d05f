import MicroHTTPD

/// Host, port, TLS, limits and log of a server.
public struct ServerConfiguration: Sendable {
    /// The host name or IP address to listen on; by default loopback, which only this machine can reach.
    public var host: String
    /// The port; 0 lets the system choose.
    public var port: Int
    /// Certificate and key for https; nil for http.
    public var tls: TLSIdentity?
    /// Limits for requests and connections.
    public var limits: Limits
    /// The number of threads that serve; nil for one less than there are cores.
    public var loops: Int?
    /// The time that running requests get to finish at a stop.
    public var grace: Duration
    /// Whether each request is logged as one line.
    public var logsRequests: Bool
    /// The kinds of requests that are logged.
    public var logged: Set<LoggedRequests>
    /// Whether the line of a call ends with the ids of its request and page.
    public var logsIDs: Bool
    /// The URL that clients use, if it differs from the address to listen on, as with a proxy: `http://localhost:9090`.
    public var publicURL: String?

    /// Makes a configuration; every parameter has a default.
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

/// The address of a listening server.
public struct ServerAddress: Sendable, CustomStringConvertible {
    /// `http`, or `https` with TLS.
    public let scheme: String
    /// The numeric IP address.
    public let host: String
    /// The actual port, also if the system chose it.
    public let port: Int

    /// The address as a URL: `http://127.0.0.1:8080`.
    public var description: String { "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    package var isLoopback: Bool { host == "localhost" || IPAddress.isLoopback(host) }

    package var isWildcard: Bool { ["0.0.0.0", "::"].contains(host) }

    /// An address for clients on this machine: `127.0.0.1` instead of `0.0.0.0` or `::`, which one cannot connect to.
    package var reachable: ServerAddress {
        isWildcard ? ServerAddress(scheme: scheme, host: "127.0.0.1", port: port) : self
    }

    package init(scheme: String = "http", host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}
