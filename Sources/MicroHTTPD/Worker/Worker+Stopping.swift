// How a worker stops, behind its port.
extension Worker {
    enum Phase {
        case serving
        /// Serves, but each answer closes its connection.
        case draining
        /// The same, and accepts no more connections.
        case closed
        case stopping

        var accepts: Bool { self == .serving || self == .draining }
    }

    var closesConnections: Bool { own.value.phase != .serving }

    /// Accepts the connections that have come, ends the listening by `close`, and serves on what is open.
    ///
    /// The kernel resets connections that nobody has accepted, and with them the requests that were sent into them.
    func endListening(_ close: () -> Void) {
        guard own.value.phase.accepts else { return }
        accept()
        close()
        closePort()
        own.value.phase = .closed
    }

    /// Returns when all handlers have returned, all responses are sent and all upgraded connections are closed.
    func becomeIdle() async {
        await withCheckedContinuation { continuation in
            loop.perform { [self] in
                own.value.idleWaiter = { continuation.resume() }
                tellIfIdle()
            }
        }
    }

    /// Cancels all running handlers.
    ///
    /// Clients without a response get a 503. All other connections are closed, including upgraded ones.
    func cancelAll() {
        upgrades.abortAll()
        for connection in own.value.connections.values { connection.own.value.exchange?.stop() }
        for exchange in own.value.callerless.values { exchange.release() }
    }

    /// Stops waiting for handlers that ignore their cancellation; returns their number.
    func abandon() -> Int {
        let answering = own.value.connections.values.compactMap { $0.own.value.exchange }
            .filter { !$0.own.value.handler.hasReturned }
        let count = answering.count + own.value.callerless.count
        own.value.callerless = [:]
        tellIfIdle(evenWith: own.value.underWay, open: true)
        return count
    }

    /// Stops the daemon and the loop.
    ///
    /// `MHD_stop_daemon` aborts the process if a connection is suspended. All have been resumed by now; the library
    /// marks them as such in one more run.
    func stop() {
        for connection in own.value.connections.values where connection.own.value.isWatched {
            if case .handshake = connection.own.value.stage {
                resumeHandshake(connection)
            } else {
                connection.own.value.exchange?.release()
            }
        }
        upgrades.abortAll()
        own.value.daemon.run()
        own.value.daemon.stop()
        loop.stop()
    }

    func tellIfIdle(evenWith count: Int = 0, open: Bool = false) {
        guard let idleWaiter = own.value.idleWaiter, own.value.underWay <= count, open || upgrades.isEmpty
        else { return }
        own.value.idleWaiter = nil
        idleWaiter()
    }
}
