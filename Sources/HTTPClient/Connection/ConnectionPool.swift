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
    ///
    /// - Parameter isRepeatable: whether the request is sent again if the connection has been closed. Then an empty one
    ///   that was used within the last second is taken without asking the kernel, since the loop hears of its end.
    func take(to origin: Origin, isRepeatable: Bool = false) -> ClientConnection? {
        let now = Loop.now
        while let connection = own.value.origins[origin]?.popLast() {
            own.value.count -= 1
            let isSure = isRepeatable && !connection.canRead && !connection.isOld(at: now, limit: 1000)
            if isSure || !connection.isOld(at: now) && connection.isQuiet { return connection }
            connection.close()
        }
        return nil
    }

    func keep(_ connection: ClientConnection) {
        guard own.value.count < Self.countLimit, !connection.hasPeerLeft else { return connection.close() }
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
