/// The engine's limits for requests and connections, with defaults for a local gateway.
public struct Limits: Sendable {
    /// The maximum size of a request target in bytes; a longer one gets a 414.
    ///
    /// RFC 9110, section 4.1, recommends at least 8,000.
    public var target = 8_000

    /// The maximum number of header fields; more get a 431; browsers send about 20.
    public var fields = 100

    /// The time for a head from its first byte; a slower client gets a 408.
    ///
    /// A head usually arrives in one packet. The engine checks this, ``bodyRate`` and ``readRate`` once a second.
    public var headTime = Duration.seconds(10)

    /// The minimum speed of a request body in bytes per second, after ``graceTime``; a slower client gets a 408.
    public var bodyRate = 1 << 10

    /// The minimum speed in bytes per second at which a client reads a response of known length, or is disconnected.
    public var readRate = 1 << 10

    /// The time from the start of a body or a response after which ``bodyRate`` and ``readRate`` apply.
    public var graceTime = Duration.seconds(10)

    /// The time without data after which a connection is closed; in whole seconds, at least one.
    public var idleTime = Duration.seconds(60)

    /// The maximum number of connections; above it, the one that has waited longest for its head is closed.
    ///
    /// Nil: half of the process's limit of open files, so that files and upstreams have the rest. At most 20,000, and
    /// at most as many as a quarter of its memory holds with ``pool`` and 2 KB each.
    public var connections: Int?

    /// How many bytes of a refused request's body are read and dropped, so that the client gets to read the response; a
    /// longer body is cut off.
    public var discarded = 64 << 20

    /// The memory in bytes that all large bodies may use together.
    ///
    /// It counts collected request bodies, unread responses, upstream responses that cannot be sent yet, and data
    /// waiting for pages. A request that does not fit gets a 503 with `Retry-After`. Writes to a stream are counted,
    /// but never fail.
    ///
    /// Nil: a quarter of the process's memory limit (physical memory, address space, cgroups), at least 256 MB.
    public var memoryForBodies: Int?

    /// The memory in bytes for one connection's head and receive buffer; an idle connection keeps it.
    ///
    /// A head that leaves no room for the response's head gets a 431. Cookies are stored twice, with 64 bytes more
    /// each: this default is enough for 15,000 bytes of them in one cookie, 11,000 in cookies of 100 bytes, 5,500 in
    /// cookies of 20.
    public var pool = 32 << 10

    /// All limits have their defaults.
    public init() {}

    /// The defaults, but with `pool` bytes of memory per connection, half of which a request target may use.
    public init(pool: Int) {
        self.pool = pool
        target = max(target, pool / 2)
    }
}
