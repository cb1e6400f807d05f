import EventLoop

/// The idle connections of one loop, for the next requests to the same origin.
final class ConnectionPool: Sendable {
    /// How many connections are kept, of all origins together.
    private static let countLimit = 1024

    /// The connections to one origin; those that have waited longest come first.
    private final class Kept {
        var connections: [ClientConnection]

        init(_ first: ClientConnection) { connections = [first] }
    }

    private struct State {
        /// Objects, so that a request changes the list of its origin in place, and not a copy in the dictionary.
        var origins: [Origin: Kept] = [:]
        var count = 0
    }

    private let own: LoopBound<State>

    init(on loop: Loop) { own = LoopBound(State(), to: loop) }

    var isEmpty: Bool { own.value.count == 0 }

    /// An idle connection that is still open; of several, the one that was used last.
    func take(to origin: Origin) -> ClientConnection? {
        guard let kept = own.value.origins[origin] else { return nil }
        while let connection = kept.connections.popLast() {
            own.value.count -= 1
            if !connection.isOld(at: Loop.now), connection.isQuiet { return connection }
            connection.close()
        }
        return nil
    }

    /// Keeps a connection for the next request.
    func keep(_ connection: ClientConnection) {
        guard own.value.count < Self.countLimit else { return connection.close() }
        connection.rest(at: Loop.now)
        own.value.count += 1
        if let kept = own.value.origins[connection.origin] {
            kept.connections.append(connection)
        } else {
            own.value.origins[connection.origin] = Kept(connection)
        }
    }

    /// Forgets a connection that was kept and is closed now.
    func forget(_ connection: ClientConnection) {
        guard let kept = own.value.origins[connection.origin],
            let place = kept.connections.firstIndex(where: { $0 === connection })
        else { return }
        kept.connections.remove(at: place)
        own.value.count -= 1
    }

    /// Closes all connections: they and the pool hold each other, and would stay for ever.
    func closeAll() {
        let origins = own.value.origins
        own.value.origins = [:]
        own.value.count = 0
        for connection in origins.values.flatMap(\.connections) { connection.close() }
    }

    /// Closes the connections that were idle for too long, and removes origins without any.
    func closeOld(at now: Int) {
        for (origin, kept) in own.value.origins {
            let old = kept.connections.filter { $0.isOld(at: now) }
            own.value.count -= old.count
            // They are taken out before they are closed, since a closed connection does not count as old.
            kept.connections.removeAll { $0.isOld(at: now) }
            for connection in old { connection.close() }
            if kept.connections.isEmpty { own.value.origins[origin] = nil }
        }
    }
}
