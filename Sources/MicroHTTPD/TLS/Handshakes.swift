import EventLoop

/// The TLS handshakes under way on one loop; used on its thread only.
///
/// The library takes a connection for readable until its handshake is over, and runs again and again without a pause
/// while it waits for the caller. So a handshake that waits is suspended, and its socket is watched by the loop.
final class Handshakes: Loop.Guest {
    private let loop: Loop
    /// The handshakes with which the library goes on in its next run.
    private var running: [Connection] = []
    private var suspended: [Int32: Connection] = [:]

    init(_ loop: Loop) { self.loop = loop }

    func began(_ connection: Connection) {
        if case .handshake = connection.own.value.stage { running.append(connection) }
    }

    func ended(_ connection: Connection) { running.removeAll { $0 === connection } }

    /// Called when the library has run: finished handshakes are removed, the others are suspended.
    func libraryHasRun() {
        guard !running.isEmpty else { return }
        running = running.filter { connection in
            connection.endHandshake()
            guard case .handshake = connection.own.value.stage else { return false }
            return !suspend(connection)
        }
    }

    /// Called when the socket of a suspended handshake has bytes, or its peer has left.
    func ready(_ socket: Int32, _ readiness: Readiness) {
        if let connection = suspended.removeValue(forKey: socket) { resume(connection) }
    }

    /// Resumes all: the library cannot stop while a connection is suspended.
    func release() {
        for connection in suspended.values { resume(connection) }
        suspended = [:]
    }

    private func suspend(_ connection: Connection) -> Bool {
        // Where it cannot be watched it is not suspended, and the library runs without a pause.
        guard (try? loop.watch(connection.socket, for: [.readable, .closed], self)) != nil else {
            return false
        }
        connection.handle.suspend()
        suspended[connection.socket] = connection
        return true
    }

    private func resume(_ connection: Connection) {
        loop.dismiss(connection.socket)
        connection.handle.resume()
        loop.setRunDue()
        running.append(connection)
    }
}
