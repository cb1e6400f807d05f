import EventLoop

/// The idle connections of one loop, or those that one caller has logged in, kept for further requests to the same
/// origin.
final class ConnectionPool: Sendable {
    private static let countLimit = 1024

    private struct State {
        /// The idle connections of each origin, the longest idle first.
        var origins: [Origin: [ClientConnection]] = [:]
        var count = 0
    }

    private let own: LoopBound<State>

    init(on loop: Loop) { own = LoopBound(State(), to: loop) }

    var isEmpty: Bool { own.value.count == 0 }

    /// Returns the most recently used idle connection that is still open; nil if there is none.
    func take(to origin: Origin) -> ClientConnection? {
        while let connection = own.value.origins[origin]?.popLast() {
            own.value.count -= 1
            if !connection.isOld(at: Loop.now), connection.isQuiet { return connection }
            connection.close()
        }
        return nil
    }

    func keep(_ connection: ClientConnection) {
        guard own.value.count < Self.countLimit else { return connection.close() }
        connection.rest(in: self, at: Loop.now)
        own.value.count += 1
        own.value.origins[connection.origin, default: []].append(connection)
    }

    func forget(_ connection: ClientConnection) {
        guard let place = own.value.origins[connection.origin]?.firstIndex(where: { $0 === connection })
        else { return }
        own.value.origins[connection.origin]?.remove(at: place)
        own.value.count -= 1
    }

    deinit { for connection in own.value.origins.values.joined() { connection.close() } }

    /// Closes connections that have been idle too long, and removes origins without connections.
    func closeOld(at now: Int) {
        for (origin, kept) in own.value.origins {
            let young = kept.filter { !$0.isOld(at: now) }
            guard young.count < kept.count || young.isEmpty else { continue }
            own.value.count -= kept.count - young.count
            own.value.origins[origin] = young.isEmpty ? nil : young
            for connection in kept where connection.isOld(at: now) { connection.close() }
        }
    }
}
