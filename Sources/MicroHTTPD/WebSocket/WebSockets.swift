import CMicroHTTPD
import Glibc

/// The WebSockets of one loop; touched on its thread only, and before it starts: that makes it Sendable.
///
/// Of one that is silent nothing is kept here but a place in a table and in the wheel of what is due: each tick looks
/// at those alone whose time has come.
final class WebSockets: @unchecked Sendable {
    static let stopping = "the server is stopping"

    /// Seconds that the wheel knows; what is due later is looked at too early, and put off.
    private static let round = 64

    let loop: Loop
    /// One is gone, and its descriptor is free.
    var onEnd: () -> Void = {}
    private var sockets: [Int32: WebSocket] = [:]
    /// Connections that the library is to close, and until when.
    private var leaving: [ObjectIdentifier: (connection: Connection, deadline: Int)] = [:]
    private var isExtraRun = false
    private(set) var isStopping = false
    private var wheel = [[Int32]](repeating: [], count: round)
    /// One for all: what is read is parsed before the next is.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// Seconds, but for those in which the process was stopped: nobody is found silent for them.
    private(set) var tick = 0
    /// Descriptors that they take beside those of the library's connections.
    private(set) var extraCount = 0

    init(_ loop: Loop) { self.loop = loop }

    deinit { buffer.deallocate() }

    var isEmpty: Bool { sockets.isEmpty && leaving.isEmpty }

    /// Takes a socket whose handshake is over; called by the library.
    func add(_ socket: WebSocket, _ transport: WebSocket.Transport, extra: [UInt8]) {
        socket.transport = transport
        guard let descriptor = socket.descriptor else { return }
        extraCount += transport.extraDescriptors
        sockets[descriptor] = socket
        // The library has just turned it off.
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        // Not from within the library: who is told may do anything.
        loop.performSoon { [self] in
            do {
                guard socket.stage == .opening, socket.descriptor == descriptor else { return }
                try loop.drive(descriptor, EPOLLIN.rawValue)
                socket.open(extra)
            } catch {
                socket.abort("\(error)")
            }
        }
    }

    /// Closes what a WebSocket has let go of.
    func remove(_ socket: WebSocket, _ transport: WebSocket.Transport) {
        switch transport {
        case .none: return
        case .own(let descriptor):
            sockets[descriptor] = nil
            loop.unwatch(descriptor)
            close(descriptor)
        case .encrypted(let stream):
            sockets[stream.socket] = nil
            loop.unwatch(stream.socket)
            leaving[ObjectIdentifier(stream.connection)] = (
                stream.connection, tick + socket.limits.closeSeconds
            )
            stream.close()
            loop.setRunDue()
        }
        extraCount -= transport.extraDescriptors
        onEnd()
    }

    /// The library has closed a connection.
    func connectionClosed(_ connection: Connection) {
        connection.stream = nil
        guard !leaving.isEmpty, leaving.removeValue(forKey: ObjectIdentifier(connection)) != nil else {
            return
        }
        onEnd()
    }

    // MARK: Driven by the loop

    /// A socket is ready; returns false when it belongs to none of these.
    func changed(_ descriptor: Int32, _ events: UInt32) -> Bool {
        guard !sockets.isEmpty, let socket = sockets[descriptor] else { return false }
        socket.ready(events, buffer)
        return true
    }

    /// What the library finds out in one run about a connection that is to close, it acts upon in the next.
    func libraryHasRun() {
        isExtraRun = !leaving.isEmpty && !isExtraRun
        if isExtraRun { loop.setRunDue() }
    }

    /// A second has passed.
    func second() {
        tick += 1
        let place = tick % Self.round
        if !wheel[place].isEmpty {
            let due = wheel[place]
            wheel[place] = []
            for descriptor in due {
                // Others have been put off or brought forward, or have closed.
                guard let socket = sockets[descriptor], socket.due == tick else { continue }
                socket.due = 0
                socket.check()
            }
        }
        guard !leaving.isEmpty else { return }
        loop.setRunDue()
        for (connection, deadline) in leaving.values where tick >= deadline && !connection.isCut {
            connection.cut()
        }
    }

    /// Lets ``WebSocket/check()`` be called in so many seconds at the latest.
    func look(at socket: WebSocket, in seconds: Int) {
        let due = tick + min(max(1, seconds), Self.round - 1)
        guard socket.due == 0 || due < socket.due, let descriptor = socket.descriptor else { return }
        socket.due = due
        wheel[due % Self.round].append(descriptor)
    }

    func watch(_ descriptor: Int32, forRoom: Bool) {
        loop.change(descriptor, EPOLLIN.rawValue | (forRoom ? EPOLLOUT.rawValue : 0))
    }

    // MARK: Stopping

    /// Says to all that the server stops.
    func closeAll() {
        isStopping = true
        for socket in sockets.values { socket.close(.goingAway, Self.stopping) }
    }

    /// Waits for none of them any more.
    func abortAll() {
        for socket in sockets.values { socket.abort(Self.stopping) }
        for (connection, _) in leaving.values where !connection.isCut { connection.cut() }
    }
}

extension WebSocket.Transport {
    /// Descriptors of one beside that of the library's connection, which a socket of our own does not have.
    fileprivate var extraDescriptors: Int {
        switch self {
        case .none: 0
        case .own: 1
        // The library has made a pair of sockets that nobody uses.
        case .encrypted: 2
        }
    }
}
