import EventLoop

/// Connections of one loop that nobody uses, for the next requests to the same origin.
final class ConnectionPool: Sendable {
    /// What lies between may have forgotten a connection that was not used for so long, in milliseconds.
    private static let idleLimit = 118_000
    /// Connections that are kept, of all origins.
    private static let countLimit = 1024

    private struct State {
        /// Those that have waited longest come first.
        var connections: [Origin: [ClientConnection]] = [:]
        var count = 0
    }

    private let own: LoopBound<State>

    init(on loop: Loop) { own = LoopBound(State(), to: loop) }

    var isEmpty: Bool { own.value.count == 0 }

    /// A connection that was used before, and is still there: the last that was used.
    func take(to origin: Origin) -> ClientConnection? {
        while let connection = own.value.connections[origin]?.popLast() {
            own.value.count -= 1
            if own.value.connections[origin]?.isEmpty == true { own.value.connections[origin] = nil }
            if let since = connection.idleSince, Loop.now - since < Self.idleLimit, connection.isQuiet {
                return connection
            }
            connection.close()
        }
        return nil
    }

    /// Keeps a connection for the next request.
    func keep(_ connection: ClientConnection) {
        guard own.value.count < Self.countLimit else { return connection.close() }
        connection.rest(at: Loop.now)
        own.value.connections[connection.origin, default: []].append(connection)
        own.value.count += 1
    }

    /// A connection that was kept is of no more use, and closed.
    func forget(_ connection: ClientConnection) {
        guard var kept = own.value.connections[connection.origin],
            let place = kept.firstIndex(where: { $0 === connection })
        else { return }
        kept.remove(at: place)
        own.value.count -= 1
        own.value.connections[connection.origin] = kept.isEmpty ? nil : kept
    }

    /// Closes all, which know the pool and would keep it.
    func closeAll() {
        let kept = own.value.connections
        own.value.connections = [:]
        own.value.count = 0
        for connection in kept.values.joined() { connection.close() }
    }

    /// Closes those that nobody used for too long.
    func closeOld(at now: Int) {
        for (origin, kept) in own.value.connections {
            let old = kept.prefix { now - ($0.idleSince ?? now) >= Self.idleLimit }
            guard !old.isEmpty else { continue }
            for connection in old { connection.close() }
            own.value.count -= old.count
            let left = Array(kept.dropFirst(old.count))
            own.value.connections[origin] = left.isEmpty ? nil : left
        }
    }
}
