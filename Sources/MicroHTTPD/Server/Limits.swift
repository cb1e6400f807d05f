/// What the engine takes from a caller, each with a default that fits a local gateway.
public struct Limits: Sendable {
    /// Bytes of a request target; more is a 414.
    ///
    /// Browsers and caches agree on some 8,000.
    public var target = 8_000

    /// Header fields; more is a 431.
    ///
    /// Browsers send about 20.
    public var fields = 100

    /// The time for a head, counted from its first byte; slower callers get a 408.
    ///
    /// A head fits one packet. The engine looks once a second, at this and the two other times.
    public var headTime = Duration.seconds(10)

    /// Bytes per second that a body must bring, after ``graceTime``; slower callers get a 408.
    public var bodyRate = 1 << 10

    /// Bytes per second that a reader must take of a body with an end; streams have none.
    public var readRate = 1 << 10

    /// The time before a body's or a reader's rate applies.
    public var graceTime = Duration.seconds(10)

    /// How long a connection may be silent, in whole seconds, at least one.
    public var idleTime = Duration.seconds(60)

    /// Connections at a time; at the limit, the one that has waited longest for its head makes room.
    ///
    /// Nil: half of the descriptors that the process may open, so that files and upstreams have the rest; no more
    /// than 20,000, nor than a quarter of its memory holds with the ``pool`` and 2 KB for each.
    public var connections: Int?

    /// Bytes of a refused body that are read and dropped so that the caller sees the answer; a longer one is cut off.
    public var discarded = 64 << 20

    /// Bytes of memory that large bodies may take, all together.
    ///
    /// Those that are collected count, answers that no reader has taken yet, those of servers behind the gateway that
    /// cannot begin yet, and what waits for pages. What does not fit is a 503 with `Retry-After`; what a handler has
    /// written to a stream is counted, and never refused.
    ///
    /// Nil: a quarter of what the process may have (the machine's memory, the limit of its address space, its control
    /// groups), and at least 256 MB.
    public var memoryForBodies: Int?

    /// Bytes of memory for one connection's head and its receive buffer; an idle connection keeps them.
    ///
    /// A head that leaves no room for that of its answer is a 431. Cookies are in it twice, each with 64 bytes more:
    /// this default takes 15,000 bytes of them in one, 11,000 in some of 100 bytes, 5,500 in some of 20.
    public var pool = 32 << 10

    /// The defaults.
    public init() {}

    /// The defaults for connections with so many bytes of memory each, of which a target may take half.
    public init(pool: Int) {
        self.pool = pool
        target = max(target, pool / 2)
    }
}
