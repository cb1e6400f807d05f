extension Loop {
    /// The HTTP server that a loop drives; every method is called on the loop's thread.
    package protocol Driven: AnyObject {
        func run()
        /// Milliseconds until `run` has to be called even if no socket is ready; -1 for never.
        var timeout: Int32 { get }
        /// Accepts the connections in the listening socket's queue.
        func accept()
        func tick()
    }

    /// An object that has sockets or a timer on a loop; every method is called on the loop's thread.
    package protocol Guest: AnyObject {
        /// Called when a socket has a readiness that it is watched for, or has failed.
        func ready(_ socket: Int32, _ readiness: Readiness)
        /// Called when the timer of ``Loop/setTimer(for:in:)`` fires.
        func timeIsUp()
    }

    /// Who has sent a request.
    package protocol Caller: AnyObject, Sendable {
        /// What belongs to the client's connection alone, and is released with it; for the loop's thread only.
        var belongings: (any AnyObject)? { get set }
    }

    /// Starts a loop without a server, for guests that belong to no server; it runs until the process ends.
    package static func standalone() throws -> Loop {
        let loop = try Loop()
        try loop.start(nil, socket: nil)
        return loop
    }
}

extension Loop.Guest {
    package func timeIsUp() {}
}

// Registration of sockets and timers. All of it is for the loop's thread only.
extension Loop {
    /// Watches a listening socket; each loop needs its own duplicate of the descriptor.
    package func listen(on socket: Int32) throws {
        // `shared`, so that a new connection wakes one loop and not all of them.
        try state.waiter.add(socket, for: [.readable, .shared])
        state.listeningSocket = socket
    }

    package var isListening: Bool { state.listeningSocket >= 0 }

    /// Stops watching the listening socket; new connections stay in its queue.
    package func stopListening() {
        guard state.listeningSocket >= 0 else { return }
        state.waiter.remove(state.listeningSocket)
        state.listeningSocket = -1
    }

    /// Replaces the readiness that a guest's socket is watched for.
    ///
    /// It fails only because of a bug: the socket was closed before ``dismiss(_:)``, and its number may belong to
    /// another socket now. Debug builds trap; release builds register the socket again.
    package func change(_ socket: Int32, _ readiness: Readiness) throws {
        do {
            try state.waiter.change(socket, for: readiness)
        } catch {
            assertionFailure("a socket was closed before its loop was told: \(error)")
            try state.waiter.add(socket, for: readiness)
        }
    }

    /// Watches a socket and calls its guest as long as the socket is ready (level-triggered).
    ///
    /// If the socket is already watched, this replaces its guest and readiness.
    package func watch(_ socket: Int32, for readiness: Readiness, _ guest: any Guest) throws {
        if state.guests.updateValue(guest, forKey: socket) != nil { return try change(socket, readiness) }
        do {
            try state.waiter.add(socket, for: readiness)
        } catch {
            state.guests[socket] = nil
            throw error
        }
    }

    /// Stops watching a guest's socket; call it before you close the socket.
    package func dismiss(_ socket: Int32) {
        if state.guests.removeValue(forKey: socket) != nil { state.waiter.remove(socket) }
    }

    /// Calls the guest once, after these milliseconds; replaces its earlier timer; nil only removes that.
    package func setTimer(for guest: any Guest, in milliseconds: Int?) {
        state.timers.removeAll { $0.guest === guest }
        if let milliseconds { state.timers.append((Loop.now + milliseconds, guest)) }
    }
}
