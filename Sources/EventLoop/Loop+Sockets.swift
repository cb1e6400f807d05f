// What a loop watches, and when it calls; all of it on the loop's thread.
extension Loop {
    /// Says when connections wait on a socket, of which every loop has its own duplicate.
    package func listen(on socket: Int32) throws {
        // One connection does not wake all loops.
        try state.waiter.add(socket, for: [.readable, .shared])
        state.listeningSocket = socket
    }

    package var isListening: Bool { state.listeningSocket >= 0 }

    /// Leaves them waiting.
    package func stopListening() {
        guard state.listeningSocket >= 0 else { return }
        unwatch(state.listeningSocket)
        state.listeningSocket = -1
    }

    /// Watches for the peer of a socket to leave, whenever that is; told when it does, and no more.
    package func watchForEnd(of socket: Int32) throws {
        try state.waiter.add(socket, for: [.closed, .onceEach])
    }

    /// Watches for what the peer of a socket sends, or for its end; told until it is unwatched.
    package func watchForBytes(on socket: Int32) throws {
        try state.waiter.add(socket, for: [.readable, .closed])
    }

    /// Watches a guest's socket for something else.
    ///
    /// That the system does not know the socket is a mistake of the program's: somebody closed it before it was
    /// dismissed, and another has its number now. It stops a test; a release build watches the socket anew.
    package func change(_ socket: Int32, _ readiness: Readiness) throws {
        do {
            try state.waiter.change(socket, for: readiness)
        } catch {
            assertionFailure("a socket was closed before its loop was told: \(error)")
            try state.waiter.add(socket, for: readiness)
        }
    }

    /// Watches a socket for a guest; told as long as the socket is ready.
    ///
    /// Watched anew, it is for this alone.
    package func watch(_ socket: Int32, for readiness: Readiness, _ guest: any Guest) throws {
        if state.guests.updateValue(guest, forKey: socket) != nil { return try change(socket, readiness) }
        do {
            try state.waiter.add(socket, for: readiness)
        } catch {
            state.guests[socket] = nil
            throw error
        }
    }

    /// Takes note that a guest's socket, which is told once of each, is ready for this no more.
    package func expect(_ readiness: Readiness, on socket: Int32) {
        state.waiter.expect(readiness, on: socket)
    }

    /// Ends watching for a guest; must come before the socket is closed.
    package func dismiss(_ socket: Int32) {
        if state.guests.removeValue(forKey: socket) != nil { unwatch(socket) }
    }

    /// Calls a guest once, in so many milliseconds, in place of what was set for it before; nil for not at all.
    package func setTimer(for guest: any Guest, in milliseconds: Int?) {
        state.timers.removeAll { $0.guest === guest }
        if let milliseconds { state.timers.append((Loop.now + milliseconds, guest)) }
    }

    /// Ends watching; must come before the library may close the socket.
    package func unwatch(_ socket: Int32) { state.waiter.remove(socket) }
}
