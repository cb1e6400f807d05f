import CMicroHTTPD

/// libmicrohttpd's object that serves connections, until ``stop()``; for its loop's thread only.
struct LibraryDaemon {
    /// The C callbacks, with the object that they get; they must live longer than the daemon.
    final class Callbacks {
        let pointer = UnsafeMutablePointer<dbr_callbacks>.allocate(capacity: 1)

        deinit { pointer.deallocate() }
    }

    private let pointer: OpaquePointer

    /// Starts a daemon without a thread or a listening socket; nil if the library fails.
    ///
    /// - Parameters:
    ///   - idleSeconds: the library's idle timeout; 0 for none.
    ///   - poolBytes: the memory of each connection.
    ///   - isStrict: whether the library checks heads and chunks strictly.
    ///   - identity: certificate and key; nil for plain HTTP.
    init?(
        _ callbacks: Callbacks, connectionLimit: Int, idleSeconds: UInt32 = 0, poolBytes: Int, isStrict: Bool,
        identity: TLSIdentity? = nil
    ) {
        var own = dbr_daemon_settings()
        own.connection_limit = UInt32(connectionLimit)
        own.idle_seconds = idleSeconds
        own.pool_bytes = poolBytes
        own.is_strict = isStrict ? 1 : 0
        let started =
            if let identity {
                identity.withTexts { certificates, key, priorities in
                    own.certificates = certificates
                    own.key = key
                    own.priorities = priorities
                    return dbr_start(callbacks.pointer, own)
                }
            } else {
                dbr_start(callbacks.pointer, own)
            }
        guard let started else { return nil }
        pointer = started
    }

    static var version: String { String(cString: MHD_get_version()) }

    static var hasTLS: Bool { dbr_has_tls() != 0 }

    var descriptor: Int32 { dbr_epoll_descriptor(pointer) }

    func run() { MHD_run(pointer) }

    /// Milliseconds until ``run()`` has to be called even without an event; -1 for never.
    var timeout: Int32 {
        var milliseconds: UInt64 = 0
        guard MHD_get_timeout(pointer, &milliseconds) == .YES else { return -1 }
        return Int32(clamping: milliseconds)
    }

    /// Accepts a connection from a listening socket; returns 0 or an `errno` value.
    func accept(from listening: Int32) -> Int32 { dbr_accept(pointer, listening) }

    /// Adds a connected Unix socket; the library closes it, even if it refuses the connection.
    func add(_ socket: Int32) {
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNIX)
        MHD_add_connection(pointer, socket, &address, socklen_t(MemoryLayout<sa_family_t>.size))
    }

    /// Closes all connections and frees the daemon; it aborts the process if a connection is suspended.
    func stop() { MHD_stop_daemon(pointer) }
}
