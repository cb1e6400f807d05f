import EventLoop
import Glibc
import TLS

/// A connection to a server, used for one transfer after the other.
///
/// The loop reports once that there are bytes to read, or room to write, and the connection remembers that until there
/// are none: so no system calls are needed while a reader waits. It belongs to its loop's thread.
final class ClientConnection: Loop.Guest {
    enum Input {
        case bytes(Int)
        case nothing
        case end
        case broken(String)
    }

    private enum Holder {
        case pool(since: Int)
        case transfer(Transfer)
        /// It is closed or released, or new.
        case nobody
    }

    private struct State {
        var holder = Holder.nobody
        /// After how many idle milliseconds no other request is sent on it.
        var idleLimit = ClientConnection.usualIdleLimit
        var canRead = false
        var canWrite = true
        /// Whether the server has closed its side: behind the bytes that it sent, the end is still to be read.
        var hasPeerLeft = false
    }

    /// After how many idle milliseconds a router on the way may have forgotten the connection.
    private static let usualIdleLimit = 118_000
    /// How many milliseconds before the server may close it the connection is used no more.
    ///
    /// A request that is on its way when the server closes gets no answer.
    private static let margin = 1000

    let origin: Origin
    let address: SocketAddress
    private let socket: WatchedSocket
    private let transport: Transport
    private let pool: ConnectionPool
    private let own: LoopBound<State>

    /// - Parameter pool: told when the server ends the connection, or sends something, while it is idle.
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

    /// Whether it was idle for so long that the server may be about to close it.
    func isOld(at now: Int) -> Bool {
        guard case .pool(let since) = own.value.holder else { return false }
        return now - since >= own.value.idleLimit
    }

    /// Called when the server says how long it keeps an idle connection.
    func serverKeepsIt(forMilliseconds time: Int) {
        own.value.idleLimit = min(Self.usualIdleLimit, max(0, time - Self.margin))
    }

    /// Whether another request can go on it.
    var isQuiet: Bool { transport.isQuiet }

    func serve(_ transfer: Transfer) {
        own.value.holder = .transfer(transfer)
        own.value.canRead = false
    }

    func rest(at now: Int) {
        own.value.holder = .pool(since: now)
        own.value.canRead = false
    }

    func close() {
        own.value.holder = .nobody
        socket.close()
    }

    /// Gives away the transport, which the caller may watch on any loop; this object must not be used any more.
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
            return transport.wasCutOff ? .broken("the connection was cut off") : .end
        }
        // Without encryption, a read that does not fill the buffer has emptied the socket.
        own.value.canRead = transport.isEncrypted || count == buffer.count || own.value.hasPeerLeft
        return .bytes(count)
    }

    /// Writes, and returns how many bytes: 0 where there is no room, nil where nothing can be sent any more.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let count = transport.write(bytes)
        guard count < 0 else {
            // A TLS session takes one record at a time, so taking less than all does not mean that the socket is full.
            own.value.canWrite = transport.isEncrypted || count == bytes.count
            return count
        }
        let code = errno
        own.value.canWrite = code == EINTR
        return code == EAGAIN || code == EINTR ? 0 : nil
    }

    private static func problem(_ code: Int32) -> String {
        code == EPROTO ? "what came is not TLS" : String(cString: strerror(code))
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
            if isQuiet {
                own.value.canRead = false
            } else {
                close()
                pool.forget(self)
            }
        case .nobody: break
        }
    }
}
