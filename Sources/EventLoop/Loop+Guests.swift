extension Loop {
    /// The server that a loop runs; every method is called on the loop's thread.
    package protocol Driven: AnyObject {
        /// Serves the connections that are ready.
        func run()
        /// Milliseconds until `run` is due without an event, -1 for never.
        var timeout: Int32 { get }
        /// Accepts connections that wait on the listening socket.
        func accept()
        func tick()
    }

    /// An object with sockets or a timer on a loop; every method is called on the loop's thread.
    package protocol Guest: AnyObject {
        /// Called when a socket is ready for something that it is watched for, or has failed.
        func ready(_ socket: Int32, _ readiness: Readiness)
        /// Called at the time that was set by ``Loop/setTimer(for:in:)``.
        func timeIsUp()
    }

    /// A loop without a server, for guests that are used outside of any loop; it runs as long as the process.
    package static func standalone() throws -> Loop {
        let loop = try Loop()
        try loop.start(nil, socket: nil)
        return loop
    }
}

extension Loop.Guest {
    package func timeIsUp() {}
}

// What a loop watches, and when it calls; all of it on the loop's thread.
extension Loop {
    /// Watches a listening socket, of which every loop has its own duplicate.
    package func listen(on socket: Int32) throws {
        // Shared, so that one connection does not wake all loops.
        try state.waiter.add(socket, for: [.readable, .shared])
        state.listeningSocket = socket
    }

    package var isListening: Bool { state.listeningSocket >= 0 }

    /// Stops watching the listening socket; connections stay in its queue.
    package func stopListening() {
        guard state.listeningSocket >= 0 else { return }
        state.waiter.remove(state.listeningSocket)
        state.listeningSocket = -1
    }

    /// Watches a guest's socket for something else.
    ///
    /// Where the system does not know the socket, there is a bug: it was closed before it was dismissed, and another
    /// may have its number now. That traps in debug builds; release builds watch the socket anew.
    package func change(_ socket: Int32, _ readiness: Readiness) throws {
        do {
            try state.waiter.change(socket, for: readiness)
        } catch {
            assertionFailure("a socket was closed before its loop was told: \(error)")
            try state.waiter.add(socket, for: readiness)
        }
    }

    /// Watches a socket for a guest, which is called as long as the socket is ready.
    ///
    /// Another call replaces what the socket is watched for.
    package func watch(_ socket: Int32, for readiness: Readiness, _ guest: any Guest) throws {
        if state.guests.updateValue(guest, forKey: socket) != nil { return try change(socket, readiness) }
        do {
            try state.waiter.add(socket, for: readiness)
        } catch {
            state.guests[socket] = nil
            throw error
        }
    }

    /// Ends watching for a guest; must come before the socket is closed.
    package func dismiss(_ socket: Int32) {
        if state.guests.removeValue(forKey: socket) != nil { state.waiter.remove(socket) }
    }

    /// Calls a guest once, after some milliseconds, and forgets its earlier timer; nil sets none.
    package func setTimer(for guest: any Guest, in milliseconds: Int?) {
        state.timers.removeAll { $0.guest === guest }
        if let milliseconds { state.timers.append((Loop.now + milliseconds, guest)) }
    }
}
