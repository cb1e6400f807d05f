import EventLoop
import Glibc

/// A connection to a server, used for one transfer after the other.
///
/// The loop tells it once when there is something to read, or room to write, and it remembers that until there is not:
/// so a reader who waits costs nothing, and neither does one who goes on. It belongs to its loop's thread.
final class ClientConnection: Loop.Guest {
    /// What a read brings.
    enum Input {
        case bytes(Int)
        case nothing
        case end
        /// Why no more comes.
        case broken(String)
    }

    /// Whom it belongs to.
    private enum Holder {
        case pool(since: Int)
        case transfer(Transfer)
        /// It is closed, or somebody else's.
        case nobody
    }

    private struct State {
        var holder = Holder.nobody
        /// For so many milliseconds without use another request may be sent on it.
        var idleLimit = ClientConnection.usualIdleLimit
        var canRead = false
        var canWrite = true
        /// The server has closed its side: behind what it sent there is an end to be read.
        var hasPeerLeft = false
    }

    /// After so many milliseconds without use, a router between here and the server may have forgotten the connection.
    private static let usualIdleLimit = 118_000
    /// So many milliseconds before the server may close the connection, no more requests are sent on it.
    ///
    /// A request that is on its way when the server closes gets no answer.
    private static let margin = 1000

    let origin: Origin
    let address: SocketAddress
    private let socket: WatchedSocket
    private let transport: Transport
    private let pool: ConnectionPool
    private let own: LoopBound<State>

    /// - Parameter pool: told when the server ends the connection, or says something, while nobody uses it.
    /// - Throws: where it cannot be watched; it is closed then.
    init(
        _ transport: Transport, _ socket: WatchedSocket, to origin: Origin, at address: SocketAddress,
        on loop: Loop, for pool: ConnectionPool
    ) throws {
        self.transport = transport
        self.socket = socket
        self.origin = origin
        self.address = address
        self.pool = pool
        own = LoopBound(State(), to: loop)
        try socket.watch(for: [.readable, .writable, .closed, .onceEach], self)
    }

    var canRead: Bool { own.value.canRead }

    var canWrite: Bool { own.value.canWrite }

    /// Whether nobody has used it for so long that the other side may be about to close it.
    func isOld(at now: Int) -> Bool {
        guard case .pool(let since) = own.value.holder else { return false }
        return now - since >= own.value.idleLimit
    }

    /// The server says for how long it keeps the connection when nobody uses it.
    func serverKeepsIt(forMilliseconds time: Int) {
        own.value.idleLimit = min(Self.usualIdleLimit, max(0, time - Self.margin))
    }

    /// Whether another request can go on it.
    var isQuiet: Bool { transport.isQuiet }

    /// Belongs to a transfer from now on.
    func serve(_ transfer: Transfer) {
        own.value.holder = .transfer(transfer)
        setReadable(false)
    }

    /// Belongs to nobody, and is kept.
    func rest(at now: Int) {
        own.value.holder = .pool(since: now)
        setReadable(false)
    }

    func close() {
        own.value.holder = .nobody
        socket.close()
    }

    /// Gives its transport to somebody who watches that on any loop; this object is of no more use.
    func release() -> Transport {
        own.value.holder = .nobody
        _ = socket.release()
        return transport
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Input {
        let count = transport.read(into: buffer)
        guard count > 0 else {
            if count < 0, errno == EAGAIN || errno == EINTR {
                setReadable(errno == EINTR)
                return .nothing
            }
            if count < 0 { return .broken(Self.problem(errno)) }
            return transport.wasCutOff ? .broken("the connection was cut off") : .end
        }
        // Without encryption, a read that does not fill the buffer has emptied the socket.
        setReadable(transport.isEncrypted || count == buffer.count || own.value.hasPeerLeft)
        return .bytes(count)
    }

    /// Writes: how many bytes, 0 where there is no room; nil where nothing can be sent any more.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let count = transport.write(bytes)
        guard count < 0 else {
            // A TLS session takes one record at a time, so taking less than all does not mean that the socket is full.
            setWritable(transport.isEncrypted || count == bytes.count)
            return count
        }
        let code = errno
        setWritable(code == EINTR)
        return code == EAGAIN || code == EINTR ? 0 : nil
    }

    private func setReadable(_ isReadable: Bool) {
        own.value.canRead = isReadable
        if !isReadable { socket.expect(.readable) }
    }

    private func setWritable(_ isWritable: Bool) {
        own.value.canWrite = isWritable
        if !isWritable { socket.expect(.writable) }
    }

    private static func problem(_ code: Int32) -> String {
        code == EPROTO ? "what came is no TLS" : String(cString: strerror(code))
    }

    // MARK: For the loop

    func ready(_ socket: Int32, _ readiness: Readiness) {
        let isReadable = !readiness.isSubset(of: .writable)
        if !readiness.isSubset(of: [.readable, .writable]) { own.value.hasPeerLeft = true }
        if isReadable { own.value.canRead = true }
        if !readiness.isSubset(of: .readable) { own.value.canWrite = true }
        switch own.value.holder {
        case .transfer(let transfer): transfer.goOn()
        case .pool:
            guard isReadable else { return }
            guard !isQuiet else { return setReadable(false) }
            close()
            pool.forget(self)
        case .nobody: break
        }
    }
}
