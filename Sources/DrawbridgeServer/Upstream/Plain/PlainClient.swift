import Curl
import EventLoop
import Glibc
import MicroHTTPD

/// What the plain transfers of one loop share; touched on its thread only.
final class PlainClient: Loop.Guest {
    /// Connections that nobody used for so long are not used again, in milliseconds: what lies between may have
    /// forgotten them.
    private static let idleLimit = 118_000
    /// How often transfers are looked at that wait for their answer, in milliseconds.
    private static let round = 500
    private static let bufferSize = 64 << 10

    /// One for all: what is read is parsed before the next is.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)
    /// Lines of heads that came in on this loop.
    let knownLines = KnownLines()

    private unowned let loop: Loop
    /// What makes connections.
    @exclusivity(unchecked) var connecting: HTTPClient!
    /// Few: a gateway has a handful of servers behind it.
    @exclusivity(unchecked) private var idle: [(origin: Origin, connections: [PlainConnection])] = []
    @exclusivity(unchecked) private var transfers: [PlainTransfer] = []
    @exclusivity(unchecked) private var isRoundDue = false

    init(on loop: Loop) { self.loop = loop }

    deinit { buffer.deallocate() }

    var now: Int { Loop.now }

    // MARK: Transfers

    func add(_ transfer: PlainTransfer) {
        transfer.place = transfers.count
        transfers.append(transfer)
        guard !isRoundDue else { return }
        isRoundDue = true
        loop.setTimer(for: self, in: Self.round)
    }

    func remove(_ transfer: PlainTransfer) {
        let last = transfers.removeLast()
        guard last !== transfer else { return }
        transfers[transfer.place] = last
        last.place = transfer.place
    }

    func ready(_ socket: Int32, _ events: UInt32) {}

    func timeIsUp() {
        isRoundDue = !transfers.isEmpty
        if isRoundDue { loop.setTimer(for: self, in: Self.round) }
        let now = now
        for transfer in transfers { transfer.check(at: now) }
        for place in idle.indices { closeOldest(of: &idle[place].connections, at: now) }
    }

    // MARK: Connections

    /// A new connection.
    ///
    /// - Throws: where it cannot be watched.
    func connection(_ socket: Int32, to origin: Origin) throws -> PlainConnection {
        try PlainConnection(socket, to: origin, on: loop) { [unowned self] in forget($0) }
    }

    /// A connection that was used before, and is still there.
    func take(to origin: Origin) -> PlainConnection? {
        guard let place = idle.firstIndex(where: { $0.origin == origin }) else { return nil }
        while let connection = idle[place].connections.popLast() {
            if now - connection.idleSince < Self.idleLimit, connection.isAlive { return connection }
            connection.close()
        }
        return nil
    }

    /// Keeps a connection for the next.
    func keep(_ connection: PlainConnection) {
        connection.rest(at: now)
        if let place = idle.firstIndex(where: { $0.origin == connection.origin }) {
            idle[place].connections.append(connection)
        } else {
            idle.append((connection.origin, [connection]))
        }
    }

    /// Those that have waited longest come first: it is the last that is used again.
    private func closeOldest(of connections: inout [PlainConnection], at now: Int) {
        let old = connections.prefix { now - $0.idleSince >= Self.idleLimit }
        for connection in old { connection.close() }
        if !old.isEmpty { connections.removeFirst(old.count) }
    }

    /// The server has closed a connection that nobody uses, or says something on it.
    private func forget(_ connection: PlainConnection) {
        guard let place = idle.firstIndex(where: { $0.origin == connection.origin }) else { return }
        idle[place].connections.removeAll { $0 === connection }
    }
}
