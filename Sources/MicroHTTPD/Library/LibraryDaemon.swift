import CMicroHTTPD
import Glibc

/// The library's object that serves connections, until ``stop()``; used by one thread, a loop's.
struct LibraryDaemon {
    /// The C callbacks, with the object that each is called with; it must outlive the daemon.
    final class Callbacks {
        let pointer = UnsafeMutablePointer<dbr_callbacks>.allocate(capacity: 1)

        deinit { pointer.deallocate() }
    }

    private let pointer: OpaquePointer

    /// Starts a daemon that works in ``run()`` and is given its connections; nil where the library refuses.
    ///
    /// - Parameters:
    ///   - idleSeconds: how long a connection may be silent; 0 for ever.
    ///   - poolBytes: memory of each connection.
    ///   - isStrict: whether the library checks heads and chunks itself.
    ///   - identity: nil for plain HTTP.
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

    /// Milliseconds after which it has to run even without an event; -1 for never.
    var timeout: Int32 {
        var milliseconds: UInt64 = 0
        guard MHD_get_timeout(pointer, &milliseconds) == .YES else { return -1 }
        return Int32(clamping: milliseconds)
    }

    /// Accepts a connection at a listening socket; returns 0 or `errno`.
    func accept(from listening: Int32) -> Int32 { dbr_accept(pointer, listening) }

    /// Takes a connected socket, a Unix one, which it closes whatever happens.
    func add(_ socket: Int32) {
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNIX)
        MHD_add_connection(pointer, socket, &address, socklen_t(MemoryLayout<sa_family_t>.size))
    }

    /// Ends it with all its connections; aborts the process while one of them is suspended.
    func stop() { MHD_stop_daemon(pointer) }
}
