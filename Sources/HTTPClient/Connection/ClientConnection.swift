import EventLoop
import Glibc
import TLS

/// A connection to a server, used for one transfer after another; for its loop's thread only.
///
/// It is watched edge-triggered, and remembers readability and writability until a call returns EAGAIN. So no system
/// calls are needed while the reader is not ready.
final class ClientConnection: Loop.Guest {
    enum Input {
        case bytes(Int)
        case nothing
        case end
        case broken(String)
    }

    private enum Holder {
        /// The pool closes it at its own end; it is told if the server closes the connection or sends data on it.
        case pool(Unmanaged<ConnectionPool>, since: Int)
        case transfer(Transfer)
        /// New, closed, or released.
        case nobody
    }

    private struct State {
        var isLoggedIn = false
        var holder = Holder.nobody
        /// The idle time in milliseconds after which the connection is not used again.
        var idleLimit = ClientConnection.usualIdleLimit
        var canRead = false
        var canWrite = true
        /// True if the server has closed its direction; its last bytes, and then the end, are still to be read.
        var hasPeerLeft = false
    }

    /// The idle time in milliseconds after which routers may have dropped the connection.
    private static let usualIdleLimit = 118_000
    /// How many milliseconds before the server's keep-alive timeout the connection is given up.
    ///
    /// A request that arrives after the server has closed gets no response.
    private static let margin = 1000

    let origin: Origin
    let address: SocketAddress
    private let socket: WatchedSocket
    private let transport: Transport
    private let own: LoopBound<State>

    /// - Throws: if the socket cannot be watched; then it is closed.
    init(
        _ transport: Transport, _ socket: WatchedSocket, to origin: Origin, at address: SocketAddress,
        on loop: Loop
    ) throws {
        self.transport = transport
        self.socket = socket
        self.origin = origin
        self.address = address
        own = LoopBound(State(), to: loop)
        try socket.watch(for: [.readable, .writable, .closed, .onceEach], self)
    }

    /// Whether the server may know by the connection who asks (RFC 4559, section 6), so that it is its caller's alone.
    var isLoggedIn: Bool {
        get { own.value.isLoggedIn }
        set { own.value.isLoggedIn = newValue }
    }

    var canRead: Bool { own.value.canRead }

    var canWrite: Bool { own.value.canWrite }

    /// Whether the server has closed its direction; the loop may have said so during the last transfer, and says it once.
    var hasPeerLeft: Bool { own.value.hasPeerLeft }

    /// Whether it has been idle so long that the server may be about to close it, or for a shorter time in milliseconds.
    func isOld(at now: Int, limit: Int = .max) -> Bool {
        guard case .pool(_, let since) = own.value.holder else { return false }
        return now - since >= min(limit, own.value.idleLimit)
    }

    /// Sets the server's keep-alive timeout (`Keep-Alive: timeout`).
    func serverKeepsIt(forMilliseconds time: Int) {
        own.value.idleLimit = min(Self.usualIdleLimit, max(0, time - Self.margin))
    }

    /// Whether the server has neither closed the idle connection nor sent data, so that it can be used again.
    var isQuiet: Bool { transport.isQuiet }

    func serve(_ transfer: Transfer) {
        own.value.holder = .transfer(transfer)
        own.value.canRead = false
    }

    func rest(in pool: ConnectionPool, at now: Int) {
        own.value.holder = .pool(.passUnretained(pool), since: now)
    }

    func close() {
        own.value.holder = .nobody
        socket.close()
    }

    /// Gives the transport to the caller, who may watch it on any loop; do not use this object after that.
    func release() -> Transport {
        own.value.holder = .nobody
        socket.release()
        return transport
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Input {
        let count = transport.read(into: buffer)
        guard count > 0 else {
            if count < 0, errno == EAGAIN || errno == EINTR {
                own.value.canRead = errno == EINTR
                return .nothing
            }
            if count < 0 { return .broken(Self.problem(errno)) }
            return transport.wasCutOff
                ? .broken("the connection ended without the close_notify of TLS") : .end
        }
        // Without TLS, a read that does not fill the buffer has emptied the socket.
        own.value.canRead = transport.isEncrypted || count == buffer.count || own.value.hasPeerLeft
        return .bytes(count)
    }

    /// Returns the number of bytes written: 0 if the socket is full, nil if the connection has failed.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let count = transport.write(bytes)
        guard count < 0 else {
            // TLS writes one record per call, so a partial write does not mean that the socket is full.
            own.value.canWrite = transport.isEncrypted || count == bytes.count
            return count
        }
        let code = errno
        own.value.canWrite = code == EINTR
        return code == EAGAIN || code == EINTR ? 0 : nil
    }

    private static func problem(_ code: Int32) -> String {
        code == EPROTO ? "the bytes received are not TLS" : String(cString: strerror(code))
    }

    // MARK: For the loop

    func ready(_ socket: Int32, _ readiness: Readiness) {
        let isReadable = !readiness.isSubset(of: .writable)
        if !readiness.isSubset(of: .usual) { own.value.hasPeerLeft = true }
        if isReadable { own.value.canRead = true }
        if !readiness.isSubset(of: .readable) { own.value.canWrite = true }
        switch own.value.holder {
        case .transfer(let transfer): transfer.goOn()
        case .pool(let pool, _):
            guard isReadable else { return }
            if isQuiet {
                own.value.canRead = false
            } else {
                close()
                pool.takeUnretainedValue().forget(self)
            }
        case .nobody: break
        }
    }
}
